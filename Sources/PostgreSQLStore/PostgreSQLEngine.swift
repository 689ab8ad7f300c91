package import ImportModel
internal import ModelMerging
package import PostgreSQLAccess
package import StoreInterface
internal import Synchronization

/// A store on a PostgreSQL server: one schema.
///
/// Each call borrows a session for as long as it takes; an import has one of its own. What it does not do yet, it refuses by
/// name (`PartialEngine`).
package final class PostgreSQLEngine: PartialEngine {
  package static let engineName = "PostgreSQL"
  /// The address as it is shown: without a password.
  package var path: String { address.shown }
  package let address: PostgreSQLAddress
  /// How long an edit waits for another writer that has locked the same rows, in seconds.
  let lockWait: Double
  private let sessions = IdleSessions()
  let pipelineLocks = PipelineLocks()
  /// What was lost and is made anew, and nobody was told of yet.
  let restored = Mutex(RepairReport())

  /// Opens the store that is there.
  ///
  /// - Parameter lockWait: how long an edit waits for another writer, in seconds.
  package init(reading address: PostgreSQLAddress, lockWait: Double = 10) throws {
    (self.address, self.lockWait) = (address, lockWait)
    try session { connection in try upgrading(connection) { try StoredModel(connection, address) } }
  }

  /// Opens the store for a pipeline: makes it when there is none, and otherwise changes it as an import may.
  ///
  /// - Parameter isTrial: whether all that is done with the engine, this too, is taken back when it goes. Other sessions see
  ///   nothing of it; they wait for rows that it has changed, and for tables that it has altered. Then one thread may use it.
  package init(
    _ address: PostgreSQLAddress, for pipeline: Pipeline, lockWait: Double = 10, isTrial: Bool = false
  ) throws {
    (self.address, self.lockWait) = (address, lockWait)
    try restoring { fit in
      let connection = fit.connection
      if isTrial {
        try connection.beginTrial()
        sessions.keep(forTrial: connection)
      }
      if pipeline.settings.storeCreation == .never, try !StoredModel.exists(connection) {
        throw StoreError.notToBeMade(address.shown)
      }
      return try upgrading(connection) { try fit.fit(pipeline, lockWait: lockWait) }
    }
  }

  /// Opens a store; one of an earlier format is brought up to date before, where the user may do that.
  private func upgrading<Result>(
    _ connection: PostgreSQLConnection, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as StoreError where error.code == .olderFormat {
      let fit = SchemaFit(connection: connection, address: address)
      guard let lost = try fit.upgrade(lockWait: lockWait) else { throw error }
      restored.withLock { $0.add(lost) }
      return try body()
    }
  }

  /// Sees that a store that is not there may be made.
  package static func checkCreation(_ address: PostgreSQLAddress, _ creation: StoreCreation) throws {
    if creation == .never { throw StoreError.notToBeMade(address.shown) }
  }

  /// Whether the store has a transaction: asked behind a commit that ended with an error.
  package func has(_ token: HistoryToken) throws -> Bool {
    try session { connection in
      let found = try connection.run(
        "SELECT FROM bolide_transaction WHERE number = $1 AND nonce = $2",
        [.integer(token.number), .text(token.nonce)])
      return found.count == 1
    }
  }

  package func close() throws { sessions.close() }

  /// For how long an import asks a server that does not answer again: a restart takes a few seconds.
  static let patience = Duration.seconds(10)

  /// Does what may be done twice, again in a session that has connected anew, where the connection was lost.
  func surviving<Result>(_ session: PostgreSQLConnection, _ body: () throws -> Result) throws -> Result {
    for _ in 1...4 {
      do {
        return try body()
      } catch let error as PostgreSQLError where error.endsSession {
        try session.reconnect(within: Self.patience)
      }
    }
    return try body()
  }

  /// A conflict with another writer is met again and again only where somebody works on the same rows all the time.
  static let tries = 50

  /// Hands a session to `body`, and keeps it for the next call.
  ///
  /// - Parameter repeats: whether `body` may be done twice: it is, where the connection was lost.
  /// - Throws: `StoreError` for whatever the server says.
  @discardableResult
  func session<Result>(
    repeats: Bool = false, _ body: (PostgreSQLConnection) throws -> Result
  ) throws -> Result {
    try address.telling {
      let connection = try take()
      defer {
        if !connection.isTrial, connection.isAlive, !connection.isInTransaction { sessions.put(connection) }
      }
      return try repeats ? surviving(connection) { try body(connection) } : body(connection)
    }
  }

  /// - Throws: `StoreError.closed` where the store was closed.
  func checkOpen() throws(StoreError) { if sessions.isClosed { throw .closed(path) } }

  /// A session that belongs to the caller.
  ///
  /// - Parameter isCancelled: asked while it waits for the server.
  func take(
    _ isCancelled: @escaping @Sendable () -> Bool = { StoreCall.isCancelled }
  ) throws -> PostgreSQLConnection {
    try checkOpen()
    if let trial = sessions.trial {
      trial.isCancelled = isCancelled
      return trial
    }
    // The server may have ended one meanwhile.
    while let idle = sessions.take() {
      guard idle.isAlive else { continue }
      idle.isCancelled = isCancelled
      return idle
    }
    return try PostgreSQLConnection(address, isCancelled: isCancelled)
  }

  /// Reads from one state of the store.
  ///
  /// - Throws: `StoreError` that names a column, where another program has changed it so that it cannot be read.
  func reading<Result>(_ body: (PostgreSQLConnection, StoredModel) throws -> Result) throws -> Result {
    try session { connection in
      try namingDrift(connection) {
        try connection.inSnapshot {
          try body(connection, StoredModel(connection, address))
        }
      }
    }
  }

  /// Runs what reads tables in a transaction of its own, and says which column is not as it was made where that does not go.
  func namingDrift<Result>(_ connection: PostgreSQLConnection, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as PostgreSQLError where error.mayBeOfTables && !connection.isTrial {
      connection.rollBack()
      try TableDrift(connection).check(StoredModel(connection, address).model)
      throw error
    }
  }

  /// Writes in a transaction of Bolide's own, which gets a number where anything has changed.
  @discardableResult
  func writing<Result>(
    author: String? = nil, _ body: (PostgreSQLConnection, StoredModel) throws -> Result
  ) throws -> (result: Result, token: HistoryToken?) {
    try session { connection in
      try inTransaction(connection) { transaction in
        let result = try body(connection, transaction.stored)
        return (result, try transaction.end(author: author, pipeline: nil, run: nil))
      }
    }
  }

  /// Runs `body` in a transaction of Bolide's own under the present model: again, where that has changed just now.
  func inTransaction<Result>(
    _ connection: PostgreSQLConnection, _ body: (WriteTransaction) throws -> Result
  ) throws -> Result {
    for _ in 0..<Self.tries {
      let transaction = WriteTransaction(
        connection: connection, stored: try StoredModel(connection, address))
      let outcome = try connection.inTransaction { () -> Result? in
        try transaction.begin()
        return try transaction.isCurrent ? body(transaction) : nil
      }
      if let outcome { return outcome }
    }
    throw StoreError.busyRows(path)
  }
}

