internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface

/// What surrounds the statements of a transaction of Bolide's own.
struct WriteTransaction {
  let connection: PostgreSQLConnection
  let stored: StoredModel

  /// Says that the transaction is Bolide's, so that triggers leave to it what it does itself, and has the server keep a chunk's
  /// rows in memory. To the transaction's end nobody changes the model.
  ///
  /// - Parameter notesRuns: whether the caller writes the history of new rows.
  func begin(notesRuns: Bool = false) throws {
    try connection.run(
      """
      SELECT set_config('bolide.writer', 'own', true), set_config('\(TransactionSetting.runs(stored.schema))', CASE WHEN $1 THEN 'own' ELSE '' END, true),
        \(Self.memory),
        pg_advisory_xact_lock_shared(\(SystemTables.modelLock()))
      """, [.boolean(notesRuns)])
  }

  /// Gives each step of a statement memory for so many rows that it need not write them to the disk, or go through all again for
  /// each.
  static let memory = """
    CASE WHEN pg_size_bytes(current_setting('work_mem')) < 67108864 THEN set_config('work_mem', '64MB', true) END
    """

  /// Keeps the model as it was read, for what is written before `begin`.
  ///
  /// - Throws: an error that may be repeated, where the model has changed since.
  func keepModel() throws {
    try connection.run("SELECT pg_advisory_xact_lock_shared(\(SystemTables.modelLock()))")
    if try !isCurrent { throw PostgreSQLError(state: "40001", text: "the model has changed") }
  }

  /// Whether the store's model still is what was read before the transaction.
  var isCurrent: Bool {
    get throws {
      try connection.run("SELECT model_version FROM bolide_store").integer(0, 0) == stored.version
    }
  }

  /// Computes what is marked, and gives the transaction its number.
  ///
  /// - Parameter nonce: its word.
  /// - Returns: the token when anything changed; nil in a trial.
  func end(
    author: String?, pipeline: String?, run: Int64?, nonce: String = randomWord(length: 6)
  ) throws -> HistoryToken? {
    try refreshMarked()
    return try number(author: author, pipeline: pipeline, run: run, nonce: nonce)
  }

  /// Computes what is marked.
  func refreshMarked() throws { try MarkedObjects(connection: connection, stored: stored).refresh() }

  /// Gives the transaction its number; see `end`. Waits for no row that a writer has locked.
  func number(author: String?, pipeline: String?, run: Int64?, nonce: String) throws -> HistoryToken? {
    // A trial's has none: until it ends, nobody else could get one.
    if connection.isTrial { return nil }
    let number = try connection.run(
      "SELECT bolide_finish($1, $2, $3, $4, $5::text::timestamptz)",
      [.text(nonce), .text(author), .text(pipeline), .integer(run), .text(timestamp())])
    guard !number.isNull(0, 0) else { return nil }
    return HistoryToken(store: stored.id, number: number.integer(0, 0), nonce: nonce)
  }
}
