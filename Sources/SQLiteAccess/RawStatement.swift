package import GRDB
public import GRDBSQLite
public import ImportModel
public import StoreInterface

/// A compiled statement: GRDB owns its lifetime, the C API drives it.
///
/// Used on one connection and one thread at a time, like the connection itself.
///
/// What is public here is so for the compiler, as at `Chunk`: each of these is called for every row.
public final class RawStatement {
  @usableFromInline package let pointer: OpaquePointer
  private let statement: Statement

  /// Compiles one statement.
  package init(_ db: Database, _ sql: String) throws {
    do {
      statement = try db.makeStatement(sql: sql)
    } catch let error as DatabaseError {
      throw StoreError(error)
    }
    pointer = statement.sqliteStatement
  }

  // Parameters count from 1, as in SQL.

  package var parameterCount: Int { Int(sqlite3_bind_parameter_count(pointer)) }

  /// Binds a whole number.
  @inlinable public func bind(_ value: Int64, at index: Int32) {
    sqlite3_bind_int64(pointer, index, value)
  }

  /// Binds a whole number.
  @inlinable public func bind(_ value: Int, at index: Int32) {
    sqlite3_bind_int64(pointer, index, Int64(value))
  }

  /// Binds a real number.
  @inlinable public func bind(_ value: Double, at index: Int32) {
    sqlite3_bind_double(pointer, index, value)
  }

  /// Binds null.
  @inlinable public func bindNull(at index: Int32) {
    sqlite3_bind_null(pointer, index)
  }

  package func bind(_ value: String?, at index: Int32) {
    guard var value else { return bindNull(at: index) }
    value.withUTF8 { bind(text: $0, at: index, copying: true) }
  }

  /// Binds text by its byte count, as it may hold U+0000.
  ///
  /// - Parameter copying: false when the bytes stay where they are until the statement is reset.
  @inlinable public func bind(text: UnsafeBufferPointer<UInt8>, at index: Int32, copying: Bool) {
    sqlite3_bind_text64(
      pointer, index, UnsafeRawPointer(text.baseAddress ?? emptyBytes).assumingMemoryBound(to: CChar.self),
      UInt64(text.count), copying ? transient : nil, UInt8(SQLITE_UTF8))
  }

  /// Binds a blob; `copying` as for text.
  @inlinable public func bind(blob: UnsafeBufferPointer<UInt8>, at index: Int32, copying: Bool) {
    sqlite3_bind_blob64(
      pointer, index, blob.baseAddress ?? emptyBytes, UInt64(blob.count), copying ? transient : nil)
  }

  package func bind(_ value: Value, at index: Int32) {
    switch value {
    case .null: bindNull(at: index)
    case .integer(let value): bind(value, at: index)
    case .real(let value): bind(value, at: index)
    case .text(let value): bind(value, at: index)
    case .blob(let value): value.withUnsafeBufferPointer { bind(blob: $0, at: index, copying: true) }
    }
  }

  /// Binds values to the parameters from the first on.
  package func bind(_ values: [Value]) {
    for index in values.indices { bind(values[index], at: Int32(1 + index)) }
  }

  /// Binds what another statement's current row holds in a column, without a copy of ours.
  @inlinable public func bind(columnOf other: RawStatement, _ column: Int32, at index: Int32) {
    sqlite3_bind_value(pointer, index, sqlite3_column_value(other.pointer, column))
  }

  /// Goes on to the next row.
  ///
  /// - Returns: whether there is one. When there is none the statement is reset.
  @inlinable public func step() throws(StoreError) -> Bool {
    switch sqlite3_step(pointer) {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      sqlite3_reset(pointer)
      return false
    default:
      throw failure()
    }
  }

  /// What SQLite says of the last step. The statement is reset.
  @usableFromInline package func failure() -> StoreError {
    defer { sqlite3_reset(pointer) }
    return StoreError(connection: sqlite3_db_handle(pointer))
  }

  /// Runs a statement that gives no rows we want.
  @inlinable public func run() throws(StoreError) {
    while try step() {}
  }

  /// Ends the statement's run; what is bound stays.
  @inlinable public func reset() {
    sqlite3_reset(pointer)
  }

  // Columns count from 0, as in the C API.

  /// What a column of the current row holds. Cheaper than the calls below where the value is looked at twice.
  @inlinable public subscript(column: Int32) -> StatementValue {
    StatementValue(pointer: sqlite3_column_value(pointer, column))
  }

  /// The storage class of a column, as in `SQLITE_TEXT`.
  @inlinable public func type(_ column: Int32) -> Int32 {
    sqlite3_column_type(pointer, column)
  }

