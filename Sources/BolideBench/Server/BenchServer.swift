internal import Foundation
internal import PostgreSQLAccess

/// A PostgreSQL server that is measured: the bench makes schemas of its own there, and drops them.
///
/// Everything but the imports is done by psql, as a person would do it.
package struct BenchServer: Sendable {
  /// Without a password: whoever lists processes sees their arguments.
  let address: PostgreSQLAddress
  private let given: PostgreSQLAddress
  let workspace: Workspace
  /// What the names of its schemas begin with.
  private let prefix = "bolide_bench_\(UInt32.random(in: 0 ... .max))_"

  /// - Parameter address: of the database; the schema in it does not matter.
  package init?(_ address: String, in workspace: Workspace) {
    guard let given = PostgreSQLAddress(address), let address = PostgreSQLAddress(given.shown) else {
      return nil
    }
    (self.given, self.address, self.workspace) = (given, address, workspace)
  }

  /// Sees that the server answers, and hands its password to the programs that are to be started, in their environment.
  ///
  /// - Throws: `StoreError`.
  package func check() throws {
    let password = try given.telling { try PostgreSQLConnection(given).password }
    if !password.isEmpty { setenv("PGPASSWORD", password, 1) }
  }

  /// The address of the store in a schema of the bench.
  func store(_ schema: String) -> String { "\(address.connection)#\(prefix)\(schema)" }

  func name(_ schema: String) -> String { "\"\(prefix)\(schema)\"" }

  /// Drops a schema, and makes it anew.
  func clear(_ schema: String, making: Bool = false) throws {
    try psql("SET client_min_messages = warning", "DROP SCHEMA IF EXISTS \(name(schema)) CASCADE")
    if making { try psql("CREATE SCHEMA \(name(schema))") }
  }

  /// Drops all schemas of the bench.
  package func remove() throws {
    let found = try psql("SELECT nspname FROM pg_namespace WHERE starts_with(nspname, '\(prefix)')")
    for schema in found.split(separator: "\n") { try clear("\(schema.dropFirst(prefix.count))") }
  }

  /// The server's version, and those of its settings that the figures depend on.
  func settings() throws -> String {
    try psql(
      """
      SELECT 'PostgreSQL ' || split_part(current_setting('server_version'), ' ', 1) || '; '
        || string_agg(name || ' = ' || current_setting(name), ', ' ORDER BY name)
      FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', 'shared_buffers', 'max_wal_size')
      """)
  }

  /// The whole numbers in the one row that a query of a schema's tables gives.
  func counts(_ schema: String, _ sql: String) throws -> [Int] {
    try psql("SET search_path = \(name(schema))", "SET TimeZone = 'UTC'", sql)
      .split(separator: "|").map { Int($0) ?? -1 }
  }

  /// Runs a file of statements and rows in a schema.
  func run(_ script: String, in schema: String, rows: Int) throws -> JobOutcome {
    try workspace.run(
      program: "psql",
      arguments + ["-c", "SET search_path = \(name(schema)); SET TimeZone = 'UTC'", "-f", script], rows: rows)
  }

  /// Brings a schema's tables to rest: no run pays for the one before it, and each begins with statistics.
  func settle(_ schema: String) throws {
    let tables = try psql("SELECT tablename FROM pg_tables WHERE schemaname = '\(prefix)\(schema)'")
    try psql(tables.split(separator: "\n").map { "VACUUM ANALYZE \(name(schema)).\"\($0)\"" })
    // Not everybody may.
    _ = try? psql("CHECKPOINT")
  }

  private var arguments: [String] {
    ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", address.connection]
  }

  @discardableResult
  func psql(_ statements: String...) throws -> String { try psql(statements) }

  @discardableResult
  private func psql(_ statements: [String]) throws -> String {
    let child = try ChildProcess.run(
      "psql", arguments + statements.flatMap { ["-c", $0] }, in: workspace.path)
    guard child.status == 0 else {
      throw WrongResult("psql reports: \(child.errors.split(separator: "\n").first ?? "nothing")")
    }
    return child.output.trimmingCharacters(in: .newlines)
  }
}
