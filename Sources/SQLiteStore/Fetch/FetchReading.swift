internal import GRDB
internal import GRDBSQLite
internal import ImportModel

/// Answers fetches inside one read transaction, for its own state or for a past one.
struct FetchReading {
  private let db: Database
  private let path: String
  private let model: Model

  init(_ db: Database, path: String) throws {
    (self.db, self.path) = (db, path)
    model = try SchemaUpdate.storedModel(db) ?? Model()
  }

  /// Hands over the objects as they are, or as they were at a token.
  func rows(
    _ request: FetchRequest, at token: HistoryToken?, _ body: (Snapshot.Row) throws -> Void
  ) throws {
    let plan = try FetchPlan(request, model, readsKeys: true)
    try run(request, plan, at: token, { plan.query(plan.columns, $0) }) { statement in
      if let row = plan.shape.row(statement) { try body(row) }
    }
  }

  /// Hands over the objects' cells, behind what they are.
  func cells(
    _ request: FetchRequest, at token: HistoryToken?, begin: (FetchShape) throws -> Void,
    _ body: (FetchedCells) throws -> Void
  ) throws {
    let plan = try FetchPlan(request, model, readsKeys: false)
    try begin(plan.shape)
    try run(request, plan, at: token, { plan.query(plan.columns, $0) }) {
      try body(FetchedCells(statement: $0))
    }
  }

  /// The objects' ids in the request's order.
  func ids(_ request: FetchRequest, at token: HistoryToken?) throws -> [Int64] {
    let plan = try FetchPlan(request, model, readsKeys: false)
    var ids: [Int64] = []
    try run(request, plan, at: token, { plan.query([FetchTree.id(0)], $0) }) { ids.append($0.integer(0)) }
    return ids
  }

  /// How many objects there are, within the request's limit and behind its offset.
  func count(_ request: FetchRequest, at token: HistoryToken?) throws -> Int {
    let plan = try FetchPlan(request, model, readsKeys: false)
    var count: Int64 = 0
    try run(request, plan, at: token, isSorted: false, { plan.query(["count(*)"], $0) }) {
      count = $0.integer(0)
    }
    count = max(0, count - Int64(request.offset))
    return Int(min(count, Int64(request.limit ?? .max)))
  }

  /// The next objects behind a place.
  ///
  /// - Parameters:
  ///   - place: nil for the beginning, where the request's offset counts.
  ///   - size: how many.
  /// - Returns: the objects, and the place behind the last one; nil when there are no more.
  func batch(
    _ request: FetchRequest, at token: HistoryToken?, behind place: FetchPlace?, size: Int
  ) throws -> (rows: [Snapshot.Row], place: FetchPlace?) {
    let plan = try FetchPlan(request, model, readsKeys: true)
    var (rows, next): ([Snapshot.Row], FetchPlace?) = ([], nil)
    var part = request
    part.limit = size
    if place != nil { part.offset = 0 }
    let condition = place?.condition(plan.order, from: request.arguments.count + 1)
    try run(
      part, plan, at: token, behind: place,
      { plan.query(plan.columns + plan.order.map(\.sql) + [FetchTree.id(0)], and: condition, $0) }
    ) { statement in
      if let row = plan.shape.row(statement) { rows.append(row) }
      if rows.count == size {
        next = FetchPlace(statement, from: plan.columns.count, count: plan.order.count)
      }
    }
    return (rows, next)
  }

  // MARK: The query

  /// Goes on to the next row. An expression can fail for the values of one object, as JSON that is none.
  private func step(_ statement: RawStatement, hasPredicate: Bool) throws(StoreError) -> Bool {
    do {
      return try statement.step()
    } catch {
      guard error.code == .other, hasPredicate else { throw error }
      throw StoreError.predicateFails(error.message.replacing(StoreError.sqliteSays, with: ""))
    }
  }

  private func run(
    _ request: FetchRequest, _ plan: FetchPlan, at token: HistoryToken?, behind place: FetchPlace? = nil,
    isSorted: Bool = true, _ query: ((Entity) -> String) -> String, _ body: (RawStatement) throws -> Void
  ) throws {
    let tables: (Entity) -> String = { "main.\(quoted($0.name))" }
    if plan.predicate != nil {
      try FetchGuard.check(
        db, plan.query(["1"], tables), reading: Set(plan.tree.entities.map(\.name)), for: request.entity)
    }
    let past = try token.map {
      try PastTables(db, path: path, model: model, of: plan.tree.entities, at: $0)
    }
    defer { past?.drop() }
    var sql = query(past?.source ?? tables)
    if isSorted {
      sql += " ORDER BY \(plan.orderText)"
      // With any limit, SQLite keeps the first rows in a tree; without, its sorter takes half the time.
      if request.limit != nil || request.offset > 0 {
        sql += " LIMIT \(request.limit ?? -1) OFFSET \(request.offset)"
      }
    }
    let statement = try RawStatement(db, sql)
    let places = statement.parameterCount - (place?.count ?? 0)
    guard places == request.arguments.count else {
      throw StoreError.wrongCount(places: places, values: request.arguments.count)
    }
    statement.bind(request.arguments)
    place?.bind(to: statement, from: request.arguments.count + 1)
    defer { statement.reset() }
    while try step(statement, hasPredicate: plan.predicate != nil) { try body(statement) }
  }
}
