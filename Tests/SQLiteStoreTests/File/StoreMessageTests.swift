import Foundation
import GRDBSQLite
import ImportModel
@testable import SQLiteAccess
import SQLiteMaintenance
import SQLiteQueries
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Sentences about the store itself, word for word, each with its fault made for real.
struct StoreMessageTests {
  private let temporary: TemporaryStore
  private let pipeline = Quakes.pipeline()

  init() throws { temporary = try TemporaryStore() }

  private func error(_ body: () throws -> Void) throws -> StoreError {
    try #require(throws: StoreError.self) { try body() }
  }

  private func expect(_ error: StoreError, _ code: StoreError.Code, _ message: String, _ hint: String) {
    #expect(error.code == code)
    #expect(error.message == "\(temporary.path): \(message)")
    #expect(error.hint == hint)
  }

  @Test func `What a trigger says is one line`() {
    let error = StoreError(result: 19 | 7 << 8, text: "no\r\nError: x\n\u{2028}y")
    #expect(error.message.contains("no Error: x y") && !error.message.contains { $0.isNewline })
  }

  @Test func `What the machine lacks is no mistake of the program`() {
    let memory = StoreError(result: SQLITE_NOMEM, text: "out of memory")
    #expect(memory.code == .inputOutput && memory.message == "out of memory")
    #expect(
      memory.hint
        == "Committed chunks are safe. Run the same command again with more memory: no row is duplicated."
    )
    #expect(StoreError(result: SQLITE_ERROR, text: "unsupported file format").code == .corrupt)
    // SQLite does not say why; nor does the system, asked for a file that is there.
    #expect(StoreError.notOpened("/dev/null").message == "the store cannot be opened or created")
    let locks = StoreError(result: SQLITE_PROTOCOL, text: "locking protocol")
    #expect(
      locks.code == .inputOutput && locks.message == "reading or writing the store failed (locking protocol)")
  }

  @Test func `What a store says that lost a row of its own`() throws {
    let store = try temporary.open(pipeline)
    try store.take(pipeline, [["id": "a"]])
    let backup = "Restore it from a backup."
    try temporary.shell("CREATE TABLE kept AS SELECT * FROM bolide_property; DELETE FROM bolide_property")
    expect(
      try error { _ = try store.history(HistoryRequest()) }, .corrupt,
      "the store has no number for a name of its model", backup)
    try temporary.shell("INSERT INTO bolide_property SELECT * FROM kept; UPDATE bolide_model SET model = '{'")
    expect(
      try error { _ = try store.history(HistoryRequest()) }, .corrupt, "the store's model cannot be read",
      backup)
    try temporary.shell("DELETE FROM bolide_model")
    expect(
      try error { _ = try SQLiteImport(store, pipeline, input: "test") }, .corrupt, "the store has no model",
      backup)
    try temporary.shell("DELETE FROM bolide_store")
    expect(
      try error { _ = try store.history(HistoryRequest()) }, .corrupt,
      "the store has no identifier", backup)
  }

  @Test func `A file whose pages are overwritten is damaged`() throws {
    try temporary.open(pipeline).take(pipeline, [["id": "a"]])
    try temporary.shell("PRAGMA wal_checkpoint(TRUNCATE)")
    let file = try FileHandle(forUpdating: URL(filePath: temporary.path))
    try file.seek(toOffset: 16 << 10)
    try file.write(contentsOf: Data(repeating: 0xff, count: 4 * 16 << 10))
    try file.close()
    expect(
      try error { _ = try SQLiteEngine(reading: temporary.path).history(HistoryRequest()) }, .corrupt,
      "the store is damaged, or the disk cannot be read (database disk image is malformed)",
      "Check the system's log for disk errors. If the store is damaged, restore a backup, or "
        + "import into a new store. To see what is damaged, verify the store.")
  }

  @Test func `Rules and mistakes of other programs are told in SQLite's words`() throws {
    _ = try temporary.open(pipeline)
    let hint = "Committed chunks are safe. To find the problem, verify the store."
    try temporary.shell("CREATE UNIQUE INDEX mine ON Quake(place)")
    expect(
      try error {
        try temporary.open(pipeline).take(pipeline, [["id": "a", "place": "x"], ["id": "b", "place": "x"]])
      },
      .constraint, "a constraint of the store failed (UNIQUE constraint failed: Quake.place)", hint)
    try temporary.shell(
      "DROP INDEX mine; CREATE TRIGGER t AFTER INSERT ON Quake BEGIN SELECT zeroblob(3000000000); END")
    expect(
      try error { try temporary.open(pipeline).take(pipeline, [["id": "a"]]) }, .other,
      "SQLite reports: string or blob too big", hint)
  }

  @Test func `An entity's name that differs from the store's by case only`() throws {
    _ = try temporary.open(pipeline)
    var other = plainPipeline([Attribute(name: "id", type: .string, isRequired: true)])
    other.entity = "QUAKE"
    other.model.entities[0].name = "QUAKE"
    expect(
      try error { _ = try temporary.open(other) }, .modelChange,
      "the store has an entity Quake, which differs from QUAKE only by case",
      "Import into a new store, or change the pipeline to match this one.")
  }

  @Test func `A snapshot that cannot be put in place, and one that finds no quiet moment`() throws {
    let store = try temporary.open(pipeline)
    let folder = temporary.folder.appending(path: "taken").path(percentEncoded: false)
    try FileManager.default.createDirectory(atPath: folder + "/inner", withIntermediateDirectories: true)
    let placed = try error { _ = try store.writeSnapshot(of: [], to: folder) }
    #expect(placed.code == .readOnly)
    #expect(placed.message == "\(folder): the file cannot be replaced (Is a directory)")
    #expect(placed.hint == "Check the owner of its folder, or use another file.")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["inner"])
    // As if somebody wrote before each of the tries.
    var tries = 0
    let loud = try error {
      _ = try store.retryingUntilAssigned { _ in
        tries += 1
        return Int?.none
      }
    }
    #expect(tries == 100)
    #expect(loud.code == .busy)
    #expect(loud.message == "\(temporary.path): other programs write continuously")
    #expect(loud.hint == "Run the command again at a quieter time.")
  }

  @Test func `What SQLite finds wrong with the file is a finding`() throws {
    let store = try temporary.open(pipeline)
    try store.take(pipeline, [["id": "a"]])
    try temporary.shell(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, '"place" TEXT', '"place" TEXT NOT NULL') WHERE name = 'Quake';
      """)
    let findings = try SQLiteEngine(reading: temporary.path).findings().map(\.description)
    #expect(findings.first == "the file: NULL value in Quake.place")
  }
}
