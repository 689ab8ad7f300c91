extension PostgreSQLConnection {
  /// Whether a transaction is open, a failed one too; in a trial, one of those within it.
  package var isInTransaction: Bool { isTrial ? hasSavepoint : isInServerTransaction }

  /// Makes all that follows in this session a trial: one transaction, which goes with the session. What begins a transaction
  /// from here on begins a part of that one.
  package func beginTrial() throws {
    try begin()
    isTrial = true
  }

  /// Begins a transaction.
  ///
  /// - Parameter kind: what stands behind BEGIN; a trial has one kind throughout.
  package func begin(_ kind: String = "ISOLATION LEVEL READ COMMITTED") throws {
    try run(isTrial ? "SAVEPOINT bolide_trial" : "BEGIN \(kind)")
    hasSavepoint = isTrial
  }

  /// Commits the transaction.
  package func commit() throws {
    try run(isTrial ? "RELEASE bolide_trial" : "COMMIT")
    hasSavepoint = false
  }

  /// Ends a transaction without a trace, as far as there still is a connection.
  package func rollBack() {
    guard isInTransaction else { return }
    takeBack([isTrial ? "ROLLBACK TO bolide_trial" : "ROLLBACK"])
    hasSavepoint = false
  }

  /// Runs `body` inside a transaction that goes on where a statement of it fails.
  package func inSavepoint<Result>(_ body: () throws -> Result) throws -> Result {
    try run("SAVEPOINT bolide_part")
    do {
      let result = try body()
      try run("RELEASE bolide_part")
      return result
    } catch {
      takeBack(["ROLLBACK TO bolide_part", "RELEASE bolide_part"])
      throw error
    }
  }

  /// Runs what takes something back, in a cancelled call too.
  private func takeBack(_ statements: [String]) {
    let cancelled = isCancelled
    isCancelled = { false }
    defer { isCancelled = cancelled }
    _ = try? runAll(statements)
  }

  /// Ends a wait of the transaction for another one's lock after so many seconds.
  package func limitLockWait(_ seconds: Double) throws {
    // Zero would be for ever.
    try run("SET LOCAL lock_timeout = \(Int(min(max(1, seconds * 1000), Double(Int32.max))))")
  }

  /// Runs `body` in a transaction.
  ///
  /// - Parameters:
  ///   - kind: what stands behind BEGIN.
  ///   - isTrial: whether nothing is kept.
  /// - Returns: what `body` returns.
  @discardableResult
  package func inTransaction<Result>(
    _ kind: String = "ISOLATION LEVEL READ COMMITTED", isTrial: Bool = false, _ body: () throws -> Result
  ) throws -> Result {
    try begin(kind)
    do {
      let result = try body()
      if isTrial { rollBack() } else { try commit() }
      return result
    } catch {
      rollBack()
      throw error
    }
  }
}
