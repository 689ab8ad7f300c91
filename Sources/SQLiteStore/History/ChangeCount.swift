internal import GRDB
package import StoreInterface

extension SQLiteEngine {
  /// How many changes a request has, on the calling thread.
  package func countChanges(_ request: HistoryRequest) throws -> Int {
    if request.isUnfiltered, !request.isNet, request.limit == nil, !request.start.isInside {
      return try reading { try HistoryReading($0, request, path: path).count() }
    }
    var count = 0
    try readHistory(request) { _ in
      count += 1
    } commit: { _ in
    }
    return count
  }
}

extension HistoryRequest.Start {
  /// Whether it is a place inside a transaction.
  var isInside: Bool {
    if case .token(let token) = self { token.inside != nil } else { false }
  }
}
