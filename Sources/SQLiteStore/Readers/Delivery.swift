internal import GRDB
internal import ImportModel
internal import SQLiteAccess
package import StoreInterface

extension SQLiteEngine {
  package func deliver(
    to name: String, limit: Int?, _ body: (HistoryTransaction, any TransactionConnection) throws -> Void
  ) throws -> HistoryToken? {
    try assignPending()
    return try writing { db in
      var last: HistoryToken?
      try db.inTransaction(.immediate) {
        let table = try ReaderTable(db, path: path)
        let start = try table.place(of: name)
        var request = HistoryRequest(after: start)
        request.transactionLimit = limit
        var changes: [HistoryChange] = []
        let connection = DatabaseConnection(db: db)
        try HistoryReading(db, request, path: path).run {
          changes.append($0)
        } commit: { transaction in
          var transaction = transaction
          (transaction.changes, changes) = (changes, [])
          try body(transaction, connection)
          last = transaction.token
        }
        if let last { try table.advance(name, from: start, to: last) }
        return .commit
      }
      return last
    }
  }
}

private struct DatabaseConnection: TransactionConnection {
  let db: Database

  func rows(_ sql: String, _ values: [Value]) throws -> [[Value]] {
    let statement = try RawStatement(db, sql)
    defer { statement.reset() }
    statement.bind(values)
    var rows: [[Value]] = []
    while try statement.step() { rows.append(statement.row) }
    return rows
  }
}
