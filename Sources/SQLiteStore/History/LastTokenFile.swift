package import GRDB
internal import GRDBSQLite
internal import ImportModel
internal import SQLiteAccess
package import StoreInterface

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Two tokens of a store, kept in the first line of the file beside it: the last one that was handed out, and the newest
/// that is in the main file whatever becomes of the write-ahead log.
///
///     0                  64                        127
///     last token, blanks │ checkpointed token, blanks │ newline
///
/// Written after each commit or checkpoint that succeeded, and not synced: they may be older than the store, and are newer
/// only when the store was restored, copied over or cut off. The second line is `StoreLock`'s.
package struct LastTokenFile: Sendable {
  /// The first line's bytes: it has one size, so that whoever writes the second line never moves it.
  static let size = 128
  /// Each token's.
  private static let half = 64

  private let store: String
  private var path: String { StoreLock.path(of: store) }

  /// The memory beside a connection's file.
  package init?(_ db: Database) {
    guard let name = sqlite3_db_filename(db.sqliteConnection, "main"), name.pointee != 0 else { return nil }
    store = String(cString: name)
  }

  /// The memory beside a store.
  init(store: String) { self.store = store }

  /// What the file says.
  package enum Remembered: Equatable {
    /// Nothing, or nothing that is a token.
    case nothing
    case token(HistoryToken)
    /// This process may not read it: who may not write the store may not either.
    case unreadable(path: String)
  }

  /// What is remembered.
  ///
  /// - Throws: `StoreError.unsafeFile` where something else stands in the file's place.
  package func read() throws(StoreError) -> Remembered { try read(at: 0) }

  /// The newest token that was in the main file alone.
  func readCheckpointed() throws(StoreError) -> Remembered { try read(at: Self.half) }

  private func read(at place: Int) throws(StoreError) -> Remembered {
    let descriptor: Int32
    switch try SideFile.open(path, beside: store) {
    case .absent: return .nothing
    case .denied: return .unreadable(path: path)
    case .file(let file): descriptor = file
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Self.half)
    guard pread(descriptor, &bytes, bytes.count, off_t(place)) == bytes.count,
      let token = HistoryToken(String(decoding: bytes.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self))
    else { return .nothing }
    return .token(token)
  }

  /// Remembers a token that was committed.
  ///
  /// Best effort: a reader that may write the store but not this file still gets its changes. A restore may then go
  /// unnoticed by named readers, and nothing else is lost.
  package func write(_ token: HistoryToken) { write(token.description, at: 0) }

  /// Remembers the newest token that is in the main file alone; nil where that is not known any more.
  package func writeCheckpointed(_ token: HistoryToken?) { write(token?.description ?? "", at: Self.half) }

  private func write(_ text: String, at place: Int) {
    guard case .file(let descriptor)? = try? SideFile.make(path, beside: store) else { return }
    defer { close(descriptor) }
    if lseek(descriptor, 0, SEEK_END) < Self.size { Self.clear(descriptor) }
    var text = Self.padded(text, to: Self.half - 1)
    _ = text.withUTF8 { pwrite(descriptor, $0.baseAddress, $0.count, off_t(place)) }
  }

  /// Gives a new file its first line.
  static func clear(_ descriptor: Int32) {
    var line = padded("", to: size - 1) + "\n"
    _ = line.withUTF8 { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
  }

  /// Remembers a token, unless its transaction was never committed. Not inside a transaction.
  func write(_ token: HistoryToken, ifIn db: Database) {
    let found = try? db.value(
      "SELECT 1 FROM bolide_transaction WHERE number = ? AND nonce = ?", .integer(token.number),
      .text(token.nonce))
    if found == .integer(1) { write(token) }
  }

  private static func padded(_ text: String, to count: Int) -> String {
    text + String(repeating: " ", count: max(0, count - text.utf8.count))
  }
}
