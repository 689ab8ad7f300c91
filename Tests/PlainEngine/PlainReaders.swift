import ImportModel
package import StoreInterface
import Synchronization

extension PlainEngine {
  package func namedReaders() -> [Reader] {
    state.withLock { state in
      state.readers.sorted { $0.key < $1.key }.map { name, reader in
        let unread = state.transactions.dropFirst(Int(reader.token.number)).map(\.transaction)
        return Reader(
          name: name, token: reader.token, state: .live, transactionsBehind: unread.count,
          changesBehind: unread.reduce(0) { $0 + $1.changeCount }, secondsBehind: 0, moved: reader.moved)
      }
    }
  }

  package func place(ofReader name: String) throws -> HistoryToken {
    guard let reader = state.withLock({ $0.readers[name] }) else { throw StoreError.noSuchReader(name, path) }
    return reader.token
  }

  package func lock(reader name: String) -> any ConsumerLock { PlainLock() }

  package func addReader(_ name: String, from start: Reader.Start) throws {
    if state.withLock({ $0.readers[name] }) != nil { throw StoreError.readerExists(name, path) }
    try put(name, at: start)
  }

  package func acknowledge(_ token: HistoryToken, by name: String) throws {
    let place = try place(ofReader: name)
    if token > place { try put(name, at: .token(token)) }
  }

  package func acknowledge(_ token: HistoryToken, by name: String, from start: HistoryToken) throws {
    if try place(ofReader: name) == start { try put(name, at: .token(token)) }
  }

  package func begin(_ name: String, at token: HistoryToken) throws { try put(name, at: .token(token)) }

  package func resetReader(_ name: String, to start: Reader.Start) throws { try put(name, at: start) }

  package func dropReader(_ name: String) throws {
    _ = try place(ofReader: name)
    state.withLock { $0.readers[name] = nil }
  }

  private func put(_ name: String, at start: Reader.Start) throws {
    try state.withLock { state in
      let number: Int64 =
        switch start {
        case .now: Int64(state.transactions.count)
        case .beginning: 0
        case .token(let token): try state.number(.token(token), path: path)
        }
      state.readers[name] = (state.token(number), timestamp())
    }
  }

  package func deliver(
    to name: String, limit: Int?, _ body: (HistoryTransaction, any TransactionConnection) throws -> Void
  ) throws -> HistoryToken? {
    try writing.whileHeld {
      var request = HistoryRequest(after: try place(ofReader: name))
      request.transactionLimit = limit
      let unread = try history(request)
      for transaction in unread { try body(transaction, NoConnection(path: path)) }
      guard let last = unread.last?.token else { return nil }
      try put(name, at: .token(last))
      return last
    }
  }
}

private struct NoConnection: TransactionConnection {
  let path: String

  func rows(_ sql: String, _ values: [Value]) throws -> [[Value]] {
    throw StoreError.unsupported("statements", by: PlainEngine.engineName, path)
  }
}