/// The locks that the imports of this process hold.
///
/// Unchecked, as a lock is the import's that took it: here it is only found again, through the mutex, by the thread that runs
/// this import.
final class PipelineLocks: @unchecked Sendable {
  private struct Held { weak var lock: AdvisoryLock? }
  private let mutex = Mutex<Void>(())
  private var held: [String: Held] = [:]

  func note(_ lock: AdvisoryLock, of pipeline: String) {
    mutex.withLock { _ in held[pipeline] = Held(lock: lock) }
  }

  /// The lock of a pipeline's import; nil where nobody has taken it.
  func lock(of pipeline: String) -> AdvisoryLock? { mutex.withLock { _ in held[pipeline]?.lock } }
}

/// Sessions that nobody uses at present.
///
/// Unchecked, as a session itself is for one thread at a time: it is here or with one borrower, never both, and both ways lead
/// through the mutex. That of a trial is used by one thread alone.
private final class IdleSessions: @unchecked Sendable {
  private let lock = Mutex<Void>(())
  private var idle: [PostgreSQLConnection] = []
  private var closed = false
  private var ofTrial: PostgreSQLConnection?

  var isClosed: Bool { lock.withLock { _ in closed } }

  /// The one session of a trial. It is lent again and again, to the trial's one thread.
  var trial: PostgreSQLConnection? { lock.withLock { _ in ofTrial } }

  func keep(forTrial connection: PostgreSQLConnection) { lock.withLock { _ in ofTrial = connection } }

  func take() -> PostgreSQLConnection? { lock.withLock { _ in idle.popLast() } }

  func put(_ connection: PostgreSQLConnection) {
    lock.withLock { _ in if !closed, idle.count < 4 { idle.append(connection) } }
  }

  func close() {
    lock.withLock { _ in
      closed = true
      (idle, ofTrial) = ([], nil)
    }
  }
}

extension PostgreSQLAddress {
  /// Does a transaction again where another writer was faster.
  func repeating<Result>(_ body: () throws -> Result) throws -> Result {
    for _ in 0..<PostgreSQLEngine.tries {
      do {
        return try body()
      } catch let error as PostgreSQLError where error.mayBeRepeated {}
    }
    throw StoreError.busyRows(shown)
  }
}
