internal import GRDB
internal import SQLiteAccess

/// The connection that writes, and what takes a transaction back when there is no memory left to compile that.
///
/// @unchecked: the statement is used on the queue alone, and by the last reference to this.
final class WritingConnection: @unchecked Sendable {
  private let queue: DatabaseQueue
  private var rollback: RawStatement?

  init(_ queue: DatabaseQueue) {
    self.queue = queue
    // Without memory for this much the first writing says so.
    rollback = try? queue.inDatabase { try RawStatement($0, "ROLLBACK") }
  }

  // A connection that closes before its last statement takes an open transaction back at a time when GRDB is not there any
  // more to hear of it.
  deinit { rollback = nil }

  /// Closes the file, when what is at work has ended.
  ///
  /// - Throws: `DatabaseError` where somebody still has a statement.
  func close() throws {
    queue.inDatabase { _ in rollback = nil }
    try queue.close()
  }

  /// Runs `body`, which begins and ends its transactions; one that could not be ended is taken back.
  func run<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try queue.inDatabase { db in
      defer { takeBack(db) }
      // A statement that the schema has outlived has to be compiled too: then it is this one's turn.
      takeBack(db)
      return try body(db)
    }
  }

  private func takeBack(_ db: Database) {
    guard db.isInsideTransaction else { return }
    // What made it necessary is being thrown. Where this fails too, the next transaction does, as one is open.
    try? rollback?.run()
  }
}
