import Bolide
import Foundation
import GRDB
import SQLiteMaintenance
import SQLiteQueries
import SQLiteStore

/// A store with changed bytes, hostile values in Bolide's own tables, or another schema: whatever reads it ends, and what
/// SQLite's own check finds `verify` finds too.
final class StoreFuzz {
  private let folder: MemoryFolder
  private let whole: [UInt8]
  private let entities: [String]
  /// Bolide's own tables with their columns.
  private var columns: [(table: String, column: String)] = []
  private var path: String { folder.store }

  init() {
    do {
      folder = try MemoryFolder()
      let pipeline = try Pipeline(path: "pipelines/blog.yaml")
      entities = pipeline.model.entities.map(\.name)
      try Self.fill(folder.store, pipeline)
      let queue = try DatabaseQueue(path: folder.store)
      columns = try queue.writeWithoutTransaction { db in
        // One file, without a log.
        try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE")
        return try Row.fetchAll(
          db,
          sql: """
            SELECT m.name, c.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
            WHERE m.type = 'table' AND m.name GLOB 'bolide_*' ORDER BY 1, 2
            """
        ).map { ($0[0], $0[1]) }
      }
      try queue.close()
      whole = try Array(Data(contentsOf: URL(filePath: folder.store)))
    } catch {
      fault("\(error)")
    }
  }

  private static func fill(_ path: String, _ pipeline: Pipeline) throws {
    let store = try SQLiteEngine(blocking: path, for: pipeline, lockWait: 1)
    for source in [
      ImportSource.file("SampleData/blog.json"), .bytes("[{\"id\":1,\"title\":\"new\"},{}]".utf8),
    ] {
      _ = try store.run(pipeline, on: [source], options: ImportOptions())
    }
    try store.addReader("map", from: .beginning)
  }

  /// The first byte chooses how the store is changed.
  func run(_ bytes: [UInt8]) {
    var choices = Choices(bytes)
    var store = whole
    let first = choices.byte()
    let way = first % 4
    if way < 2 { damage(&store, &choices) }
    for ending in ["-wal", "-shm", "-journal", "-bolide"] { unlink(path + ending) }
    _ = FileManager.default.createFile(atPath: path, contents: Data(store))
    if way >= 2, (try? write(&choices, intoSchema: way == 3)) == nil { return }
    read(first >> 2 & 7)
  }

  /// Writes bytes to the front or the end of pages, where their cells and pointers are.
  private func damage(_ store: inout [UInt8], _ choices: inout Choices) {
    let size = 16384
    while !choices.isEmpty {
      let page = choices.byte() % (store.count / size)
      let place = choices.number()
      let offset = place & 0x8000 == 0 ? place % size : size - 1 - place % 2000
      store[page * size + offset] = UInt8(choices.byte())
    }
  }

  /// Writes values into Bolide's tables, or a text into the schema, as any program can.
  private func write(_ choices: inout Choices, intoSchema: Bool) throws {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase {
      try $0.execute(sql: "PRAGMA ignore_check_constraints = ON; PRAGMA writable_schema = ON")
    }
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    defer { try? queue.close() }
    try queue.writeWithoutTransaction { db in
      if intoSchema {
        let row = choices.byte()
        let part = ["sql", "name", "tbl_name", "type"][choices.byte() % 4]
        let (old, new) = (choices.take(choices.byte() % 32), choices.text())
        try db.execute(
          sql: "UPDATE sqlite_schema SET \(part) = replace(\(part), ?, ?) WHERE rowid = ? + 1",
          arguments: [String(decoding: old, as: UTF8.self), new, row])
      } else {
        while !choices.isEmpty {
          let (table, column) = columns[choices.byte() % columns.count]
          let value = Self.value(&choices)
          try? db.execute(
            sql: "UPDATE \"\(table)\" SET \"\(column)\" = ? WHERE rowid % 3 = ?",
            arguments: [value, choices.byte() % 4])
        }
      }
    }
  }

  private static func value(_ choices: inout Choices) -> DatabaseValue {
    let kind = choices.byte()
    let bytes = choices.take(kind >> 3)
    switch kind % 8 {
    case 0: return .null
    case 1: return (bytes.reduce(Int64(0)) { $0 << 8 | Int64($1) }).databaseValue
    case 2: return (Double(String(decoding: bytes, as: UTF8.self)) ?? .infinity).databaseValue
    case 3: return Data(bytes).databaseValue
    case 4: return [Int64.min, .max, -1, 1 << 53][choices.byte() % 4].databaseValue
    default: return String(decoding: bytes, as: UTF8.self).databaseValue
    }
  }

  /// Opens the store and reads one part of it, so that more inputs have their turn. An error is an answer.
  private func read(_ part: Int) {
    guard let store = try? SQLiteEngine(reading: path) else { return }
    switch part {
    case 0: _ = try? store.schemaText()
    case 1: _ = try? store.status()
    case 2:
      let past = (try? store.namedReaders())?.first?.token
      for entity in entities {
        let request = ObjectQuery(entity)
        try? store.readCells(request, at: nil, begin: { _ in }, row: { _ in })
        if let past { _ = try? store.readCount(request, at: past) }
      }
    case 3, 4:
      var request = HistoryRequest()
      (request.isNet, request.includesValues) = (part == 4, true)
      try? store.readHistory(request, change: { _ in }, commit: { _ in })
    case 5: try? store.readSnapshot(of: [], begin: { _ in }, row: { _ in })
    case 6:
      try? store.readRejects(RejectFilter()) { _ in }
      _ = try? store.readMissing(of: nil) { _ in }
    default: verify(store)
    }
  }

  private func verify(_ store: SQLiteEngine) {
    var findings = 0
    guard (try? store.verify { _ in findings += 1 }) != nil, findings == 0 else { return }
    var configuration = Configuration()
    configuration.readonly = true
    let found = try? DatabaseQueue(path: path, configuration: configuration).read {
      try String.fetchAll($0, sql: "PRAGMA integrity_check")
    }
    guard found == ["ok"] else { fault("verify finds nothing, and SQLite \(found ?? ["no store"])") }
  }
}
