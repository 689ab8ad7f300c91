internal import GRDB
internal import SQLiteStore
package import StoreInterface

/// A connection with an open read transaction.
final class PinnedSnapshot: StatePin {
  let token: HistoryToken
  private let snapshot: DatabaseSnapshot
  /// Where that is an older state than the transaction's own.
  private let past: HistoryToken?
  private let store: SQLiteEngine
  /// Tells others of it.
  private let file: PinFile?

  init(_ store: SQLiteEngine, at token: HistoryToken?) throws {
    let (snapshot, newest) = try store.assignedSnapshot()
    if let token {
      try store.naming { try snapshot.read { try HistoryPositions($0).check(token, path: store.path) } }
    }
    self.token = token ?? newest
    (self.snapshot, self.store) = (snapshot, store)
    past = self.token == newest ? nil : self.token
    file = PinFile(store: store.path, token: self.token)
  }

  func rows(_ request: ObjectQuery) throws -> [Snapshot.Row] {
    var rows: [Snapshot.Row] = []
    try reading { try $0.rows(request, at: past) { rows.append($0) } }
    return rows
  }

  func count(_ request: ObjectQuery) throws -> Int {
    try reading { try $0.count(request, at: past) }
  }

  private func reading<Answer>(_ body: (FetchReading) throws -> Answer) throws -> Answer {
    try store.naming { try snapshot.read { try body(FetchReading($0, path: store.path)) } }
  }
}

extension SQLiteEngine {
  package func pinState(at token: HistoryToken?) throws -> any StatePin {
    try PinnedSnapshot(self, at: token)
  }
}
