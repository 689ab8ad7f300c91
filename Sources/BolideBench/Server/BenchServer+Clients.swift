internal import Foundation
internal import PostgreSQLAccess

extension BenchServer {
  private static let clients = 8

  /// Changes a value of one row in each commit, by pgbench; the fireballs may be all, or those of one owner.
  func runClients(
    _ schema: String, feedRows: Int, hasTriggers: Bool, haveOneOwner: Bool
  ) throws -> JobOutcome {
    try psql(
      "SET search_path = \(name(schema))",
      """
      CREATE TABLE bench_row AS SELECT row_number() OVER () AS number, bolide_id AS id FROM "Fireball"
      WHERE \(haveOneOwner ? "cell_id = (SELECT min(cell_id) FROM \"Fireball\")" : "true")
      """, "ALTER TABLE bench_row ADD PRIMARY KEY (number)", "VACUUM ANALYZE bench_row")
    if !hasTriggers {
      for table in ["Fireball", "Cell"] {
        try psql("ALTER TABLE \(name(schema)).\"\(table)\" DISABLE TRIGGER USER")
      }
    }
    let rows = try counts(schema, "SELECT count(*) FROM bench_row").first ?? 0
    // Fewer on a small feed, whose figures nobody wants.
    let commits = min(4_000, max(20, feedRows / 25))
    let script = workspace.path + "/clients.sql"
    try """
    \\set number random(1, \(rows))
    UPDATE \(name(schema))."Fireball" SET "impactEnergy" = "impactEnergy" * 1.01 + 0.1
    WHERE bolide_id = (SELECT id FROM \(name(schema)).bench_row WHERE number = :number);
    """.write(toFile: script, atomically: true, encoding: .utf8)
    return try workspace.run(
      program: "pgbench",
      [
        "--no-vacuum", "--client", "\(Self.clients)", "--jobs", "2", "--transactions", "\(commits)",
        "--protocol", "prepared", "--file", script, address.connection,
      ], rows: Self.clients * commits)
  }
}
