import ImportModel
import PlainStore
package import StoreInterface
import Synchronization

extension PlainEngine {
  /// Makes a transaction of what a store has otherwise than the last one; nil where that is nothing.
  ///
  /// - Parameter keepsTimes: the times of last changes are those that the store has.
  func commit(
    _ store: PlainStore, author: String?, pipeline: String?, run: Int64?, keepsTimes: Bool = false
  ) -> HistoryToken? {
    state.withLock { state in
      let at = timestamp()
      var store = store
      store.derive()
      if !keepsTimes { store.setTimes(at, since: state.store) }
      store.derive()
      let number = Int64(state.transactions.count) + 1
      let changes = PlainDifference(state.model, from: state.store, to: store).changes(in: number)
      state.store = store
      guard !changes.isEmpty else { return nil }
      let token = HistoryToken(store: state.id, number: number, nonce: randomWord(length: 6))
      let transaction = HistoryTransaction(
        number: number, token: token, at: at, author: author, pipeline: pipeline, run: run, model: 1,
        changeCount: changes.count, isWhole: true, changes: changes)
      state.transactions.append((transaction, store))
      return token
    }
  }

  package func assignPendingChanges(readsHistory: Bool, waiting seconds: Double) -> [ReadingNote] { [] }

  package func newestToken() -> HistoryToken {
    state.withLock { $0.token(Int64($0.transactions.count)) }
  }

  package func checkBeginning() {}

  package func readHistory(
    _ request: HistoryRequest, change: (HistoryChange) throws -> Void,
    commit: (HistoryTransaction) throws -> Void
  ) throws {
    let state = state.withLock { $0 }
    try request.check(state.model, path: path)
    if request.limit != nil || !request.attributes.isEmpty {
      throw StoreError.unsupported("pages of changes, and changes of attributes", by: Self.engineName, path)
    }
    let start = try state.number(request.start, path: path)
    let end = try request.end.map { try state.number($0, path: path) } ?? .max
    if request.isNet, end < start, case .token(let through)? = request.end {
      throw StoreError.endsBeforeStart(through, path)
    }
    let wanted = state.transactions.map(\.transaction).filter { $0.number > start && $0.number <= end }
      .prefix(request.transactionLimit ?? .max)
    func takes(_ change: HistoryChange) -> Bool {
      request.wants(change.kind) && (request.entities.isEmpty || request.entities.contains(change.entity))
    }
    func tell(_ one: HistoryChange) throws {
      var one = one
      one.values = request.includesValues ? state.presentValues(one) : nil
      try change(one)
    }
    if request.isNet {
      guard var last = wanted.last else { return }
      let net = PlainDifference(state.model, from: state.store(start), to: state.store(last.number))
      let changes = net.changes(in: last.number).filter(takes)
      for change in changes { try tell(change) }
      (last.changes, last.changeCount) = ([], changes.count)
      (last.author, last.pipeline, last.run) = (nil, nil, nil)
      return try commit(last)
    }
    for transaction in wanted {
      var transaction = transaction
      let changes = request.wants(author: transaction.author) ? transaction.changes.filter(takes) : []
      for change in changes { try tell(change) }
      (transaction.changes, transaction.changeCount) = ([], changes.count)
      // The last one is told in any case, so that its token covers them all.
      if !changes.isEmpty || transaction.number == wanted.last?.number { try commit(transaction) }
    }
  }

  package func watchCommits() -> any CommitWatch { PlainWatch(engine: self) }
}

private final class PlainWatch: CommitWatch {
  let engine: PlainEngine

  init(engine: PlainEngine) { self.engine = engine }

  /// A look that finds nothing costs as little as one that remembers what it saw.
  func hasCommit() -> Bool { true }
  func check() throws(StoreError) {}
}

extension PlainState {
  /// The number of the transaction behind which a request begins.
  func number(_ start: HistoryRequest.Start, path: String) throws -> Int64 {
    switch start {
    case .beginning: return 0
    case .transaction(let number):
      guard number <= Int64(transactions.count) else {
        throw StoreError.tokenFromTheFuture(token(number), path)
      }
      return number
    case .date(let text):
      return transactions.first { $0.transaction.at >= text }.map { $0.transaction.number - 1 }
        ?? Int64(transactions.count)
    case .token(let token):
      guard token.store == id else { throw StoreError.tokenOfAnotherStore(token, path) }
      guard token.number <= Int64(transactions.count) else {
        throw StoreError.tokenFromTheFuture(token, path)
      }
      guard self.token(token.number).nonce == token.nonce else { throw StoreError.tokenDiverged(token, path) }
      return token.number
    }
  }

  /// The present row of a changed object.
  fileprivate func presentValues(_ change: HistoryChange) -> [HistoryChange.Property]? {
    guard let entity = model.entity(named: change.entity),
      let object = store.object(change.entity, Int(change.id))
    else { return nil }
    return entity.properties(object)
  }
}

extension PlainStore {
  /// Gives what is derived from the clock the time of a transaction, in objects that it changed.
  fileprivate mutating func setTimes(_ at: String, since before: PlainStore) {
    for entity in model.entities {
      for attribute in entity.attributes {
        guard case .now = attribute.derivation else { continue }
        for id in ids(entity.name)
        where object(entity.name, id)?.changed != before.object(entity.name, id)?.changed {
          let precise = attribute.kind == .instant
          objects[entity.name]?[id]?.values[attribute.name] = .text(precise ? at : "\(at.prefix(19))Z")
        }
      }
    }
  }
}
