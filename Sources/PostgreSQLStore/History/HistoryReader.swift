internal import ImportModel
internal import ModelMerging
internal import PostgreSQLAccess
internal import StoreInterface

/// One answer to a request for history, inside a read transaction.
struct HistoryReader {
  private let connection: PostgreSQLConnection
  private let stored: StoredModel
  private let path: String

  init(_ connection: PostgreSQLConnection, _ stored: StoredModel, _ path: String) {
    (self.connection, self.stored, self.path) = (connection, stored, path)
  }

  func read(
    _ request: HistoryRequest, change: (HistoryChange) throws -> Void,
    commit: (HistoryTransaction) throws -> Void
  ) throws {
    try request.check(stored.model, path: path)
    let positions = try Positions(connection, stored, path)
    let start = try positions.number(request.start)
    let end = try request.end.map { try positions.number($0) } ?? positions.newestNumber
    let inside = request.start.inside
    if case .token(let token)? = request.end {
      if token.inside != nil { throw StoreError.endsInside(token, path) }
      if request.isNet, end < start, case .token = request.start {
        throw StoreError.endsBeforeStart(token, path)
      }
    }
    if request.isNet {
      return try NetChanges(connection, stored).read(
        request, after: start, through: end, change: change, commit: commit)
    }
    let from = inside == nil ? start + 1 : start
    var batch = ChangeBatch(connection, stored, includesValues: request.includesValues)
    let widened = try Widenings(connection).byTransaction
    var walk = Walk(request: request, from: from, inside: inside, widened: widened)
    try eachRow(from, end, request.transactionLimit) { rows, row in
      try walk.take(rows, row, stored, &batch, change, commit)
    }
    walk.end(&batch)
    try batch.flush(change, commit)
  }

  /// The rows of changes with their transactions, in order, some thousand at a time.
  private func eachRow(
    _ first: Int64, _ last: Int64, _ limit: Int?, _ body: (QueryResult, Int) throws -> Bool
  ) throws {
    try connection.run(
      """
      DECLARE bolide_history NO SCROLL CURSOR FOR
      SELECT t.number, t.nonce, to_char(t.at, \(SystemTables.instant)), t.author, t.pipeline, t.run, t.model,
        \(StoredChange.columns)
      FROM (SELECT * FROM bolide_transaction WHERE number BETWEEN \(first) AND \(last)
        ORDER BY number LIMIT \(limit.map(String.init) ?? "ALL")) AS t
      LEFT JOIN bolide_change AS c ON c.transaction = t.id ORDER BY t.number, c.seq
      """)
    while true {
      let rows = try connection.run("FETCH 2000 FROM bolide_history")
      for row in 0..<rows.count {
        if try !body(rows, row) { return try close() }
      }
      if rows.count < 2000 { return try close() }
    }
  }

  private func close() throws { try connection.run("CLOSE bolide_history") }

  /// How far the reading has come.
  private struct Walk {
    let request: HistoryRequest
    let from: Int64
    let inside: HistoryToken.Inside?
    private let widened: [Int64: [Widened]]
    private var room: Int
    private var transaction: HistoryTransaction?
    /// How many rows of the transaction were passed.
    private var rowsPassed: Int64 = 0
    private var taken = 0
    private var isAtEnd = false

    init(
      request: HistoryRequest, from: Int64, inside: HistoryToken.Inside?, widened: [Int64: [Widened]]
    ) {
      (self.request, self.from, self.inside, self.widened) = (request, from, inside, widened)
      room = request.limit ?? .max
    }

