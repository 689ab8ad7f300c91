internal import GRDB
internal import ImportModel

extension Store {
  /// Changes rows with plain SQL, as one transaction of history that names its author. Derived attributes are settled in it.
  ///
  /// The triggers are on, as for any other program; what others have changed before is sealed first.
  /// - Parameter body: an error takes everything back.
  /// - Returns: what `body` says, and the transaction's token; nil when nothing changed.
  func editing<Result>(author: String, _ body: (Database, Model) throws -> Result) throws -> (
    Result, HistoryToken?
  ) {
    try restoreTriggers()
    return try writing { db in
      try RestoreCheck.run(db)
      let model = try SchemaUpdate.storedModel(db) ?? Model()
      try DerivedSettling.run(db, model: model)
      var outcome: (Result, HistoryToken?)?
      try db.inTransaction(.immediate) {
        let history = try HistoryWriter(db, triggersWrite: true)
        try history.begin()
        let result = try body(db, model)
        let numbers = try PropertyNumbers(db, model: model, creating: false)
        try DerivedSettling(db, DerivedPlan(model, numbers), numbers, marks: nil)
          .run(history: nil, clock: timestamp())
        outcome = (result, try history.end(author: author, run: nil))
        return .commit
      }
      guard let outcome else { preconditionFailure("a transaction that ends has an outcome") }
      return outcome
    }
  }
}
