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

  /// One transaction: what `body` applies, its number, and the run's row.
  func transact(_ body: () throws -> Void) throws {
    let before = progress
    do {
      try committing { word in
        try begin()
        try body()
        try end(word)
      }
    } catch {
      progress = before
      throw error
    }
  }

  func atomically(_ body: () throws -> Bool) throws -> Bool {
    struct Unwanted: Error {}
    return try engine.address.telling {
      let memory = self.rejects.memory
      self.isOpen = true
      defer { self.isOpen = false }
      do {
        try self.committing { word in
          try self.begin()
          guard try body() else { throw Unwanted() }
          try self.end(word)
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
  private func begin() throws {
    try transaction.begin(notesRuns: true)
    if try transaction.isCurrent { return }
    let present = try StoredModel(connection, engine.address)
    for entity in pipeline.model.withJoins.entities
    where present.model.entity(named: entity.name) != stored.model.entity(named: entity.name) {
      throw StoreError.modelGrew
    }
    transaction = WriteTransaction(connection: connection, stored: present)
  }

  private func end(_ word: String) throws {
    let token = try transaction.end(
      author: pipeline.author ?? pipeline.name, pipeline: pipeline.name, run: run, nonce: word)
    progress.token = token ?? progress.token
    try log.write(progress, word: word, outcome: nil)
    if isOpen { undecided = token }
  }

  /// A transaction that writes its word into the run's row.
  ///
  /// - Throws: `LostTransaction` where the connection was lost before the commit, and there is a new one.
  func committing(_ body: (_ word: String) throws -> Void) throws {
    let word = randomWord(length: 6)
    do {
      try connection.begin()
      try body(word)
      try connection.commit()
    } catch {
      guard let cause = error as? PostgreSQLError, cause.endsSession else {
        connection.rollBack()
        throw error
      }
      guard try isCommitted(word) else { throw LostTransaction(cause: cause) }
    }
    log.committed(word)
  }

  /// What the store says outside of the run's transactions.
  func asking<Result>(_ body: () throws -> Result) throws -> Result {
    try engine.address.telling {
      if self.isOpen { return try body() }
      var answer: Result?
      try self.repeating(nil) {
        do {
          answer = try body()
        } catch let cause as PostgreSQLError where cause.endsSession {
          _ = try self.isCommitted(self.log.word)
          throw LostTransaction(cause: cause)
        }
      }
      guard let answer else { throw StoreError.lostCommits(self.engine.path) }
      return answer
    }
  }

  /// Connects anew, and looks whether the transaction that was under way is committed.
  private func isCommitted(_ word: String) throws -> Bool {
    do {
      try connection.reconnect(within: isGone ? .zero : PostgreSQLEngine.patience)
      try lock?.take()
      guard let isCommitted = try log.isCommitted(word) else { throw StoreError.lostCommits(engine.path) }
      isGone = false
      return isCommitted
    } catch {
      isGone = true
      throw error
    }
  }

  /// A part of the open transaction, which alone is taken back where another writer was faster.
  func savepoint(_ body: () throws -> Void) throws {
    let before = (progress, kept)
    try connection.run("SAVEPOINT bolide_chunk")
    do {
      try body()
    } catch {
      if error.mayBeRepeated { try connection.run("ROLLBACK TO bolide_chunk") }
      (progress, kept) = before
      throw error
    }
    try connection.run("RELEASE bolide_chunk")
  }

  /// Does something again where another writer was faster, or the connection was lost.
  ///
  /// - Parameter chunk: what is applied.
  func repeating(_ chunk: Chunk?, _ body: () throws -> Void) throws {
    let before = chunk.map(ChunkState.init)
    let (memory, kept) = (memory, rejects.memory)
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
          throw conflicts == PostgreSQLEngine.tries ? StoreError.busyRows(engine.path) : error
        }
      }
      if let chunk { before?.restore(chunk) }
      (self.memory, rejects.memory) = (memory, kept)
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
    if let error = self as? PostgreSQLError { return error.mayBeRepeated || error.state == "23505" }
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
