internal import GRDB
internal import GRDBSQLite
internal import ImportModel

/// A chunk as SQLite sees it: a virtual table without a copy, so that a statement works on a whole chunk.
///
///     column 0 ..< n       the chunk's columns, named as in its layout
///     bolide_place         the place in the current selection, from 0
///     bolide_id            the object id given to that place
///     bolide_link_0 …      the owner's object id for each link, NULL where there is none
///
/// What a scan sees is set before each statement: which rows, in which order, with which ids.
final class ChunkTable {
  private let view: UnsafeMutablePointer<ChunkView>

  /// The table's name in SQL.
  static let name = "temp.bolide_chunk"

  /// Makes the virtual table on a connection. Lives as long as the connection may use it.
  init(_ db: Database, layout: ChunkLayout) throws {
    // An import that was given up may have left its own.
    try db.run("DROP TABLE IF EXISTS \(Self.name)")
    view = .allocate(capacity: 1)
    view.initialize(to: ChunkView(layout: layout))
    let result = sqlite3_create_module_v2(db.sqliteConnection, "bolide_chunk", &chunkModule, view, nil)
    guard result == SQLITE_OK else { throw StoreError(connection: db.sqliteConnection) }
    try db.run("CREATE VIRTUAL TABLE \(Self.name) USING bolide_chunk")
  }

  /// Takes the virtual table off the connection again.
  func drop(_ db: Database) throws {
    try db.run("DROP TABLE IF EXISTS \(Self.name)")
  }

  deinit {
    view.pointee.storages.deallocate()
    view.deinitialize(count: 1)
    view.deallocate()
  }

  /// Shows some rows of a chunk to the statements that `body` runs.
  ///
  /// - Parameters:
  ///   - rows: the rows, in the order of the scan.
  ///   - ids: an object id for each place; empty when they follow `firstID` or no statement asks for them.
  ///   - firstID: the object id of the first place; the others follow.
  ///   - owners: for each link, the owner's object id by row of the chunk, 0 for none; empty likewise.
  func show<Result>(
    _ chunk: Chunk, rows: ArraySlice<Int32>, ids: [Int64] = [], firstID: Int64 = 0,
    owners: [[Int64]] = [], _ body: () throws -> Result
  ) rethrows -> Result {
    try rows.withUnsafeBufferPointer { rows in
      try ids.withUnsafeBufferPointer { ids in
        view.pointee.memory = chunk.memory
        view.pointee.rows = rows.baseAddress
        view.pointee.rowCount = rows.count
        view.pointee.ids = ids.isEmpty ? nil : ids.baseAddress
        view.pointee.firstID = firstID
        view.pointee.owners = owners
        defer {
          view.pointee.rowCount = 0
          view.pointee.owners = []
        }
        return try withExtendedLifetime(chunk) { try body() }
      }
    }
  }
}

/// What the callbacks below read. The pointers are those of the `show` under way.
private struct ChunkView {
  let columnCount: Int
  let storages: UnsafeMutablePointer<StorageClass>
  let declaration: String
  var memory: UnsafeMutablePointer<CellMemory>?
  var rows: UnsafePointer<Int32>?
  var rowCount = 0
  var ids: UnsafePointer<Int64>?
  var firstID: Int64 = 0
  var owners: [[Int64]] = []

  init(layout: ChunkLayout) {
    columnCount = layout.columns.count
    storages = .allocate(capacity: columnCount)
    for (index, column) in layout.columns.enumerated() { (storages + index).initialize(to: column.storage) }
    let columns = layout.columns.map { "\(quoted($0.name)) \($0.storage.sql)" }
    let links = layout.owners.indices.map { "bolide_link_\($0) INTEGER" }
    let all = columns + ["bolide_place INTEGER", "bolide_id INTEGER"] + links
    declaration = "CREATE TABLE chunk(\(all.joined(separator: ", ")))"
  }
}

// SQLite hands these structs back by the address of their first member.

private struct TableInstance {
  var base = sqlite3_vtab()
  var view: UnsafeMutablePointer<ChunkView>
}

private struct TableCursor {
  var base = sqlite3_vtab_cursor()
  var view: UnsafeMutablePointer<ChunkView>
  var place = 0
}

private func cursor(_ pointer: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> UnsafeMutablePointer<
  TableCursor
> {
  guard let pointer else { preconditionFailure("SQLite passes the cursor that it opened") }
  return UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: TableCursor.self)
}

