package import GRDB
internal import GRDBSQLite
internal import StoreInterface

extension StoreError {
  /// SQLite's last error on a connection.
  package init(connection: OpaquePointer?) {
    let text = sqlite3_errmsg(connection).map { String(cString: $0) } ?? "unknown error"
    self.init(result: sqlite3_extended_errcode(connection), text: text)
  }

  /// What GRDB reports. Bound values are never part of the message.
  package init(_ error: DatabaseError) {
    self.init(result: error.extendedResultCode.rawValue, text: error.message ?? "unknown error")
  }
}