    /// - Returns: whether more is wanted.
    mutating func take(
      _ rows: QueryResult, _ row: Int, _ stored: StoredModel, _ batch: inout ChangeBatch,
      _ change: (HistoryChange) throws -> Void, _ commit: (HistoryTransaction) throws -> Void
    ) throws -> Bool {
      let number = rows.integer(row, 0)
      if transaction?.number != number {
        endTransaction(&batch, isLast: false)
        guard room > 0 else { return stop() }
        transaction = HistoryTransaction(
          number: number, token: HistoryToken(store: stored.id, number: number, nonce: rows.text(row, 1)),
          at: rows.text(row, 2), author: rows.optionalText(row, 3), pipeline: rows.optionalText(row, 4),
          run: rows.optionalInteger(row, 5), model: rows.integer(row, 6), widened: widened[number] ?? [],
          changeCount: 0, changes: [])
        (rowsPassed, taken) = (0, 0)
      }
      guard let transaction, request.wants(author: transaction.author),
        let found = StoredChange(rows, row, from: 7),
        let entity = stored.entity(found.entity)
      else { return true }
      defer { rowsPassed += 1 }
      var skipped: Int64 = 0
      if number == from, let inside {
        if rowsPassed < inside.changes { return true }
        if rowsPassed == inside.changes { skipped = inside.objects }
      }
      guard let one = found.change(number, entity, stored),
        // An erased object may have had whatever is asked for.
        request.takes(
          one, entity, stored, one.erased == .object ? request.attributes : found.names(entity, stored))
      else { return true }
      for id in (found.id + skipped)...max(found.id + skipped, found.lastID) where id <= found.lastID {
        guard room > 0 else {
          // The page ends inside the transaction.
          let place = HistoryToken.Inside(changes: rowsPassed, objects: id - found.id)
          endPage(place, &batch)
          return stop()
        }
        var object = one
        object.id = id
        batch.append(object, entity)
        if batch.isFull { try batch.flush(change, commit) }
        (room, taken) = (room - 1, taken + 1)
      }
      return true
    }

    private mutating func stop() -> Bool {
      isAtEnd = true
      return false
    }

    private mutating func endPage(_ place: HistoryToken.Inside, _ batch: inout ChangeBatch) {
      guard var transaction else { return }
      let token = transaction.token
      transaction.token = HistoryToken(
        store: token.store, number: token.number, nonce: token.nonce, inside: place)
      (transaction.isWhole, transaction.changeCount) = (false, taken)
      self.transaction = nil
      batch.append(transaction)
    }

    private mutating func endTransaction(_ batch: inout ChangeBatch, isLast: Bool) {
      guard var transaction else { return }
      self.transaction = nil
      // The last one is told in any case, so that its token covers them all.
      guard taken > 0 || isLast || !transaction.widened.isEmpty else { return }
      transaction.changeCount = taken
      batch.append(transaction)
    }

    mutating func end(_ batch: inout ChangeBatch) {
      if !isAtEnd { endTransaction(&batch, isLast: true) }
    }
  }
}

/// What migrations have done to the types of attributes.
struct Widenings {
  /// By the transaction's number.
  private(set) var byTransaction: [Int64: [Widened]] = [:]
  /// Those that gave values another form, with their transactions' numbers.
  private(set) var conversions: [(number: Int64, widened: Widened)] = []

  init(_ connection: PostgreSQLConnection) throws {
    let rows = try connection.run(
      """
      SELECT t.number, e.name, p.name, w.was, w.type, \(Widening.wasConversion) FROM bolide_widening AS w
      JOIN bolide_transaction AS t ON t.id = w.transaction JOIN bolide_property AS p ON p.number = w.property
      JOIN bolide_entity AS e ON e.number = p.entity WHERE t.number IS NOT NULL ORDER BY t.number, p.number
      """)
    for row in 0..<rows.count {
      let number = rows.integer(row, 0)
      let widened = Widened(
        entity: rows.text(row, 1), attribute: rows.text(row, 2), was: rows.text(row, 3),
        type: rows.text(row, 4))
      byTransaction[number, default: []].append(widened)
      if rows.integer(row, 5) != 0 { conversions.append((number, widened)) }
    }
  }
}

extension HistoryRequest {
  /// Whether a change is wanted.
  ///
  /// - Parameter changed: the properties that an update has changed.
  func takes(
    _ change: HistoryChange, _ entity: Entity, _ stored: StoredModel,
    _ changed: @autoclosure () -> Set<String>
  ) -> Bool {
    guard wants(change.kind), entities.isEmpty || entities.contains(change.entity) else { return false }
    if attributes.isEmpty { return true }
    func isNamed(_ name: String) -> Bool {
      attributes.contains(name) || attributes.contains("\(entity.name).\(name)")
    }
    if change.kind == .update { return changed().contains(where: isNamed) }
    // A row that comes or goes brings or takes all that its entity has, or had.
    let number = stored.number(of: entity)
    return entity.properties.contains { isNamed($0.name) }
      || stored.record.dropped.contains { $0.entity == number && isNamed($0.name) }
  }
}
