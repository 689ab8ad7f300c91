internal import ImportModel
internal import PostgreSQLAccess
internal import QueryPlans
package import StoreInterface
internal import Synchronization

extension PostgreSQLEngine {
  package func openRows(_ request: ObjectQuery, at token: HistoryToken?) throws -> any RowPages {
    guard request.batchSize == nil else { return BatchedRows(self, request, at: token) }
    if token == nil { try refresh() }
    return try OpenRows(OpenReading(self), [request], at: token)
  }

  package func openSnapshot(of entities: [String]) throws -> (Snapshot, any RowPages) {
    let (reading, snapshot, wanted) = try OpenReading.snapshot(self, of: entities)
    return (snapshot, try OpenRows(reading, wanted.map { ObjectQuery($0.name) }, at: nil))
  }

  package func pinState(at token: HistoryToken?) throws -> any StatePin {
    try refresh()
    return try PinnedState(OpenReading(self), at: token)
  }
}

/// A session of its own in an open read transaction.
///
/// Unchecked, as whoever holds it uses it under a mutex alone.
private final class OpenReading: @unchecked Sendable {
  private let engine: PostgreSQLEngine
  private let connection: PostgreSQLConnection
  let stored: StoredModel

  private init(_ engine: PostgreSQLEngine, _ connection: PostgreSQLConnection, _ stored: StoredModel) {
    (self.engine, self.connection, self.stored) = (engine, connection, stored)
  }

  convenience init(_ engine: PostgreSQLEngine) throws {
    let (connection, stored) = try engine.address.telling {
      let connection = try engine.take()
      return (connection, try engine.beginReading(connection))
    }
    self.init(engine, connection, stored)
  }

  /// Begins at a snapshot.
  static func snapshot(
    _ engine: PostgreSQLEngine, of entities: [String]
  ) throws -> (OpenReading, Snapshot, [Entity]) {
    try engine.address.telling {
      let connection = try engine.take()
      let (snapshot, wanted, stored) = try engine.beginSnapshot(connection, of: entities)
      return (OpenReading(engine, connection, stored), snapshot, wanted)
    }
  }

  deinit { connection.rollBack() }

  func checkOpen() throws(StoreError) { try engine.checkOpen() }

  func read<Result>(_ body: (PostgreSQLConnection, FetchReading) throws -> Result) throws -> Result {
    try engine.address.telling {
      try body(connection, FetchReading(connection, stored, engine.path))
    }
  }

  /// The same, for a transaction that is read from again: a predicate that fails for an object's values must not end it.
  func readAgain<Result>(_ body: (FetchReading) throws -> Result) throws -> Result {
    try read { connection, fetch in try connection.inSavepoint { try body(fetch) } }
  }

  /// The state's place in history, or an earlier one, checked.
  func place(_ token: HistoryToken?) throws -> HistoryToken {
    try read { connection, _ in
      let positions = try Positions(connection, stored, engine.path)
      if let token { try positions.check(token) }
      return try token ?? positions.newest
    }
  }
}

/// The rows of requests, one request after the other, from one state: a cursor gives them a page at a time.
private final class OpenRows: RowPages {
  private struct State {
    /// Nil when the rows have ended.
    var reading: OpenReading?
    /// Those whose rows are still to come.
    var requests: [ObjectQuery]
    /// That of the present request.
    var cursor: FetchCursor?
  }

  /// Unchecked, as a cursor is used where its session is: under the mutex.
  private struct Guarded: @unchecked Sendable { var state: State }

  private let guarded: Mutex<Guarded>
  private let token: HistoryToken?
  private static let rows = 256

  init(_ reading: OpenReading, _ requests: [ObjectQuery], at token: HistoryToken?) throws {
    self.token = token
    guarded = Mutex(Guarded(state: State(reading: reading, requests: requests)))
    // What is wrong with a request is told before the first page.
    try guarded.withLock { try Self.open(&$0.state, token) }
  }

  func next() throws -> [Snapshot.Row] {
    try guarded.withLock { guarded in
      while let reading = guarded.state.reading, let cursor = guarded.state.cursor {
        do {
          try reading.checkOpen()
          let rows = try reading.read { _, fetch in
            var rows: [Snapshot.Row] = []
            while rows.count < Self.rows, let row = try fetch.nextRow(cursor) { rows.append(row) }
            return rows
          }
          if rows.count < Self.rows { try Self.open(&guarded.state, token) }
          if !rows.isEmpty { return rows }
        } catch {
          guarded.state = State(requests: [])
          throw error
        }
      }
      return []
    }
  }

  /// Opens a cursor for the next request; lets go of the session behind the last one.
  private static func open(_ state: inout State, _ token: HistoryToken?) throws {
    state.cursor?.end()
    state.cursor = nil
    guard let reading = state.reading, !state.requests.isEmpty else {
      state.reading = nil
      return
    }
    let request = state.requests.removeFirst()
    state.cursor = try reading.read { _, fetch in
      try fetch.cursor(fetch.statement(request, at: token, readsKeys: true))
    }
  }

  func end() { guarded.withLock { $0.state = State(requests: []) } }
}

/// The rows of a request in batches, each from a state of its own: nothing is held between them.
final class BatchedRows: RowPages {
  private struct State {
    /// Behind which object the next batch begins; nil for the first.
    var place: FetchStatement.Place?
    /// How many objects may still come.
    var rest: Int
    var isAtEnd = false
  }

  private let engine: PostgreSQLEngine
  private let request: ObjectQuery
  private let token: HistoryToken?
  private let state: Mutex<State>

  /// - Parameter request: with a size of batches.
  init(_ engine: PostgreSQLEngine, _ request: ObjectQuery, at token: HistoryToken?) {
    (self.engine, self.request, self.token) = (engine, request, token)
    state = Mutex(State(rest: request.limit ?? .max))
  }

  func next() throws -> [Snapshot.Row] {
    try state.withLock { state in
      try engine.checkOpen()
      if state.isAtEnd { return [] }
      let size = min(request.batchSize ?? .max, state.rest)
      let place = state.place
      let (rows, next) = try engine.fetching(at: token) {
        try $0.batch(request, at: token, behind: place, size: size)
      }
      state.rest -= rows.count
      (state.place, state.isAtEnd) = (next, next == nil || state.rest == 0)
      return rows
    }
  }

  func end() { state.withLock { $0.isAtEnd = true } }
}

/// A state that stays as it is for as long as somebody reads it.
private final class PinnedState: StatePin {
  let token: HistoryToken
  private let reading: Mutex<OpenReading>
  /// Where that is an older state than the transaction's own.
  private let past: HistoryToken?

  init(_ reading: OpenReading, at token: HistoryToken?) throws {
    self.token = try reading.place(token)
    past = token
    self.reading = Mutex(reading)
  }

  func rows(_ request: ObjectQuery) throws -> [Snapshot.Row] {
    try reading.withLock { reading in
      var rows: [Snapshot.Row] = []
      try reading.readAgain { try $0.rows(request, at: past) { rows.append($0) } }
      return rows
    }
  }

  func count(_ request: ObjectQuery) throws -> Int {
    try reading.withLock { reading in try reading.readAgain { try $0.count(request, at: past) } }
  }
}
