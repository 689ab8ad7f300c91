package import GRDB
internal import ImportModel
internal import ModelMerging
internal import SQLiteAccess
package import StoreInterface

extension SQLiteEngine {
  /// The place after the newest transaction.
  package func newestToken() throws -> HistoryToken {
    try reading { try HistoryPositions($0).newest() }
  }

  /// Sees that history goes back to its beginning.
  ///
  /// - Throws: `StoreError.tokenExpired` where transactions were pruned.
  package func checkBeginning() throws {
    let floor = try reading { try HistoryPositions($0).floor }
    if floor > 0 { throw StoreError.prunedBeginning(floor, path) }
  }

  /// Reads history in commit order, from one state of the store.
  ///
  /// A transaction of which nothing is wanted is left out; only the last one is told all the same, with no change, so
  /// that its token covers them all.
  /// - Parameters:
  ///   - request: what is wanted.
  ///   - change: called for each change; a transaction's changes come before its end.
  ///   - commit: called at each transaction's end, and at a page's end inside one.
  /// - Throws: `StoreError` when the start is not a place of this store's history or the request cannot be met, and what
  ///   the callbacks throw.
  package func readHistory(
    _ request: HistoryRequest, change: (HistoryChange) throws -> Void,
    commit: (HistoryTransaction) throws -> Void
  ) throws {
    try reading { db in
      try HistoryReading(db, request, path: path).run(change: change, commit: commit)
    }
  }
}

/// One answer to a request, inside a read transaction.
package struct HistoryReading {
  private let request: HistoryRequest
  private let positions: HistoryPositions
  private let entities: [Int64: EntityReader]
  private let db: Database
  private let start: Int64
  /// The newest transaction that is wanted; nil for all.
  private let end: Int64?
  private let inside: HistoryToken.Inside?
  /// By the transaction's number.
  private let widened: [Int64: [Widened]]

  package init(_ db: Database, _ request: HistoryRequest, path: String) throws {
    self.db = db
    self.request = request
    let stored = try ModelRecord(db)
    let model = stored.model
    try request.check(model, path: path)
    let positions = try HistoryPositions(db)
    self.positions = positions
    (start, inside) = try positions.start(request.start, path: path)
    end = try request.end.map { try positions.start($0, path: path).number }
    if case .token(let token)? = request.end {
      if token.inside != nil { throw StoreError.endsInside(token, path) }
      if request.isNet, token.number < start, case .token = request.start {
        throw StoreError.endsBeforeStart(token, path)
      }
    }
    let numbers = try PropertyNumbers(db, model: model, creating: false)
    var entities: [Int64: EntityReader] = [:]
    for entity in model.entities {
      entities[numbers.entity(entity.name)] = try EntityReader(
        db, entity, numbers, request, dropped: stored.dropped,
        readsRows: request.includesValues || request.isNet)
    }
    self.entities = entities
    widened = try Self.widened(db)
  }

  private static func widened(_ db: Database) throws -> [Int64: [Widened]] {
    let rows = try RawStatement(
      db,
      """
      SELECT number, e.name, p.name, was, type FROM bolide_widening JOIN bolide_property AS p USING (property)
      JOIN bolide_entity AS e USING (entity) ORDER BY number, property
      """)
    var widened: [Int64: [Widened]] = [:]
    while try rows.step() {
      let texts = (1...4).map { rows.string($0) ?? "" }
      widened[rows.integer(0), default: []].append(
        Widened(entity: texts[0], attribute: texts[1], was: texts[2], type: texts[3]))
    }
    return widened
  }

  package func run(
    change: (HistoryChange) throws -> Void, commit: (HistoryTransaction) throws -> Void
  ) throws {
    if request.isNet { return try runNet(change: change, commit: commit) }
    let changes = try ChangeReader(db, request, entities)
    let statement = try transactions()
    defer { statement.reset() }
    var room = request.limit ?? .max
    var skipped: HistoryTransaction?
    while try statement.step() {
      guard room > 0 else { return }
      var transaction = try row(statement)
      let before = room
      if request.wants(author: transaction.author) {
        let from = transaction.number == start ? inside : nil
        var stop: HistoryToken.Inside?
        // A gap is a transaction without changes.
        let (first, last) = try (statement.number(6), statement.number(7))
        if first <= last {
          stop = try changes.read(
            first...last, transaction: transaction.number,
            from: from ?? HistoryToken.Inside(changes: 0, objects: 0), room: &room, change)
        }
        transaction.changeCount = before - room
        if let stop {
          transaction.token = positions.token(transaction.token, inside: stop)
          transaction.isWhole = false
          return try commit(transaction)
        }
      } else {
        transaction.changeCount = 0
      }
      skipped = room == before && transaction.widened.isEmpty ? transaction : nil
      if skipped == nil { try commit(transaction) }
    }
    if let skipped { try commit(skipped) }
  }

  private func runNet(
    change: (HistoryChange) throws -> Void, commit: (HistoryTransaction) throws -> Void
  ) throws {
    let statement = try transactions()
    var last: HistoryTransaction?
    // Of a gap alone, the last change is before the first.
    var range: (first: Int64, last: Int64)?
    var widened: [Widened] = []
    while try statement.step() {
      last = try row(statement)
      widened += last?.widened ?? []
      range = try (range?.first ?? statement.number(6), statement.number(7))
    }
    guard var last, let range else { return }
    let net = try NetChanges(
      db, request, entities, after: range.first - 1, through: range.last, transaction: last.number)
    // The changes are those of all the transactions.
    (last.changeCount, last.author, last.pipeline, last.run) = (0, nil, nil, nil)
    last.widened = widened
    try net.read {
      last.changeCount += 1
      try change($0)
    }
    try commit(last)
  }

  /// How many changes an unfiltered request has.
  func count() throws -> Int {
    let statement = try transactions()
    defer { statement.reset() }
    var count: Int64 = 0
    while try statement.step() { count += try statement.number(8) }
    return Int(count)
  }

  /// The transactions between the request's places, in order.
  private func transactions() throws -> RawStatement {
    let statement = try RawStatement(
      db,
      """
      SELECT number, nonce, at, t.author, t.run, pipeline, first_change, last_change,
        t.inserted + t.updated + t.deleted, t.model
      FROM bolide_transaction AS t LEFT JOIN bolide_run USING (run)
      WHERE number BETWEEN ? AND ? ORDER BY number LIMIT ?
      """)
    statement.bind(inside == nil ? start + 1 : start, at: 1)
    statement.bind(end ?? .max, at: 2)
    statement.bind(request.transactionLimit ?? -1, at: 3)
    return statement
  }

  private func row(_ statement: RawStatement) throws(StoreError) -> HistoryTransaction {
    HistoryTransaction(
      number: try statement.number(0),
      token: HistoryToken(
        store: positions.store, number: try statement.number(0), nonce: try statement.word(1)),
      at: statement.string(2) ?? "", author: statement.string(3), pipeline: statement.string(5),
      run: statement.isNull(4) ? nil : statement.integer(4), model: statement.integer(9),
      widened: widened[try statement.number(0)] ?? [],
      changeCount: Int(try statement.number(8)),
      isWhole: true, changes: [])
  }
}
