internal import GRDB
internal import GRDBSQLite
internal import StoreInterface

extension StoreError {
  /// SQLite's last error on a connection.
  init(connection: OpaquePointer?) {
    let text = sqlite3_errmsg(connection).map { String(cString: $0) } ?? "unknown error"
    self.init(result: sqlite3_extended_errcode(connection), text: text)
  }

  /// What GRDB reports. Bound values are never part of the message.
  init(_ error: DatabaseError) {
    self.init(result: error.extendedResultCode.rawValue, text: error.message ?? "unknown error")
  }

  /// An error of a store, or of a connection that has no file of its own, such as the one that expressions run on; nil for
  /// another's.
  package init?(_ error: any Error) {
    switch error {
    case let error as StoreError: self = error
    case let error as DatabaseError: self.init(error)
    default: return nil
    }
  }
}