  /// Whether a column is null.
  @inlinable public func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(pointer, column) == SQLITE_NULL
  }

  /// A column as a whole number.
  @inlinable public func integer(_ column: Int32) -> Int64 {
    sqlite3_column_int64(pointer, column)
  }

  /// A number that Bolide keeps of its own doings: a place in history, a count. A file of unknown origin may hold any other.
  ///
  /// - Throws: `StoreError.malformedNumber` unless it is whole, not negative, and small enough to be reckoned with.
  package func number(_ column: Int32) throws(StoreError) -> Int64 {
    let value = integer(column)
    guard type(column) == SQLITE_INTEGER, 0...HistoryToken.largestNumber ~= value else {
      throw .malformedNumber(String(cString: sqlite3_column_name(pointer, column)))
    }
    return value
  }

  /// A random word that Bolide keeps, such as a store's name in its tokens: small letters and digits.
  ///
  /// - Throws: `StoreError.malformedNumber` for anything else, which would make a token that is none.
  package func word(_ column: Int32) throws(StoreError) -> String {
    let bytes = bytes(column)
    let isWord = bytes.allSatisfy {
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
    }
    guard type(column) == SQLITE_TEXT, 1...32 ~= bytes.count, isWord else {
      throw .malformedNumber(String(cString: sqlite3_column_name(pointer, column)))
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A column as a real number.
  @inlinable public func real(_ column: Int32) -> Double {
    sqlite3_column_double(pointer, column)
  }

  /// The text or blob in a column, valid until the next step or reset.
  @inlinable public func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
    let start = sqlite3_column_blob(pointer, column)
    let count = Int(sqlite3_column_bytes(pointer, column))
    return UnsafeBufferPointer(
      start: start?.assumingMemoryBound(to: UInt8.self), count: start == nil ? 0 : count)
  }

  /// A column as text; nil for null.
  @inlinable public func string(_ column: Int32) -> String? {
    isNull(column) ? nil : String(decoding: bytes(column), as: UTF8.self)
  }

  /// All values of the current row.
  @inlinable public var row: [Value] { (0..<sqlite3_column_count(pointer)).map(value) }

  /// A column as SQLite has it.
  @inlinable public func value(_ column: Int32) -> Value {
    switch type(column) {
    case SQLITE_INTEGER: .integer(integer(column))
    case SQLITE_FLOAT: .real(real(column))
    case SQLITE_TEXT: .text(String(decoding: bytes(column), as: UTF8.self))
    case SQLITE_BLOB: .blob(Array(bytes(column)))
    default: .null
    }
  }
}

/// What a column of a statement's current row holds, valid until the next step or reset.
public struct StatementValue {
  @usableFromInline let pointer: OpaquePointer?

  @usableFromInline init(pointer: OpaquePointer?) { self.pointer = pointer }

  /// The storage class, as in `SQLITE_TEXT`.
  @inlinable public var type: Int32 { sqlite3_value_type(pointer) }
  /// Whether it is null.
  @inlinable public var isNull: Bool { type == SQLITE_NULL }
  /// The value as a whole number.
  @inlinable public var integer: Int64 { sqlite3_value_int64(pointer) }
  /// The value as a real number.
  @inlinable public var real: Double { sqlite3_value_double(pointer) }
  /// The text or blob.
  @inlinable public var bytes: UnsafeBufferPointer<UInt8> {
    let start = sqlite3_value_blob(pointer)
    let count = Int(sqlite3_value_bytes(pointer))
    return UnsafeBufferPointer(
      start: start?.assumingMemoryBound(to: UInt8.self), count: start == nil ? 0 : count)
  }
}

/// Tells SQLite to take its own copy (`SQLITE_TRANSIENT`, a macro that Swift cannot see).
@usableFromInline package let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

/// Something to point at for empty text: a null pointer would bind NULL.
@usableFromInline nonisolated(unsafe) let emptyBytes = UnsafePointer(
  UnsafeMutablePointer<UInt8>.allocate(capacity: 1))

extension Database {
  /// Runs one statement, and passes over the rows it may give.
  ///
  /// - Parameter values: for its parameters, from the first on.
  package func run(_ sql: String, _ values: Value...) throws {
    let statement = try RawStatement(self, sql)
    statement.bind(values)
    try statement.run()
  }

  /// Runs the statements of a text that is part of the program: nothing can have been written into it.
  package func runAll(_ script: StaticString) throws {
    do {
      try execute(sql: "\(script)")
    } catch let error as DatabaseError {
      throw StoreError(error)
    }
  }

  /// The single value of a query that gives at most one row.
  ///
  /// - Parameter values: for its parameters, from the first on.
  package func value(_ sql: String, _ values: Value...) throws -> Value {
    try firstValue(sql, values)
  }

  /// The single whole number of such a query; 0 when it gives none.
  package func integer(_ sql: String, _ values: Value...) throws -> Int64 {
    if case .integer(let number) = try firstValue(sql, values) { number } else { 0 }
  }

  /// The single number of such a query, which Bolide has kept of its own doings.
  ///
  /// - Throws: also `StoreError.malformedNumber`, as `RawStatement.number`.
  package func number(_ sql: String, _ values: Value...) throws -> Int64 {
    let statement = try RawStatement(self, sql)
    defer { statement.reset() }
    statement.bind(values)
    return try statement.step() && !statement.isNull(0) ? statement.number(0) : 0
  }

  /// The size of the connection's file, as this connection sees it.
  package func fileBytes() throws -> Int64 {
    try integer("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
  }

  private func firstValue(_ sql: String, _ values: [Value]) throws -> Value {
    let statement = try RawStatement(self, sql)
    defer { statement.reset() }
    statement.bind(values)
    return try statement.step() ? statement.value(0) : .null
  }
}
