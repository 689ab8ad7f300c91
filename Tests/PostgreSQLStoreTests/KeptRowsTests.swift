import Bolide
import StoreInterface
import Testing

/// Another program's trigger keeps rows from being changed or deleted, without an error: whoever means to do it says that it is not
/// done, and leaves nothing half-made.
struct KeptRowsTests {
  typealias Place = KeptStore.Place

  @Test(arguments: Place.allCases) func `what they are kept from is told`(_ place: Place) throws {
    let store = try KeptStore(place)
    let engine = store.engine
    let first = #"{"id": 1, "magnitude": 1, "place": "A"}"#
    let empty = try engine.newestToken()
    try store.take(first + #"{"id": 2, "magnitude": 2, "place": "A"}"#)
    let made = try engine.newestToken()
    try store.take(first + #"{"id": 2, "magnitude": 3, "place": "A"}"#)
    try store.keep()
    var request = ObjectQuery("Quake")
    request.predicate = "id == 1"
    func told(_ body: () throws -> Void) throws { try store.expectKept("Quake", body) }
    try told { try store.take(first + #"{"id": 2, "magnitude": 7, "place": "B"}"#) }
    try told { try store.take(first) }
    try told { _ = try engine.updateObjects(request, ObjectValues(["magnitude": 9.0]), EditOptions()) }
    try told { _ = try engine.deleteObjects(request, EditOptions()) }
    try told { _ = try engine.erase("Quake", .key(["1"]), EditOptions(), lockWait: 10) }
    try told { _ = try engine.revert(.token(empty), force: true, EditOptions()) }
    try told { _ = try engine.revert(.token(made), force: true, EditOptions()) }
  }

  /// What is derived in an object that is kept as it is would be false.
  @Test(
    arguments: Place.allCases,
    ["quakes.@count", "quakes.magnitude.@max", "quakes.magnitude.@sum", "in.name"])
  func `an object whose derived attributes change is kept from it`(_ place: Place, _ derivation: String)
    throws
  {
    let isCopy = derivation == "in.name"
    let store = try KeptStore(
      place,
      isCopy
        ? KeptStore.model.replacing("count: { derived: quakes.@count }", with: "code: string")
          .replacing("magnitude: double", with: "magnitude: double\n  region: { derived: in.name }")
        : KeptStore.model.replacing("quakes.@count", with: derivation))
    let first = #"{"id": 1, "magnitude": 1, "place": "A"}"#
    try store.take(first)
    let kept = isCopy ? "Quake" : "Region"
    try store.keep(kept)
    func told(_ body: () throws -> Void) throws { try store.expectKept(kept, body) }
    var request = ObjectQuery(isCopy ? "Region" : "Quake")
    if isCopy {
      try told { _ = try store.engine.updateObjects(request, ObjectValues(["name": "B"]), EditOptions()) }
    } else {
      try told { try store.take(first + #"{"id": 2, "magnitude": 2, "place": "A"}"#) }
      try told { try store.take(#"{"id": 2, "magnitude": 2, "place": "A"}{"id": 3, "place": "A"}"#) }
      request.predicate = "id == 1"
      try told { _ = try store.engine.deleteObjects(request, EditOptions()) }
    }
    let statements =
      isCopy
      ? [#"UPDATE "Region" SET name = 'B'"#]
      : [
        #"INSERT INTO "Quake"(id, magnitude, in_id) VALUES (2, 2, 1)"#,
        #"INSERT INTO "Quake"(id, magnitude, in_id) VALUES (2, 2, 1), (3, 3, 1)"#,
      ]
    if place == .server || !derivation.hasSuffix("@max") {
      for statement in statements {
        try store.expectKept(kept, isCommand: false) { try store.run(statement) }
      }
      return
    }
    // The next command that writes computes what a file's triggers leave to it.
    try store.run(statements[0])
    #expect(throws: (any Error).self) { try store.take(first) }
    try store.run("DROP TRIGGER no_UPDATE")
    try store.take(first)
    try store.engine.verify { #expect($0.isTrue, "\($0)") }
  }

  /// A constraint or a trigger of another program's, and what is said of a magnitude of 9.
  private static let refusals: [(place: Place, sql: String, said: String)] = [
    (
      .server, #"ALTER TABLE "Quake" ADD CONSTRAINT small CHECK (magnitude < 9)"#,
      #"PostgreSQL says: new row for relation "Quake" violates check constraint "small""#
    ),
    (
      .server,
      """
      CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not that large'; END $$;
      CREATE TRIGGER no BEFORE UPDATE ON "Quake" FOR EACH ROW EXECUTE FUNCTION no();
      """, "PostgreSQL says: not that large"
    ),
    (
      .server,
      #"INSERT INTO "Quake"(id, magnitude) VALUES (9, 9); CREATE UNIQUE INDEX one ON "Quake"(magnitude)"#,
      #"PostgreSQL says: duplicate key value violates unique constraint "one""#
    ),
    (
      .file, "CREATE TRIGGER no BEFORE UPDATE ON Quake BEGIN SELECT RAISE(ABORT, 'not that large'); END",
      "a constraint of the store failed (not that large)"
    ),
  ]

  @Test(arguments: refusals.indices) func `what refuses a value is told in its words`(_ index: Int) throws {
    let (place, sql, said) = Self.refusals[index]
    let store = try KeptStore(place)
    let engine = store.engine
    try store.take(#"{"id": 1, "magnitude": 1}"#)
    try store.run(sql)
    let imported = #expect(throws: (any Error).self) {
      try store.take(#"{"id": 1, "magnitude": 9}{"id": 9, "magnitude": 2}"#)
    }
    #expect("\(imported as Any)".contains(said), "\(imported as Any)")
    var request = ObjectQuery("Quake")
    request.predicate = "id == 1"
    let edited = #expect(throws: StoreError.self) {
      try engine.updateObjects(request, ObjectValues(["magnitude": 9.0]), EditOptions())
    }
    let isTaken = sql.contains("UNIQUE")
    #expect(
      edited?.reason
        == (isTaken ? "another Quake has the same key or the same unique values: nothing was changed" : said))
    #expect(edited?.code == .constraint)
    #expect(try store.rows()[0].contains("1.0"))
  }

  @Test(arguments: Place.allCases) func `what refuses a deletion is told in its words`(_ place: Place) throws
  {
    let store = try KeptStore(place)
    let engine = store.engine
    try store.take(#"{"id": 1, "magnitude": 1}"#)
    try store.run(
      place == .file
        ? "CREATE TRIGGER no BEFORE DELETE ON Quake BEGIN SELECT RAISE(ABORT, 'not yet'); END"
        : """
        CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not yet'; END $$;
        CREATE TRIGGER no BEFORE DELETE ON "Quake" FOR EACH ROW EXECUTE FUNCTION no();
        """)
    let error = #expect(throws: StoreError.self) {
      try engine.deleteObjects(ObjectQuery("Quake"), EditOptions())
    }
    #expect(
      error?.reason
        == (place == .file ? "a constraint of the store failed (not yet)" : "PostgreSQL says: not yet"))
    #expect(error?.code == .constraint)
  }

  private static let lowering = "BEFORE INSERT|NEW.name := lower(NEW.name); RETURN NEW;"
  private static let deleting = #"AFTER INSERT|DELETE FROM "Quake" WHERE name = NEW.name; RETURN NULL;"#

  @Test(arguments: [("Quake", lowering), ("Region", lowering), ("Quake", deleting)])
  func `keys that a trigger changes or deletes`(entity: String, trigger: String) throws {
    let store = try ServerStore(
      """
      bolide: 1
      name: quakes
      entity: Quake
      key: name
      attributes: { name: string, place: { type: string, transient: true } }
      link: { in: { to: { name: place } } }
      relationships: { in: { to-one: Region, inverse: quakes } }
      entities:
        Region:
          key: name
          attributes: { name: string }
          relationships: { quakes: { to-many: Quake, inverse: in } }

      """)
    let parts = trigger.split(separator: "|")
    try store.psql(
      """
      CREATE FUNCTION other() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN \(parts[1]) END';
      CREATE TRIGGER other \(parts[0]) ON "\(entity)" FOR EACH ROW EXECUTE FUNCTION other();
      """)
    let token = try store.engine.newestToken()
    let error = #expect(throws: ImportError.self) { try store.take([#"{"name": "A", "place": "B"}"#]) }
    let said =
      ": a trigger of another program changes or deletes new rows of \(entity): the next import would not find their keys. "
      + "Drop the trigger, and change the key in the pipeline, with an expression."
    #expect(error.map { "\($0)".hasSuffix(said) } == true)
    #expect(try store.changes(after: token) == [])
    if trigger == Self.deleting { try store.psql(#"DROP TRIGGER other ON "\#(entity)""#) }
    try store.take([#"{"name": "a", "place": "b"}"#])
    #expect(try store.take([#"{"name": "a", "place": "b"}"#]).progress.counts.unchanged == 1)
  }
}
