internal import GRDB
internal import GRDBSQLite

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The last token that a store handed out, kept in the first line of the file beside it.
///
/// Written after each commit and not synced: it may be older than the store, and is newer only when the store was
/// restored, copied over or cut off. The second line is `StoreLock`'s.
struct TokenMemory: Sendable {
  /// The first line's bytes: it has one size, so that whoever writes the second line never moves it.
  static let size = 64

  private let path: String

  /// The memory beside a connection's file.
  init?(_ db: Database) {
    guard let name = sqlite3_db_filename(db.sqliteConnection, "main"), name.pointee != 0 else { return nil }
    path = StoreLock.path(of: String(cString: name))
  }

  /// The token; nil when nothing is remembered.
  func read() -> HistoryToken? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Self.size)
    guard pread(descriptor, &bytes, bytes.count, 0) == bytes.count else { return nil }
    return HistoryToken(String(decoding: bytes.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self))
  }

  /// Remembers a token that was committed.
  ///
  /// Best effort: a reader that may write the store but not this file still gets its changes. A restore may then go
  /// unnoticed by named readers, and nothing else is lost.
  func write(_ token: HistoryToken) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var line = Self.line(token.description)
    _ = line.withUTF8 { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
  }

  /// A text as the file's first line.
  static func line(_ text: String) -> String {
    text + String(repeating: " ", count: max(0, size - 1 - text.utf8.count)) + "\n"
  }
}
