package import ImportModel

/// What pruning asks of a history, inside the transaction that takes from it.
package protocol PrunableHistory {
  /// The newest transaction with which, and before which, all are older than so many seconds.
  func newest(olderThan seconds: Double) throws -> Int64

  /// The newest transaction besides the so many newest ones; 0 for none.
  func newest(besides count: Int) throws -> Int64

  /// The newest transaction that has to go for the rest to be smaller than about so many bytes; 0 for none.
  func newest(beyond size: Int64) throws -> Int64

  /// The bytes of the whole store.
  func storeBytes() throws -> Int64

  /// The named readers that history is kept for and that have not read up to a number, in the order of their places.
  func readers(before number: Int64) throws -> [(name: String, number: Int64)]

  /// Takes the oldest transactions out of history, one step of them.
  ///
  /// - Returns: the newest that is gone, and how many transactions and changes went; nil when there is none up to the number.
  func raiseFloor(to number: Int64) throws -> (floor: Int64, transactions: Int, changes: Int)?
}

/// What may go from history, and what readers have to do with it.
package struct PruneLimit {
  /// The newest number that may go; 0 for none.
  package var number: Int64 = 0
  /// Live readers that keep more from going.
  package var holding: [String] = []
  /// Readers that are not waited for any more, with their places.
  package var released: [(name: String, number: Int64)] = []

  /// History below this size is never too large.
  fileprivate static let smallSize: Int64 = 64_000_000
}

extension PrunableHistory {
  /// What may go under a pipeline's rules, or under none.
  package func limit(_ retention: HistoryRetention?) throws -> PruneLimit {
    let rules = retention ?? HistoryRetention()
    var wanted: [Int64] = []
    if let keep = rules.keep { wanted.append(keep.isFinite ? try newest(olderThan: keep) : 0) }
    if let count = rules.transactions { wanted.append(try newest(besides: count)) }
    let number = try wanted.min() ?? newest(beyond: max(PruneLimit.smallSize, storeBytes() / 2))
    return try limit(number, hold: rules.holdForReaders ?? .infinity, cap: rules.cap)
  }

  /// What may go up to a number, as far as readers are through with it.
  ///
  /// - Parameters:
  ///   - hold: for how many seconds a reader's oldest unread transaction is kept.
  ///   - cap: the bytes beyond which readers are not waited for.
  package func limit(_ number: Int64, hold: Double = .infinity, cap: Int64? = nil) throws -> PruneLimit {
    let tooOld = hold.isFinite ? try newest(olderThan: hold) : 0
    let tooMuch = try cap.map(newest(beyond:)) ?? 0
    var limit = PruneLimit(number: number)
    for (name, place) in try readers(before: number) {
      if place < max(tooOld, tooMuch) {
        limit.released.append((name, place))
      } else {
        limit.holding.append(name)
        limit.number = min(limit.number, place)
      }
    }
    return limit
  }
}

extension PruneRequest {
  /// Prunes as it is asked to.
  ///
  /// - Parameters:
  ///   - number: the transaction that a place of history stands behind, or in; it checks the place.
  ///   - prune: takes away what a limit lets go.
  package func run<History: PrunableHistory>(
    number: (HistoryRequest.Start) throws -> Int64,
    prune: ((History) throws -> PruneLimit) throws -> PruneReport
  ) throws -> PruneReport {
    switch self {
    case .olderThan(let seconds): return try prune { try $0.limit(HistoryRetention(keep: seconds)) }
    case .keepingTransactions(let count):
      return try prune { try $0.limit(HistoryRetention(transactions: count)) }
    case .before(let start):
      do {
        let number = try number(start)
        // Of a transaction that is read in part, the rest is still wanted.
        return try prune { try $0.limit(start.inside == nil ? number : number - 1) }
      } catch let error as StoreError where error.code == .tokenExpired {
        // It is gone already.
        return PruneReport()
      }
    }
  }
}

extension PruneReport {
  /// Takes one step of what may go.
  ///
  /// - Returns: whether there may be more.
  package mutating func take(_ limit: PruneLimit, from history: some PrunableHistory) throws -> Bool {
    holding = limit.holding
    guard let gone = try history.raiseFloor(to: limit.number) else { return false }
    transactions += gone.transactions
    changes += gone.changes
    // A reader that has expired is not among them the next time.
    expired += limit.released.filter { $0.number < gone.floor }.map(\.name)
    return true
  }
}
