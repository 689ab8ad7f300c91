internal import GRDB
internal import GRDBSQLite
internal import ImportModel

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The last token that a store handed out, kept in the first line of the file beside it.
///
/// Written after each commit that succeeded, and not synced: it may be older than the store, and is newer only when the
/// store was restored, copied over or cut off. The second line is `StoreLock`'s.
struct TokenMemory: Sendable {
  /// The first line's bytes: it has one size, so that whoever writes the second line never moves it.
  static let size = 64

  private let store: String
  private var path: String { StoreLock.path(of: store) }

  /// The memory beside a connection's file.
  init?(_ db: Database) {
    guard let name = sqlite3_db_filename(db.sqliteConnection, "main"), name.pointee != 0 else { return nil }
    store = String(cString: name)
  }

  /// The memory beside a store.
  init(store: String) { self.store = store }

  /// What the file says.
  enum Remembered: Equatable {
    /// Nothing, or nothing that is a token.
    case nothing
    case token(HistoryToken)
    /// This process may not read it: who may not write the store may not either.
    case unreadable(path: String)
  }

  /// What is remembered.
  ///
  /// - Throws: `StoreError.unsafeFile` where something else stands in the file's place.
  func read() throws(StoreError) -> Remembered {
    let descriptor: Int32
    switch try SideFile.open(path, beside: store) {
    case .absent: return .nothing
    case .denied: return .unreadable(path: path)
    case .file(let file): descriptor = file
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Self.size)
    guard pread(descriptor, &bytes, bytes.count, 0) == bytes.count,
      let token = HistoryToken(String(decoding: bytes.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self))
    else { return .nothing }
    return .token(token)
  }

  /// Remembers a token that was committed.
  ///
  /// Best effort: a reader that may write the store but not this file still gets its changes. A restore may then go
  /// unnoticed by named readers, and nothing else is lost.
  func write(_ token: HistoryToken) {
    guard case .file(let descriptor)? = try? SideFile.make(path, beside: store) else { return }
    defer { close(descriptor) }
    var line = Self.line(token.description)
    _ = line.withUTF8 { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
  }

  /// Remembers a token, unless its transaction was never committed. Not inside a transaction.
  func write(_ token: HistoryToken, ifIn db: Database) {
    let found = try? db.value(
      "SELECT 1 FROM bolide_transaction WHERE number = ? AND nonce = ?", .integer(token.number),
      .text(token.nonce))
    if found == .integer(1) { write(token) }
  }

  /// A text as the file's first line.
  static func line(_ text: String) -> String {
    text + String(repeating: " ", count: max(0, size - 1 - text.utf8.count)) + "\n"
  }
}
