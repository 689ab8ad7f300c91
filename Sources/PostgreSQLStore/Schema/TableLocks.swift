internal import ImportModel
internal import PostgreSQLAccess

extension PostgreSQLConnection {
  /// Locks the tables of a model to the transaction's end; see `lockGivingWay`.
  ///
  /// - Parameter first: a table that is locked before them.
  func lockTables(of model: Model, _ mode: String, behind first: String? = nil) throws {
    let tables = (first.map { [$0] } ?? []) + model.entities.map { quoted($0.name) }.sorted()
    if tables.isEmpty { return }
    try lockGivingWay("LOCK TABLE \(tables.joined(separator: ", ")) IN \(mode) MODE")
  }

  /// Runs `body` in a transaction that has one snapshot, behind whoever is changing the model: a snapshot from before would see a table
  /// that the server has written anew as empty. The lock itself takes none.
  ///
  /// Where there is no store, or none for this user, `body` says so.
  func inSnapshot<Result>(_ access: String = "READ ONLY", _ body: () throws -> Result) throws -> Result {
    let kind = "ISOLATION LEVEL REPEATABLE READ \(access)"
    var hasModel = false
    do {
      return try inTransaction(kind) {
        try run("LOCK TABLE bolide_model IN ACCESS SHARE MODE")
        hasModel = true
        return try body()
      }
    } catch let error as PostgreSQLError where !hasModel && (error.state == "42P01" || error.isRefusal) {
      return try inTransaction(kind, body)
    }
  }

  /// Takes several locks, within the transaction's `lock_timeout`.
  ///
  /// Another program may have one of them, and want another next. It gets that again and again, before the server ends one of two who wait
  /// for each other: that could be the other program's statement.
  func lockGivingWay(_ statement: String) throws {
    let limit = try run("SELECT setting::bigint FROM pg_settings WHERE name = 'lock_timeout'").integer(0, 0)
    let start = ContinuousClock.now
    try limitLockWait(0.5)
    while limit == 0 || ContinuousClock.now - start < .milliseconds(limit) {
      if try holds(unless: "55P03", { try run(statement) }) { break }
    }
    // What the transaction has, it gets at once.
    try run(statement)
    try run("SET LOCAL lock_timeout = \(limit)")
  }
}
