internal import Foundation
internal import ImportModel
internal import ModelMerging
internal import PostgreSQLAccess
internal import StoreInterface
internal import TypedRows

// The transactions of an import, and what becomes of one that another writer or a lost connection has ended.
//
//     another writer was faster     the chunk is applied again to what that has left
//     the connection was lost       the import connects anew, ends its old session, and finds the transaction's word in the
//                                   run's row: then it is committed; or that of the one before: then it is applied again

extension PostgreSQLImport {
  /// A transaction that loses its connection again and again may be what ends the server's process.
  private static let losses = 5

  /// One transaction: what `body` applies, what is told of that, its number, and the run's row. Where `atomically` has one open, a
  /// part of that.
  ///
  /// Workers apply side by side and end one after another. Who ends waits for no row: one that another worker has locked would
  /// not be let go of.
  ///
  /// - Parameter ending: writes of what `body` returns what is the whole run's.
  func transact<Applied>(
    by worker: ImportWorker, _ body: () throws -> Applied, ending: (Applied) throws -> Void
  ) throws {
    if isOpen { return try savepoint { try ending(body()) } }
    try committing(by: worker) {
      try begin(worker)
      let applied = try body()
      try worker.transaction.refreshMarked()
      // Triggers of the user's may be deferred.
      if workers.count > 1 { try worker.connection.run("SET CONSTRAINTS ALL IMMEDIATE") }
      return applied
    } ending: { word, applied in
      try ending(applied)
      try end(worker, word)
    }
  }

  func atomically(_ body: () throws -> Bool) throws -> Bool {
    struct Unwanted: Error {}
    return try engine.address.telling {
      let memory = self.rejects.memory
      self.isOpen = true
      defer { self.isOpen = false }
      do {
        try self.committing(by: self.main) {
          try self.begin(self.main)
          guard try body() else { throw Unwanted() }
          try self.main.transaction.refreshMarked()
        } ending: { word, _ in
          try self.end(self.main, word)
        }
        (self.isCommitted, self.undecided) = (true, nil)
        return true
      } catch {
        self.isRolledBack = true
        self.rejects.memory = memory
        self.progress.rollBack()
        if error is Unwanted { return false }
        guard let lost = error as? LostTransaction else { throw error }
        // Its inputs are gone: it cannot be applied again.
        self.undecided = nil
        throw lost.cause
      }
    }
  }

  /// Another pipeline may have changed the model meanwhile: what it did to this one's entities the import does not know.
  private func begin(_ worker: ImportWorker) throws {
    try worker.transaction.begin(notesRuns: true)
    if try worker.transaction.isCurrent { return }
    let present = try StoredModel(worker.connection, engine.address)
    for entity in pipeline.model.withJoins.entities
    where present.model.entity(named: entity.name) != stored.model.entity(named: entity.name) {
      throw StoreError.modelGrew
    }
    worker.transaction = WriteTransaction(connection: worker.connection, stored: present)
  }

  private func end(_ worker: ImportWorker, _ word: String) throws {
    let token = try worker.transaction.number(
      author: pipeline.author ?? pipeline.name, pipeline: pipeline.name, run: run, nonce: word)
    progress.token = token ?? progress.token
    try log.write(progress, worker.connection, word: word, outcome: nil)
    if isOpen { undecided = token }
  }

  /// A transaction whose ending writes its word into the run's row.
  ///
  /// - Throws: `LostTransaction` where the connection was lost before the commit, and there is a new one.
  func committing<Applied>(
    by worker: ImportWorker, _ body: () throws -> Applied,
    ending: (_ word: String, Applied) throws -> Void
  ) throws {
    let word = randomWord(length: 6)
    let applied: Applied
    do {
      try worker.connection.begin()
      applied = try body()
    } catch {
      return try turn.withLock { try settle(error, word, worker) }
    }
    try turn.withLock {
      let before = (progress, kept, rejects.memory)
      do {
        rejects.connection = worker.connection
        try ending(word, applied)
        try worker.connection.commit()
      } catch {
        do {
          try settle(error, word, worker)
        } catch {
          (progress, kept, rejects.memory) = before
          throw error
        }
      }
      log.committed(word)
    }
  }

  /// Ends a transaction that has failed. Returns where it was committed all the same.
  private func settle(_ error: any Error, _ word: String, _ worker: ImportWorker) throws {
    guard let cause = error as? PostgreSQLError, cause.endsSession else {
      worker.connection.rollBack()
      throw error
    }
    guard try isCommitted(word, worker) else { throw LostTransaction(cause: cause) }
  }

