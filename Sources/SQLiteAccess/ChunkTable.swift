package import GRDB
internal import GRDBSQLite
internal import ImportModel
internal import StoreInterface
package import TypedRows

/// A chunk as SQLite sees it: a virtual table without a copy, so that a statement works on a whole chunk.
///
///     column 0 ..< n       the chunk's columns, named as in its layout
///     bolide_place         the place in the current selection, from 0
///     bolide_id            the object id given to that place
///     bolide_link_0 …      the owner's object id for each link, NULL where there is none
///
/// What a scan sees is set before each statement: which rows, in which order, with which ids.
package final class ChunkTable {
  private let view: UnsafeMutablePointer<ChunkView>
  private let name: String

  /// Makes the virtual table on a connection. Lives as long as the connection may use it.
  ///
  /// - Parameter showsDefaults: whether absent cells have their attributes' defaults; they are null otherwise.
  package init(_ db: Database, layout: ChunkLayout, showsDefaults: Bool = false) throws {
    // An import that was given up may have left its own.
    name = layout.tableName
    try db.run("DROP TABLE IF EXISTS \(name)")
    view = .allocate(capacity: 1)
    view.initialize(to: ChunkView(layout: layout, showsDefaults: showsDefaults))
    // A module of its own: it is the module that knows the view.
    let module = name.replacing("temp.", with: "")
    let result = sqlite3_create_module_v2(db.sqliteConnection, module, &chunkModule, view, nil)
    guard result == SQLITE_OK else { throw StoreError(connection: db.sqliteConnection) }
    try db.run("CREATE VIRTUAL TABLE \(name) USING \(module)")
  }

  /// Takes the virtual table off the connection again.
  package func drop(_ db: Database) throws {
    try db.run("DROP TABLE IF EXISTS \(name)")
  }

  deinit {
    view.pointee.storages.deallocate()
    view.deinitialize(count: 1)
    view.deallocate()
  }

  /// Shows some rows of a chunk to the statements that `body` runs. What was shown before is shown again afterwards.
  ///
  /// - Parameters:
  ///   - rows: the rows, in the order of the scan.
  ///   - ids: an object id for each place; empty when no statement asks for them.
  ///   - owners: for each link, the owner's object id by row of the chunk, 0 for none; empty likewise.
  package func show<Result>(
    _ chunk: Chunk, rows: ArraySlice<Int32>, ids: [Int64] = [], owners: [[Int64]] = [],
    _ body: () throws -> Result
  ) rethrows -> Result {
    try rows.withUnsafeBufferPointer { rows in
      try ids.withUnsafeBufferPointer { ids in
        let before = view.pointee.shown
        defer { view.pointee.shown = before }
        view.pointee.shown = ShownRows(
          memory: chunk.memory, rows: rows.baseAddress, count: rows.count,
          ids: ids.isEmpty ? nil : ids.baseAddress,
          owners: owners)
        return try withExtendedLifetime(chunk) { try body() }
      }
    }
  }
}

/// What the callbacks below read.
private struct ChunkView {
  let columnCount: Int
  let storages: UnsafeMutablePointer<StorageClass>
  let declaration: String
  /// What absent cells show, by column; empty for null everywhere.
  let defaults: [Int: Value]
  package var shown = ShownRows()

  package init(layout: ChunkLayout, showsDefaults: Bool) {
    let values = layout.columns.enumerated().map { ($0, $1.attribute.defaultValue) }
    defaults = showsDefaults ? Dictionary(uniqueKeysWithValues: values).compactMapValues(\.self) : [:]
    columnCount = layout.columns.count
    storages = .allocate(capacity: columnCount)
    for (index, column) in layout.columns.enumerated() { (storages + index).initialize(to: column.storage) }
    let columns = layout.columns.map { "\(quoted($0.name)) \($0.storage.sql)" }
    let links = layout.owners.indices.map { "bolide_link_\($0) INTEGER" }
    let all = columns + ["bolide_place INTEGER", "bolide_id INTEGER"] + links
    declaration = "CREATE TABLE chunk(\(all.joined(separator: ", ")))"
  }
}

/// The rows of the `show` under way.
private struct ShownRows {
  package var memory: UnsafeMutablePointer<CellMemory>?
  package var rows: UnsafePointer<Int32>?
  package var count = 0
  package var ids: UnsafePointer<Int64>?
  package var owners: [[Int64]] = []
}

// SQLite hands these structs back by the address of their first member.

private struct TableInstance {
  package var base = sqlite3_vtab()
  package var view: UnsafeMutablePointer<ChunkView>
}

