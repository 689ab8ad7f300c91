import Bolide
import Foundation
import StoreInterface
import TestServer
import Testing

/// Another program's trigger keeps rows from being changed or deleted, without an error: whoever means to do it says that it is not
/// done, and leaves nothing half-made.
struct KeptRowsTests {
  private static let model = """
    bolide: 1
    name: quakes
    store: quakes.sqlite
    entity: Quake
    feed: full
    gone: delete
    max-missing: 100%
    key: id
    attributes:
      id:        integer64
      magnitude: double
      place:     { type: string, transient: true }
    link: { in: { to: { name: place } } }
    relationships: { in: { to-one: Region, inverse: quakes } }
    entities:
      Region:
        key: name
        attributes: { name: string, count: { derived: quakes.@count } }
        relationships: { quakes: { to-many: Quake, inverse: in } }

    """

  enum Place: CaseIterable { case file, server }

  private let pipeline: Pipeline
  private let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sqlite").path
  private let server: TestServer
  private let schema = "s\(UInt64.random(in: 0 ... .max))"

  init() throws {
    pipeline = try Pipeline(yaml: Self.model, file: "quakes.yaml", directory: ".")
    server = try TestServer.shared.get()
  }

  private func open(_ place: Place, for pipeline: Pipeline? = nil) throws -> any StoreEngine {
    try StoreAddress(place == .file ? file : server.address(schema: schema))
      .open(for: pipeline ?? self.pipeline, lockWait: 10)
  }

  /// Runs SQL as another program.
  private func run(_ sql: String, _ place: Place) throws {
    if place == .server { return _ = try server.psql("\(sql);", schema: schema) }
    let (process, errors) = (Process(), Pipe())
    process.standardError = errors
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sqlite3", "-bail", file, sql]
    try process.run()
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    if process.terminationStatus != 0 { throw Refusal(text: said) }
  }

  private struct Refusal: Error { let text: String }

