internal import GRDB

/// Another program that writes with SQL, in one transaction.
enum StatementJob {
  /// - Parameter sql: statements; the rows are those that the last one changes.
  static func run(file path: String, sql: String) throws -> JobOutcome {
    try JobOutcome.measuring {
      let queue = try DatabaseQueue(path: path)
      return try queue.write { db in
        try db.execute(sql: sql)
        return db.changesCount
      }
    }
  }
}