/// The row under the cursor is looked up once, and not for each of its columns.
private struct TableCursor {
  package var base = sqlite3_vtab_cursor()
  package var view: UnsafeMutablePointer<ChunkView>
  package var place = 0
  package var row = 0
  package var cells: RowCells?

  package var isAtEnd: Bool { place >= view.pointee.shown.count }

  mutating func go(to place: Int) {
    self.place = place
    guard !isAtEnd, let rows = view.pointee.shown.rows, let memory = view.pointee.shown.memory else { return }
    row = Int(rows[place])
    cells = memory.pointee.cells(ofRow: row)
  }
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

/// Gives SQLite the value of a column: called for every cell that a statement reads.
@inline(__always)
private func column(
  _ cursorPointer: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ context: OpaquePointer?, _ column: Int32
) -> Int32 {
  let cursor = cursor(cursorPointer)
  let column = Int(column)
  let view = cursor.pointee.view
  guard column < view.pointee.columnCount else { return addedColumn(cursor, context, column) }
  guard let cell = cursor.pointee.cells?.value(column) else {
    showDefault(cursor, context, column)
    return SQLITE_OK
  }
  switch view.pointee.storages[column] {
  case .integer: sqlite3_result_int64(context, Int64(bitPattern: cell))
  case .real: sqlite3_result_double(context, Double(bitPattern: cell))
  case .text: bytes(cursor, context, column, cell, isText: true)
  case .blob: bytes(cursor, context, column, cell, isText: false)
  }
  return SQLITE_OK
}

/// What a cell without a value shows.
private func showDefault(
  _ cursor: UnsafeMutablePointer<TableCursor>, _ context: OpaquePointer?, _ column: Int
) {
  let defaults = cursor.pointee.view.pointee.defaults
  guard !defaults.isEmpty, let cells = cursor.pointee.cells,
    cells.state(column).pointee == CellState.absent.rawValue
  else { return sqlite3_result_null(context) }
  switch defaults[column] ?? .null {
  case .null: sqlite3_result_null(context)
  case .integer(let value): sqlite3_result_int64(context, value)
  case .real(let value): sqlite3_result_double(context, value)
  case .text(var text):
    text.withUTF8 {
      let bytes = UnsafeRawPointer($0.baseAddress)?.assumingMemoryBound(to: CChar.self)
      sqlite3_result_text64(context, bytes, UInt64($0.count), transient, UInt8(SQLITE_UTF8))
    }
  case .blob(let bytes):
    bytes.withUnsafeBytes { sqlite3_result_blob64(context, $0.baseAddress, UInt64($0.count), transient) }
  }
}

/// Texts and blobs have no destructor: the bytes stay in the chunk for the whole statement.
private func bytes(
  _ cursor: UnsafeMutablePointer<TableCursor>, _ context: OpaquePointer?, _ column: Int, _ cell: UInt64,
  isText: Bool
) {
  guard let memory = cursor.pointee.view.pointee.shown.memory else { return sqlite3_result_null(context) }
  let bytes = memory.pointee.slice(cell, column)
  if isText {
    let text = UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
    sqlite3_result_text64(context, text, UInt64(bytes.count), nil, UInt8(SQLITE_UTF8))
  } else {
    sqlite3_result_blob64(context, bytes.baseAddress, UInt64(bytes.count), nil)
  }
}

/// The columns behind the chunk's own.
private func addedColumn(
  _ cursor: UnsafeMutablePointer<TableCursor>, _ context: OpaquePointer?, _ column: Int
) -> Int32 {
  let view = cursor.pointee.view
  let place = cursor.pointee.place
  switch column - view.pointee.columnCount {
  case 0: sqlite3_result_int64(context, Int64(place))
  case 1: sqlite3_result_int64(context, view.pointee.shown.ids?[place] ?? 0)
  case let number:
    let owner = view.pointee.shown.owners[number - 2][cursor.pointee.row]
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
    cursor(pointer).pointee.go(to: 0)
    return SQLITE_OK
  }
  module.xNext = { pointer in
    let cursor = cursor(pointer)
    cursor.pointee.go(to: cursor.pointee.place + 1)
    return SQLITE_OK
  }
  module.xEof = { pointer in cursor(pointer).pointee.isAtEnd ? 1 : 0 }
  module.xColumn = { pointer, context, number in column(pointer, context, number) }
  module.xRowid = { pointer, rowid in
    rowid?.pointee = Int64(cursor(pointer).pointee.place)
    return SQLITE_OK
  }
  return module
}()
