package import ImportModel

/// What named readers need of a store.
package protocol ReaderEngine: EngineIdentity {
  /// The store's readers, by name, with how far each is behind.
  func namedReaders() throws -> [Reader]

  /// The place from which a reader goes on.
  func place(ofReader name: String) throws -> HistoryToken

  /// Sees that the store can be written, so that what is delivered can be acknowledged.
  func checkWritable() throws

  /// Takes the lock that keeps two consumers of one reader apart.
  ///
  /// - Returns: the lock; it is released with the last reference.
  /// - Throws: `StoreError.locked` where another consumer holds it.
  func lock(reader name: String) throws -> any ConsumerLock

  /// Adds a reader.
  func addReader(_ name: String, from start: Reader.Start) throws

  /// Acknowledges everything up to a token.
  func acknowledge(_ token: HistoryToken, by name: String) throws

  /// Moves a reader from where its delivery began to where it ended, unless somebody else moved it meanwhile.
  ///
  /// Waits for other programs as long as it takes: what was delivered is not to be delivered again.
  func acknowledge(_ token: HistoryToken, by name: String, from start: HistoryToken) throws

  /// Lets a reader begin at a token, after a snapshot; adds it where there is none. Waits as `acknowledge` does.
  func begin(_ name: String, at token: HistoryToken) throws

  /// Lets a reader begin again somewhere.
  func resetReader(_ name: String, to start: Reader.Start) throws

  /// Removes a reader.
  func dropReader(_ name: String) throws

  /// Hands the transactions that a reader has not seen to a closure, and moves the reader on, in one transaction.
  ///
  /// - Returns: the reader's new place; nil when there was nothing to hand over.
  func deliver(
    to name: String, limit: Int?, _ body: (HistoryTransaction, any TransactionConnection) throws -> Void
  ) throws -> HistoryToken?
}

/// The lock that keeps two consumers of one reader apart; it is released with the last reference.
package protocol ConsumerLock: AnyObject, Sendable {
  /// Takes it again where it went with a lost connection. One thread at a time may ask.
  ///
  /// - Returns: whether it had gone: then somebody else may have moved the reader.
  /// - Throws: `StoreError.locked` where another consumer holds it by now.
  func renew() throws -> Bool
}

extension ConsumerLock {
  /// What does not hang on a connection stays.
  package func renew() -> Bool { false }
}

/// Runs statements inside a transaction of a store.
package protocol TransactionConnection {
  /// The rows of a statement with values for its `?`.
  func rows(_ sql: String, _ values: [Value]) throws -> [[Value]]
}
