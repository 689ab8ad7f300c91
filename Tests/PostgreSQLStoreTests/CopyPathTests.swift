import Bolide
import Foundation
import StoreInterface
import TestServer
import Testing

/// A copy along several relationships or of what holds a child, or a sum over what many hold, is taken while another program changes
/// what it follows.
struct CopyPathTests {
  private static let model = """
    bolide: 1
    name: quakes
    entity: Quake
    key: id
    attributes:
      id:     integer64
      code:   string
      place:  { type: string, transient: true }
      land:   { derived: in.of.name }
      spelt:  { derived: canonical:(in.of.name) }
      weight: { derived: tags.weight.@sum }
    link:
      in: { to: { name: place } }
    relationships:
      in:   { to-one: Region, inverse: quakes }
      tags: { to-many: Tag, inverse: quakes }
    children:
      shocks:
        entity: Shock
        inverse: quake
        on-delete: cascade
        key: [number, quake]
        attributes:
          number:    integer64
          quakeCode: { derived: quake.code }
          quakeLand: { derived: quake.in.of.name }
    entities:
      Region:
        key: name
        attributes: { name: string }
        relationships:
          quakes: { to-many: Quake, inverse: in }
          of:     { to-one: Land, inverse: regions }
      Tag:
        key: name
        attributes: { name: string, weight: integer64 }
        relationships: { quakes: { to-many: Quake, inverse: tags } }
      Land:
        key: name
        attributes: { name: string }
        relationships: { regions: { to-many: Region, inverse: of } }

    """