  /// What the store says outside of the run's transactions.
  func asking<Result>(_ body: () throws -> Result) throws -> Result {
    try engine.address.telling {
      if self.isOpen { return try body() }
      var answer: Result?
      try self.repeating(nil, by: self.main) {
        do {
          answer = try body()
        } catch let cause as PostgreSQLError where cause.endsSession {
          _ = try self.isCommitted(self.log.word, self.main)
          throw LostTransaction(cause: cause)
        }
      }
      guard let answer else { throw StoreError.lostCommits(self.engine.path) }
      return answer
    }
  }

  /// Connects anew, and looks whether the transaction that was under way is committed.
  private func isCommitted(_ word: String, _ worker: ImportWorker) throws -> Bool {
    do {
      try worker.connection.reconnect(within: isGone ? .zero : PostgreSQLEngine.patience)
      try worker.lock?.take()
      // Between the two another import of the pipeline may have come and gone.
      let later = try worker.connection.run(
        "SELECT FROM bolide_run WHERE pipeline = $1 AND run > $2 LIMIT 1",
        [.text(pipeline.name), .integer(run)])
      if later.count > 0 { throw StoreError.locked(engine.path, by: nil) }
      guard let isCommitted = try log.isCommitted(word, worker.connection) else {
        throw StoreError.lostCommits(engine.path)
      }
      isGone = false
      return isCommitted
    } catch {
      isGone = true
      throw error
    }
  }

  /// A part of the open transaction, which alone is taken back where another writer was faster.
  private func savepoint(_ body: () throws -> Void) throws {
    let before = (progress, kept, rejects.memory)
    try connection.run("SAVEPOINT bolide_chunk")
    do {
      try body()
    } catch {
      if error.mayBeRepeated { try connection.run("ROLLBACK TO bolide_chunk") }
      (progress, kept, rejects.memory) = before
      throw error
    }
    try connection.run("RELEASE bolide_chunk")
  }

  /// Does something again where another writer was faster, or the connection was lost.
  ///
  /// - Parameter chunk: what is applied.
  func repeating(_ chunk: Chunk?, by worker: ImportWorker, _ body: () throws -> Void) throws {
    let before = chunk.map(ChunkState.init)
    let memory = worker.memory
    var (conflicts, losses) = (0, 0)
    while true {
      do {
        return try body()
      } catch let error as LostTransaction {
        losses += 1
        if losses == Self.losses { throw error.cause }
      } catch {
        conflicts += 1
        guard conflicts < PostgreSQLEngine.tries, error.mayBeRepeated else {
          // What another program's constraint allows once is there whoever is faster.
          let isBusy =
            conflicts == PostgreSQLEngine.tries
            && (error as? PostgreSQLError).map { $0.isOfUniqueness || $0.isOfLinks } != true
          throw isBusy ? StoreError.busyRows(engine.path) : error
        }
      }
      if let chunk { before?.restore(chunk) }
      worker.memory = memory
    }
  }
}

/// The connection was lost before a transaction was committed.
private struct LostTransaction: Error {
  let cause: PostgreSQLError
}

extension Error {
  /// Whether the same may work when it is done again: another writer was in the way.
  fileprivate var mayBeRepeated: Bool {
    // An owner may have gone since it was found.
    if let error = self as? PostgreSQLError {
      return error.mayBeRepeated || error.isOfUniqueness || error.isOfLinks
    }
    return self is ChunkConflict
  }
}

/// What of a chunk changes while it is applied.
private struct ChunkState {
  private let orders: [[Int32]]
  private let rejects: [[RejectedRecord]]
  private let counts: (duplicates: Int, superseded: Int)
  private let read: [Int]
  private let absent: [[(column: Int, row: Int)]]

  init(_ chunk: Chunk) {
    orders = chunk.orders
    let all = [chunk] + chunk.children
    rejects = all.map(\.rejects)
    counts = (chunk.duplicates, chunk.superseded)
    read = all.map(\.recordsRead)
    // New rows take defaults: what is not said may be there the next time.
    absent = all.map { chunk in
      let columns = (0..<chunk.layout.storedCount).filter {
        chunk.layout.columns[$0].attribute.defaultValue != nil
      }
      return columns.flatMap { column in
        chunk.order.lazy.map(Int.init).filter { chunk.state(column, $0) == .absent }.map { (column, $0) }
      }
    }
  }

  func restore(_ chunk: Chunk) {
    chunk.orders = orders
    (chunk.duplicates, chunk.superseded) = counts
    for (place, chunk) in ([chunk] + chunk.children).enumerated() {
      chunk.rejects = rejects[place]
      chunk.recordsRead = read[place]
      for (column, row) in absent[place] { chunk.set(.absent, 0, column, row) }
    }
  }
}
