import Bolide
import Foundation
import RandomHistories
import StoreInterface
import TestServer
import Testing

/// Statements of one row take a shorter way through the triggers: it comes to the same as that for many rows.
struct ForeignRowTests {
  @Test(
    arguments: [
      (ServerStore.quakes, "READ COMMITTED"), (ServerStore.quakes, "REPEATABLE READ"),
      (sums, "READ COMMITTED"),
    ],
    0..<3 * LongRun.seeds)
  func `single rows come to the same as the same rows in one statement`(
    _ store: (model: String, isolation: String), seed: Int
  ) throws {
    let isolation = store.isolation
    let (one, many) = (try ServerStore(store.model), try ServerStore(store.model))
    let feed = (1...24).map { id in
      #"{"id": \#(id), "magnitude": \#(id % 9), "seen": "2026-01-0\#(1 + id % 9)", "place": "\#("ABC".map(String.init)[id % 3])"}"#
    }
    for store in [one, many] { try store.take(feed) }
    let tokens = (try one.engine.newestToken(), try many.engine.newestToken())
    var dice = Dice(seed)
    for _ in 1...3 {
      let begin = "BEGIN ISOLATION LEVEL \(isolation);"
      var statements = (one: [begin], many: [begin])
      for _ in 1...dice.int(1...4) {
        let ids = [dice.int(1...12), dice.int(13...24)]
        let change = dice.change()
        func run(_ ids: [Int]) -> String {
          change.replacing("IDS", with: ids.map(String.init).joined(separator: ", "))
        }
        statements.one += ids.map { run([$0]) }
        statements.many.append(run(ids))
      }
      try one.psql((statements.one + ["COMMIT;"]).joined(separator: "\n"))
      try many.psql((statements.many + ["COMMIT;"]).joined(separator: "\n"))
    }
    #expect(try one.changes(after: tokens.0).sorted() == many.changes(after: tokens.1).sorted())
    var columns = Self.rows
    // What the model does not have.
    if store.model == Self.sums { columns.replace(#/, (region|largest|strong)\b/#, with: "") }
    let rows = (try one.psql(columns), try many.psql(columns))
    #expect(rows.0 == rows.1)
    for store in [one, many] { #expect(try store.engine.verified() == []) }
  }

  /// Objects that count one another, an average of these counts, and an extreme of the averages: one statement inside another changes
  /// the same object.
  private static let chain = """
    bolide: 1
    name: chain
    store: chain.sqlite
    entity: Ant
    key: id
    attributes:
      id:   integer64
      nest: { type: string, transient: true }
      size: { derived: below.@count }
      mean: { derived: below.size.@average }
    link: { in: { to: { name: nest } } }
    relationships:
      in:    { to-one: Nest, inverse: ants }
      above: { to-many: Ant, inverse: below }
      below: { to-many: Ant, inverse: above }
    entities:
      Nest:
        key: name
        attributes:
          name:  string
          least: { derived: ants.mean.@min }
        relationships: { ants: { to-many: Ant, inverse: in } }
    """

  @Test(arguments: ["4", "3), (4"]) func `extremes follow what is derived of the rows meanwhile`(
    above: String
  ) throws {
    let store = try ServerStore(Self.chain)
    try store.take((1...4).map { #"{"id": \#($0), "nest": "a"}"# }, model: Self.chain)
    let (table, columns) = (#""Ant_above""#, "above_id, below_id")
    for statement in [
      "INSERT INTO \(table)(\(columns)) SELECT o.id, a.bolide_id FROM \"Ant\" AS a, (VALUES (\(above))) AS o(id)",
      "DELETE FROM \(table) WHERE below_id <> 2", "DELETE FROM \(table)",
    ] {
      try store.psql(statement)
      #expect(try store.engine.verified() == [], "\(statement)")
    }
  }

  private static let rows = """
    SELECT id, code, magnitude, depth, seen, in_id, region FROM "Quake" ORDER BY id;
    SELECT name, plain, "count", total, mean, largest, strong, trim_scale(bolide_sum_total), bolide_n_mean FROM "Region" ORDER BY name;
    """

  /// Another program's trigger, which changes more of an owner than what is derived.
  private static let touch = """
    CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.touches := coalesce(OLD.touches, 0) + 1; RETURN NEW; END';
    CREATE TRIGGER touch BEFORE UPDATE ON "Region" FOR EACH ROW EXECUTE FUNCTION touch();
    """

  /// The model without what has to look at owners, or at objects: the owner of one row is noted with it.
  private static let sums = ServerStore.quakes
    .replacing("      name:    string\n", with: "      name:    string\n      touches: integer64\n")
    .split(separator: "\n").filter { line in
      !["region:", "touched:", "largest:", "strong:"].contains {
        line.contains($0) && line.contains("derived")
      }
    }.joined(separator: "\n")

  @Test func `the owner that is noted with its row has the history that its own trigger would write`() throws
  {
    let store = try ServerStore(Self.sums)
    try store.take((1...3).map { #"{"id": \#($0), "magnitude": \#($0), "place": "A"}"# })
    let isNoted = "pg_get_triggerdef(oid) LIKE '%bolide_is_to_note%'"
    let noted = try store.psql(
      "SELECT tgrelid::regclass, tgname FROM pg_trigger WHERE \(isNoted) AND tgrelid = '\"Region\"'::regclass"
    )
    var token = try store.engine.newestToken()
    func said(_ statements: String) throws -> [String] {
      try store.psql(statements)
      let changes = try store.changes(after: token)
      token = try store.engine.newestToken()
      return changes
    }
    #expect(noted == "\"Region\"|bolide_after_update")
    #expect(
      try said(#"UPDATE "Quake" SET magnitude = 0.5 WHERE id = 1"#)
        == ["update Quake 1 magnitude 1.0", "update Region A total 6.0 mean 2.0"])
    #expect(
      try said(#"INSERT INTO "Quake"(id, in_id) VALUES (4, 1)"#) == [
        "insert Quake 4", "update Region A count 3",
      ])
    #expect(
      try said(#"DELETE FROM "Quake" WHERE id = 3"#)
        == ["delete Quake 3", "update Region A count 4 total 5.5 mean 1.8333333333333333"])
    // The sum becomes another one, and the double that is nearest to it does not.
    #expect(
      try said(#"UPDATE "Quake" SET magnitude = 5e-324 WHERE id = 4"#)
        == ["update Quake 4 magnitude null", "update Region A mean 1.25"])
    // What comes behind it in the same transaction is noted as ever.
    #expect(
      try said(
        #"BEGIN; UPDATE "Quake" SET magnitude = 3 WHERE id = 2; UPDATE "Region" SET name = 'B'; UPDATE "Quake" SET magnitude = 4 WHERE id = 2; COMMIT"#
      ) == [
        "update Quake 2 magnitude 2.0", "update Region B total 2.5 mean 0.8333333333333334 name A",
        "update Region B plain a",
      ])
    // So it is where another program has a trigger on the owner, which changes more than the differences say.
    try store.psql(Self.touch)
    #expect(
      try said(#"UPDATE "Quake" SET magnitude = 5 WHERE id = 2"#)
        == ["update Quake 2 magnitude 4.0", "update Region B touches null total 4.5 mean 1.5"])
    #expect(try store.engine.verified() == [])
  }

  /// The server calls it for a statement that meets no row, too, such as the one that asks whether the owner's table has others.
  @Test func `what another program's trigger on the owner's table writes elsewhere is noted`() throws {
    let store = try ServerStore(
      """
      bolide: 1
      name: quakes
      entity: Quake
      key: id
      attributes:
        id:        integer64
        magnitude: double
        place:     string
      link:
        region: { to: { name: place } }
      relationships:
        region: { to-one: Region, inverse: quakes }
      entities:
        Region:
          key: name
          attributes:
            name:  string
            depth: integer64
            total: { derived: quakes.magnitude.@sum }
          relationships:
            quakes:  { to-many: Quake, inverse: region }
            country: { to-one: Country, inverse: regions }
        Country:
          key: name
          attributes:
            name: string
            note: string
            depth: { derived: regions.depth.@sum }
          relationships:
            regions: { to-many: Region, inverse: country }

      """)
    try store.take([#"{"id": 1, "magnitude": 1, "place": "A"}"#])
    try store.psql(
      """
      INSERT INTO "Country"(name) VALUES ('L'); UPDATE "Region" SET country_id = c.bolide_id FROM "Country" AS c;
      CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN UPDATE "Country" SET note = 'told'; RETURN NULL; END $$;
      CREATE TRIGGER tell AFTER UPDATE ON "Region" FOR EACH STATEMENT EXECUTE FUNCTION tell();
      """)
    try store.engine.assignPendingChanges()
    let token = try store.engine.newestToken()
    try store.psql(#"UPDATE "Quake" SET magnitude = 2"#)
    let changes = try store.changes(after: token)
    #expect(
      changes == ["update Country L note null", "update Quake 1 magnitude 1.0", "update Region A total 1.0"])
    #expect(try store.engine.history(HistoryRequest(after: token)).count == 1)
    #expect(try store.engine.verified() == [])
  }

  /// A session keeps the plan of the owner's update, which another session's trigger makes void.
  @Test(arguments: [1, 3, 12])
  func `a trigger that comes upon the owner's table is seen by sessions that are at work`(statements: Int)
    throws
  {
    let store = try ServerStore(Self.sums)
    try store.take([#"{"id": 1, "magnitude": 1, "place": "A"}"#])
    let other = try OtherProgram(on: store.server, schema: store.schema)
    func isDone(_ magnitude: Int) throws -> Bool {
      try store.psql(#"SELECT magnitude FROM "Quake""#) == "\(magnitude)"
    }
    for number in 1...statements { try other.send(#"UPDATE "Quake" SET magnitude = \#(number + 1);"#) }
    while try !isDone(statements + 1) { usleep(10_000) }
    try store.psql(Self.touch)
    try store.engine.assignPendingChanges()
    let token = try store.engine.newestToken()
    try other.send(#"UPDATE "Quake" SET magnitude = 50;"#)
    while try !isDone(50) { usleep(10_000) }
    try store.psql(#"DROP TRIGGER touch ON "Region""#)
    try other.send(#"UPDATE "Quake" SET magnitude = 60;"#)
    #expect(try other.end())
    let was = statements + 1
    #expect(
      try store.changes(after: token) == [
        "update Quake 1 magnitude \(was).0", "update Region A touches null total \(was).0 mean \(was).0",
        "update Quake 1 magnitude 50.0", "update Region A total 50.0 mean 50.0",
      ])
  }

  @Test func `a transaction goes on behind a savepoint that is rolled back, and is one in history`() throws {
    let store = try ServerStore()
    try store.take([#"{"id": 1, "magnitude": 4, "place": "A"}"#, #"{"id": 2, "place": "A"}"#])
    let token = try store.engine.newestToken()
    try store.psql(
      """
      BEGIN;
      SAVEPOINT first; UPDATE "Quake" SET code = 'x' WHERE id = 1; ROLLBACK TO first;
      UPDATE "Quake" SET code = 'y' WHERE id = 2;
      SAVEPOINT second; UPDATE "Quake" SET magnitude = 7 WHERE id = 1; ROLLBACK TO second;
      UPDATE "Quake" SET code = 'z' WHERE id = 1;
      COMMIT;
      """)
    let changes = try store.changes(after: token)
    #expect(changes == ["update Quake 2 code null", "update Quake 1 code null"])
    #expect(try store.engine.newestToken().number == token.number + 1)
    #expect(try store.psql(#"SELECT total, "count" FROM "Region""#) == "4|2")
  }

  @Test func `what one transaction does to a row in several statements is one change of it`() throws {
    let store = try ServerStore()
    try store.take((1...3).map { #"{"id": \#($0), "magnitude": \#($0), "place": "A"}"# })
    let token = try store.engine.newestToken()
    try store.psql(
      """
      BEGIN;
      UPDATE "Quake" SET magnitude = 8 WHERE id = 1; UPDATE "Quake" SET code = 'x', magnitude = 9 WHERE id = 1;
      UPDATE "Quake" SET code = 'x' WHERE id = 2; DELETE FROM "Quake" WHERE id = 2;
      DELETE FROM "Quake" WHERE id = 3; INSERT INTO "Quake"(id, in_id) VALUES (4, 1); DELETE FROM "Quake" WHERE id = 4;
      COMMIT;
      """)
    let changes = try store.changes(after: token).sorted()
    #expect(
      changes == [
        "delete Quake 2", "delete Quake 3",
        "update Quake 1 magnitude 1.0 code null",
        "update Region A total 6.0 mean 2.0 largest 3.0 strong 0 count 3",
      ])
    #expect(try store.psql(#"SELECT "count", total, mean, largest, strong FROM "Region""#) == "1|9|9|9|1")
  }

  @Test func `a statement that changes nothing leaves no transaction`() throws {
    let store = try ServerStore()
    try store.take([#"{"id": 1, "magnitude": 4, "place": "A"}"#])
    let token = try store.engine.newestToken()
    try store.psql(
      #"UPDATE "Quake" SET magnitude = 4 WHERE id = 1; UPDATE "Quake" SET code = 'x' WHERE id = 7"#)
    try store.engine.assignPendingChanges()
    #expect(try store.engine.newestToken() == token)
  }

  /// A server keeps a function's plans for the session: one made for a row would go through a large statement's rows once for each.
  @Test func `a large statement behind small ones is not planned as a small one`() throws {
    let store = try ServerStore()
    try store.take((1...300).map { #"{"id": \#($0), "magnitude": 1, "place": "A"}"# })
    let small = (1...9).map { #"UPDATE "Quake" SET magnitude = 2 WHERE id = \#($0);"# }.joined(
      separator: "\n")
    let plans = try store.psql(
      """
      \(small)
      LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on;
      SET client_min_messages = log;
      UPDATE "Quake" SET magnitude = 3;
      """)
    let steps = plans.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    let history = try #require(steps.firstIndex { $0.contains("Insert on bolide_change") })
    let joins = steps[history...].prefix { !$0.hasPrefix("CONTEXT") && !$0.hasPrefix("LOG") }
    #expect(joins.contains { $0.contains("Hash Join") || $0.contains("Merge Join") })
    #expect(try store.psql(#"SELECT total FROM "Region""#) == "900")
  }
}

extension Dice {
  /// A statement for the rows `IDS`.
  fileprivate mutating func change() -> String {
    let number = pick(["NULL", "0.1", "7.25", "-3", "1e300", "-1e300", "5e-324"])
    let owner = pick(["NULL", "1", "2", "3"])
    return pick([
      #"INSERT INTO "Quake"(id, magnitude, in_id) SELECT id, \#(number), \#(owner) FROM unnest(ARRAY[IDS]) AS id ON CONFLICT DO NOTHING;"#,
      #"DELETE FROM "Quake" WHERE id IN (IDS);"#,
      #"UPDATE "Quake" SET in_id = \#(owner) WHERE id IN (IDS);"#,
      #"UPDATE "Quake" SET in_id = \#(owner), magnitude = \#(number) WHERE id IN (IDS);"#,
      #"UPDATE "Quake" SET code = coalesce(code, '') || 'x', depth = id / 3.0 WHERE id IN (IDS);"#,
      #"UPDATE "Quake" SET seen = coalesce(seen, '2020-01-01T00:00:00Z') + interval '1 ms' WHERE id IN (IDS);"#,
      #"UPDATE "Quake" SET magnitude = \#(number) WHERE id IN (IDS);"#,
      #"UPDATE "Quake" SET magnitude = magnitude + 1 WHERE id IN (IDS);"#,
    ])
  }
}