private func connect(
  _ db: OpaquePointer?, _ view: UnsafeMutableRawPointer?,
  _ table: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?
) -> Int32 {
  guard let view, let table else { return SQLITE_MISUSE }
  let chunkView = view.assumingMemoryBound(to: ChunkView.self)
  let result = sqlite3_declare_vtab(db, chunkView.pointee.declaration)
  guard result == SQLITE_OK else { return result }
  let instance = UnsafeMutablePointer<TableInstance>.allocate(capacity: 1)
  instance.initialize(to: TableInstance(view: chunkView))
  table.pointee = UnsafeMutableRawPointer(instance).assumingMemoryBound(to: sqlite3_vtab.self)
  return SQLITE_OK
}

private func disconnect(_ table: UnsafeMutablePointer<sqlite3_vtab>?) -> Int32 {
  UnsafeMutableRawPointer(table)?.assumingMemoryBound(to: TableInstance.self).deallocate()
  return SQLITE_OK
}

private func column(
  _ cursorPointer: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ context: OpaquePointer?, _ column: Int32
) -> Int32 {
  let cursor = cursor(cursorPointer)
  let place = cursor.pointee.place
  let column = Int(column)
  let view = cursor.pointee.view
  guard let rows = view.pointee.rows, let memory = view.pointee.memory else { return SQLITE_MISUSE }
  let row = Int(rows[place])
  let columnCount = view.pointee.columnCount
  if column < columnCount {
    guard memory.pointee.state(column, row).pointee == CellState.value.rawValue else {
      sqlite3_result_null(context)
      return SQLITE_OK
    }
    let cell = memory.pointee.cell(column, row).pointee
    // Texts and blobs have no destructor: the bytes stay in the chunk for the whole statement.
    switch view.pointee.storages[column] {
    case .integer: sqlite3_result_int64(context, Int64(bitPattern: cell))
    case .real: sqlite3_result_double(context, Double(bitPattern: cell))
    case .text:
      let text = UnsafeRawPointer(memory.pointee.address(cell, column)).assumingMemoryBound(to: CChar.self)
      sqlite3_result_text64(context, text, cell & 0xffff_ffff, nil, UInt8(SQLITE_UTF8))
    case .blob:
      sqlite3_result_blob64(context, memory.pointee.address(cell, column), cell & 0xffff_ffff, nil)
    }
  } else if column == columnCount {
    sqlite3_result_int64(context, Int64(place))
  } else if column == columnCount + 1 {
    sqlite3_result_int64(context, view.pointee.ids?[place] ?? view.pointee.firstID + Int64(place))
  } else {
    let owner = view.pointee.owners[column - columnCount - 2][row]
    owner == 0 ? sqlite3_result_null(context) : sqlite3_result_int64(context, owner)
  }
  return SQLITE_OK
}

/// The module's callbacks. Never changed after its start; SQLite wants a mutable pointer all the same.
private nonisolated(unsafe) var chunkModule = {
  var module = sqlite3_module()
  module.xCreate = { db, view, _, _, table, _ in connect(db, view, table) }
  module.xConnect = { db, view, _, _, table, _ in connect(db, view, table) }
  module.xBestIndex = { _, index in
    index?.pointee.estimatedCost = 1e6
    index?.pointee.estimatedRows = 100_000
    return SQLITE_OK
  }
  module.xDisconnect = disconnect
  module.xDestroy = disconnect
  module.xOpen = { table, result in
    guard let table, let result else { return SQLITE_MISUSE }
    let instance = UnsafeMutableRawPointer(table).assumingMemoryBound(to: TableInstance.self)
    let cursor = UnsafeMutablePointer<TableCursor>.allocate(capacity: 1)
    cursor.initialize(to: TableCursor(view: instance.pointee.view))
    result.pointee = UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
    return SQLITE_OK
  }
  module.xClose = { pointer in
    cursor(pointer).deallocate()
    return SQLITE_OK
  }
  module.xFilter = { pointer, _, _, _, _ in
    cursor(pointer).pointee.place = 0
    return SQLITE_OK
  }
  module.xNext = { pointer in
    cursor(pointer).pointee.place += 1
    return SQLITE_OK
  }
  module.xEof = { pointer in
    let cursor = cursor(pointer)
    return cursor.pointee.place >= cursor.pointee.view.pointee.rowCount ? 1 : 0
  }
  module.xColumn = column
  module.xRowid = { pointer, rowid in
    rowid?.pointee = Int64(cursor(pointer).pointee.place)
    return SQLITE_OK
  }
  return module
}()