  private func removeFile() {
    for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + end) }
  }

  /// What has all rows of an entity stay as they are.
  private func keeping(_ place: Place, _ entity: String = "Quake") -> String {
    place == .server
      ? """
      CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
      CREATE TRIGGER nothing BEFORE UPDATE OR DELETE ON "\(entity)" FOR EACH ROW EXECUTE FUNCTION nothing();
      """
      : ["UPDATE", "DELETE"].map {
        "CREATE TRIGGER no_\($0) BEFORE \($0) ON \(entity) BEGIN SELECT RAISE(IGNORE); END;"
      }.joined()
  }

  private func take(
    _ records: String, _ engine: any StoreEngine, _ pipeline: Pipeline? = nil
  ) throws -> ImportReport {
    try engine.run(
      pipeline ?? self.pipeline, on: [.bytes(records.utf8, name: "feed")], options: ImportOptions())
  }

  private func rows(_ engine: any StoreEngine) throws -> [String] {
    var rows: [String] = []
    for entity in ["Quake", "Region"] {
      try engine.readRows(ObjectQuery(entity), at: nil) { rows.append("\($0.values.map(\.value.text))") }
    }
    return rows
  }

  @Test(arguments: Place.allCases) func `what they are kept from is told`(_ place: Place) throws {
    defer { removeFile() }
    let engine = try open(place)
    let first = #"{"id": 1, "magnitude": 1, "place": "A"}"#
    let empty = try engine.newestToken()
    _ = try take(first + #"{"id": 2, "magnitude": 2, "place": "A"}"#, engine)
    let made = try engine.newestToken()
    _ = try take(first + #"{"id": 2, "magnitude": 3, "place": "A"}"#, engine)
    try run(keeping(place), place)
    let (before, token) = (try rows(engine), try engine.newestToken())
    var request = ObjectQuery("Quake")
    request.predicate = "id == 1"
    let said = "a trigger of another program keeps rows of Quake from being changed or deleted"
    func told(_ body: () throws -> Void) throws {
      let error = #expect(throws: (any Error).self) { try body() }
      let text =
        (error as? StoreError).map { "\($0.message). \($0.hint ?? "")" } ?? error.map { "\($0)" } ?? ""
      #expect(text.hasSuffix(": \(said). Drop the trigger, or have it raise an error."), "\(text)")
      #expect(try rows(engine) == before)
      #expect(try engine.newestToken() == token)
      try engine.verify { #expect($0.isTrue, "\($0)") }
    }
    try told { _ = try take(first + #"{"id": 2, "magnitude": 7, "place": "B"}"#, engine) }
    try told { _ = try take(first, engine) }
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
    defer { removeFile() }
    let isCopy = derivation == "in.name"
    let model =
      isCopy
      ? Self.model.replacing("count: { derived: quakes.@count }", with: "code: string")
        .replacing("magnitude: double", with: "magnitude: double\n  region: { derived: in.name }")
      : Self.model.replacing("quakes.@count", with: derivation)
    let pipeline = try Pipeline(yaml: model, file: "quakes.yaml", directory: ".")
    let engine = try open(place, for: pipeline)
    let first = #"{"id": 1, "magnitude": 1, "place": "A"}"#
    _ = try take(first, engine, pipeline)
    let kept = isCopy ? "Quake" : "Region"
    try run(keeping(place, kept), place)
    let (before, token) = (try rows(engine), try engine.newestToken())
    let said = "a trigger of another program keeps rows of \(kept) from being changed or deleted"
    func told(_ body: () throws -> Void) throws {
      let error = #expect(throws: (any Error).self) { try body() }
      #expect("\(error as Any)".contains(said), "\(error as Any)")
      #expect(try rows(engine) == before)
      #expect(try engine.newestToken() == token)
      try engine.verify { #expect($0.isTrue, "\($0)") }
    }
    var request = ObjectQuery(isCopy ? "Region" : "Quake")
    if isCopy {
      try told { _ = try engine.updateObjects(request, ObjectValues(["name": "B"]), EditOptions()) }
    } else {
      try told { _ = try take(first + #"{"id": 2, "magnitude": 2, "place": "A"}"#, engine, pipeline) }
      try told {
        _ = try take(#"{"id": 2, "magnitude": 2, "place": "A"}{"id": 3, "place": "A"}"#, engine, pipeline)
      }
      request.predicate = "id == 1"
      try told { _ = try engine.deleteObjects(request, EditOptions()) }
    }
    let statements =
      isCopy
      ? [#"UPDATE "Region" SET name = 'B'"#]
      : [
        #"INSERT INTO "Quake"(id, magnitude, in_id) VALUES (2, 2, 1)"#,
        #"INSERT INTO "Quake"(id, magnitude, in_id) VALUES (2, 2, 1), (3, 3, 1)"#,
      ]
    if place == .server || !derivation.hasSuffix("@max") {
      for statement in statements { try told { try run(statement, place) } }
      return
    }
    // The next command that writes computes what a file's triggers leave to it.
    try run(statements[0], place)
    #expect(throws: (any Error).self) { try take(first, engine, pipeline) }
    try run("DROP TRIGGER no_UPDATE", place)
    _ = try take(first, engine, pipeline)
    try engine.verify { #expect($0.isTrue, "\($0)") }
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
    defer { removeFile() }
    let (place, sql, said) = Self.refusals[index]
    let engine = try open(place)
    _ = try take(#"{"id": 1, "magnitude": 1}"#, engine)
    try run(sql, place)
    let imported = #expect(throws: (any Error).self) {
      try take(#"{"id": 1, "magnitude": 9}{"id": 9, "magnitude": 2}"#, engine)
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
    #expect(try rows(engine)[0].contains("1.0"))
  }

  @Test(arguments: Place.allCases) func `what refuses a deletion is told in its words`(_ place: Place) throws
  {
    defer { removeFile() }
    let engine = try open(place)
    _ = try take(#"{"id": 1, "magnitude": 1}"#, engine)
    try run(
      place == .file
        ? "CREATE TRIGGER no BEFORE DELETE ON Quake BEGIN SELECT RAISE(ABORT, 'not yet'); END"
        : """
        CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not yet'; END $$;
        CREATE TRIGGER no BEFORE DELETE ON "Quake" FOR EACH ROW EXECUTE FUNCTION no();
        """, place)
    let error = #expect(throws: StoreError.self) {
      try engine.deleteObjects(ObjectQuery("Quake"), EditOptions())
    }
    #expect(
      error?.reason
        == (place == .file ? "a constraint of the store failed (not yet)" : "PostgreSQL says: not yet"))
    #expect(error?.code == .constraint)
  }

  @Test(arguments: ["Quake", "Region"]) func `keys that a trigger changes`(entity: String) throws {
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
    try store.psql(
      """
      CREATE FUNCTION lower() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.name := lower(NEW.name); RETURN NEW; END';
      CREATE TRIGGER lower BEFORE INSERT ON "\(entity)" FOR EACH ROW EXECUTE FUNCTION lower();
      """)
    let token = try store.engine.newestToken()
    let error = #expect(throws: ImportError.self) { try store.take([#"{"name": "A", "place": "B"}"#]) }
    let said =
      ": a trigger of another program changes the keys of new rows of \(entity): the next import would not find them. "
      + "Drop the trigger, and change the key in the pipeline, with an expression."
    #expect(error.map { "\($0)".hasSuffix(said) } == true)
    #expect(try store.changes(after: token) == [])
    try store.take([#"{"name": "a", "place": "b"}"#])
    #expect(try store.take([#"{"name": "a", "place": "b"}"#]).progress.counts.unchanged == 1)
  }
}