  /// - Parameter first: the id of the first land and tag.
  private func store(from first: Int = 1) throws -> ServerStore {
    let store = try ServerStore(Self.model)
    try store.take([#"{"id": 1, "code": "a", "place": "A", "shocks": [{"number": 1}]}"#])
    try store.psql(
      """
      INSERT INTO "Land"(bolide_id, name) VALUES (\(first), 'Old'), (\(first + 1), 'Other');
      INSERT INTO "Tag"(bolide_id, name, weight) VALUES (\(first), 't', 1);
      UPDATE "Region" SET of_id = (SELECT bolide_id FROM "Land" WHERE name = 'Old');
      """)
    try store.engine.assignPendingChanges()
    return store
  }

  /// What another program changes, and what somebody does meanwhile.
  enum Race: String, CaseIterable {
    case insert, insertMany, relink, relinkMany, relinkBetween, relinkManyBetween
    case importRow, importAgain, importChild, write, link, tag, tagMany, tagByLink

    /// What another program changes.
    var change: String {
      switch self {
      case .importChild: #"UPDATE "Quake" SET code = 'b' WHERE id = 1"#
      case .tag, .tagMany, .tagByLink: #"UPDATE "Tag" SET weight = 7 WHERE name = 't'"#
      default: #"UPDATE "Land" SET name = 'New' WHERE name = 'Old'"#
      }
    }

    func act(on store: ServerStore) throws {
      switch self {
      case .insert: try store.psql(#"INSERT INTO "Quake"(id, in_id) VALUES (2, 1)"#)
      case .insertMany: try store.psql(#"INSERT INTO "Quake"(id, in_id) VALUES (2, 1), (3, 1)"#)
      case .relink: try store.psql(#"UPDATE "Quake" SET in_id = 1 WHERE id = 8"#)
      case .relinkMany: try store.psql(#"UPDATE "Quake" SET in_id = 1 WHERE id IN (8, 9)"#)
      case .relinkBetween: try store.psql(#"UPDATE "Region" SET of_id = 1 WHERE name = 'B'"#)
      case .relinkManyBetween: try store.psql(#"UPDATE "Region" SET of_id = 1 WHERE name IN ('B', 'C')"#)
      case .importRow: try store.take([#"{"id": 2, "place": "A"}"#])
      case .importAgain: try store.take([#"{"id": 8, "place": "A"}"#])
      case .importChild:
        try store.take([#"{"id": 1, "shocks": [{"number": 2}]}"#])
      case .write:
        _ = try store.engine.writeObject(
          "Quake", ObjectValues(["id": 2]), links: ["in": ObjectValues(["name": "A"])],
          .insert, EditOptions())
      case .link:
        _ = try store.engine.linkObjects(
          ObjectQuery("Quake", where: "id = 8"), "in", .to(["name": .text("A")]), EditOptions())
      case .tag: try store.psql(#"INSERT INTO "Quake_tags"(quakes_id, tags_id) VALUES (2, 1)"#)
      case .tagMany: try store.psql(#"INSERT INTO "Quake_tags"(quakes_id, tags_id) VALUES (2, 1), (3, 1)"#)
      case .tagByLink:
        _ = try store.engine.linkObjects(
          ObjectQuery("Quake", where: "id = 8"), "tags", .to(["name": .text("t")]), EditOptions())
      }
    }
  }

  @Test(.timeLimit(.minutes(5)), arguments: Race.allCases)
  func `what is copied is what the other program leaves`(race: Race) throws {
    let store = try store()
    try store.psql(
      """
      INSERT INTO "Region"(name, of_id) VALUES ('B', 2), ('C', 2);
      INSERT INTO "Quake"(id, in_id) VALUES (8, 2), (9, 3);
      INSERT INTO "Shock"(number, quake_id) SELECT 5, bolide_id FROM "Quake" WHERE id = 8;
      """)
    try store.engine.assignPendingChanges()
    let other = try OtherProgram(on: store.server, schema: store.schema)
    try store.hold("\(race.change);", by: other)
    let outcome = ImportOutcome()
    Thread {
      outcome.set(
        Result {
          try race.act(on: store)
          return 0
        })
    }.start()
    // Who does not wait has read what was there before: then it is over at once.
    while try outcome.result == nil
      && store.psql(
        """
        SELECT EXISTS (SELECT FROM pg_locks AS l, pg_stat_activity AS a
          WHERE \(store.isHeld) AND l.pid = ANY (pg_blocking_pids(a.pid)))
        """) != "t"
    { usleep(20_000) }
    try other.send("COMMIT;")
    #expect(try other.end())
    outcome.wait()
    _ = try outcome.result?.get()
    try store.engine.assignPendingChanges()
    #expect(try store.engine.verified() == [])
    #expect(
      try store.psql(#"SELECT DISTINCT land, spelt FROM "Quake" WHERE in_id = 1"#)
        == (race.change.contains("New") ? "New|new" : "Old|old"))
  }

  @Test(arguments: ["REPEATABLE READ", "SERIALIZABLE"], [1, -7])
  func `what comes in behind the snapshot of who changes what it follows is brought up to date`(
    isolation: String, first: Int
  ) throws {
    let store = try store(from: first)
    let other = try OtherProgram(on: store.server, schema: store.schema)
    try store.hold("SELECT count(*) FROM \"Quake\";", by: other, isolation: isolation)
    try store.psql(
      """
      INSERT INTO "Quake"(bolide_id, id, in_id) VALUES (\(first + 1), 2, 1);
      INSERT INTO "Shock"(number, quake_id) VALUES (2, 1);
      INSERT INTO "Quake_tags"(quakes_id, tags_id) VALUES (\(first + 1), \(first));
      """)
    try store.engine.assignPendingChanges()
    try other.send(
      """
      UPDATE "Land" SET name = 'New' WHERE name = 'Old'; UPDATE "Quake" SET code = 'b' WHERE id = 1;
      UPDATE "Tag" SET weight = 7; COMMIT;
      """)
    #expect(try other.end())
    try store.engine.assignPendingChanges()
    #expect(try store.engine.verified() == [])
    #expect(try store.psql(#"SELECT DISTINCT land, spelt FROM "Quake""#) == "New|new")
    #expect(try store.psql(#"SELECT DISTINCT "quakeLand", "quakeCode" FROM "Shock""#) == "New|b")
    #expect(try store.psql(#"SELECT weight FROM "Quake" WHERE id = 2"#) == "7")
  }
}
