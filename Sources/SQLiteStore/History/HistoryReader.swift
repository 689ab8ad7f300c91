internal import GRDB
internal import ImportModel

extension Store {
  /// Makes one transaction of the changes that other programs have made since the last one.
  ///
  /// - Returns: its token, or nil when there was nothing to seal.
  @discardableResult
  package func seal() throws -> HistoryToken? {
    try writing { db in
      try RestoreCheck.run(db)
      // The look costs nothing; only what there is to seal takes the write lock.
      guard try Self.hasUnsealedChanges(db) else { return nil }
      var token: HistoryToken?
      try db.inTransaction(.immediate) {
        token = try HistoryWriter(db).begin()
        return .commit
      }
      return token
    }
  }

  static func hasUnsealedChanges(_ db: Database) throws -> Bool {
    try db.value(
      """
      SELECT ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'bolide_change'), 0)
        > ifnull((SELECT last_change FROM bolide_transaction ORDER BY number DESC LIMIT 1), 0)
      """) == .integer(1)
  }

  /// Reads history in commit order, from one state of the store.
  ///
  /// - Parameters:
  ///   - token: where to begin: after this token's transaction, or at the beginning.
  ///   - limit: how many transactions; nil for all.
  ///   - change: called for each change; a transaction's changes come before its end.
  ///   - commit: called at each transaction's end.
  /// - Throws: `StoreError` when the token is not one of this store's history, and what the callbacks throw.
  package func readHistory(
    after token: HistoryToken?, limit: Int? = nil, change: (HistoryChange) throws -> Void,
    commit: (HistoryTransaction) throws -> Void
  ) throws {
    try reading { db in
      let places = try HistoryPlaces(db)
      if let token { try places.check(token, path: path) }
      let changes = try ChangeReader(db)
      let transactions = try RawStatement(
        db,
        """
        SELECT number, nonce, at, t.author, t.run, pipeline, first_change, last_change,
          t.inserted + t.updated + t.deleted
        FROM bolide_transaction AS t LEFT JOIN bolide_run USING (run) WHERE number > ? ORDER BY number LIMIT ?
        """)
      transactions.bind(token?.number ?? 0, at: 1)
      transactions.bind(limit ?? -1, at: 2)
      defer { transactions.reset() }
      while try transactions.step() {
        let number = transactions.integer(0)
        try changes.read(
          from: transactions.integer(6), through: transactions.integer(7), transaction: number, change)
        try commit(
          HistoryTransaction(
            number: number,
            token: HistoryToken(store: places.store, number: number, nonce: transactions.string(1) ?? ""),
            at: transactions.string(2) ?? "", author: transactions.string(3),
            pipeline: transactions.string(5), run: transactions.isNull(4) ? nil : transactions.integer(4),
            changeCount: Int(transactions.integer(8)), changes: []))
      }
    }
  }
}
