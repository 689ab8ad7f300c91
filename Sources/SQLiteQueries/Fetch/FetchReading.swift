package import GRDB
internal import ImportModel
internal import ModelMerging
internal import QueryPlans
internal import SQLiteAccess
internal import SQLiteStore
package import StoreInterface

/// Answers fetches inside one read transaction, for its own state or for a past one.
package struct FetchReading {
  private let db: Database
  private let path: String
  private let model: Model
  /// What SQL calls the file.
  private let schema: String
  private let joined: JoinedStores?

  /// - Parameters:
  ///   - schema: what SQL calls the file: another one's present state can be read where it is attached.
  ///   - joined: the stores that can be read beside this one; nil for none.
  package init(_ db: Database, path: String, schema: String = "main", _ joined: JoinedStores? = nil) throws {
    (self.db, self.path, self.schema, self.joined) = (db, path, schema, joined)
    model = try ModelRecord(db, schema: schema).model
  }

  /// Hands over the objects as they are, or as they were at a token.
  func rows(
    _ request: ObjectQuery, at token: HistoryToken?, _ body: (Snapshot.Row) throws -> Void
  ) throws {
    let cursor = try cursor(request, at: token)
    defer { cursor.end() }
    while let row = try cursor.nextRow() { try body(row) }
  }

  /// Begins to go through the objects as they are, or as they were at a token.
  func cursor(_ request: ObjectQuery, at token: HistoryToken?) throws -> FetchCursor {
    let query = try query(request, at: token, readsKeys: true)
    return try FetchCursor(query, query.plan.columns, db)
  }

  /// Hands over the objects' cells, behind what they are.
  func cells(
    _ request: ObjectQuery, at token: HistoryToken?, begin: (RowLayout) throws -> Void,
    _ body: (FetchedCells) throws -> Void
  ) throws {
    let query = try query(request, at: token, readsKeys: false)
    try begin(query.plan.shape)
    try run(query, query.plan.columns, body)
  }

  /// The objects' ids in the request's order.
  package func ids(_ request: ObjectQuery, at token: HistoryToken?) throws -> [Int64] {
    let query = try query(request, at: token, readsKeys: false, isFetching: false)
    var ids: [Int64] = []
    try run(query, []) { ids.append($0.statement.integer(0)) }
    return ids
  }

  /// The objects' ids in the request's order, and the sections that they are in.
  func list(_ request: ObjectQuery, at token: HistoryToken?) throws -> FetchDifference.List {
    let query = try query(request, at: token, readsKeys: false, isFetching: false)
    let section = request.section.flatMap { _ in query.plan.order.first?.sql }
    var list = FetchDifference.List()
    list.type = query.plan.sectionType
    if section != nil { list.sections = [] }
    try run(query, [section].compactMap(\.self)) {
      list.append(
        $0.statement.integer(section == nil ? 0 : 1), in: section == nil ? nil : $0.statement.value(0))
    }
    return list
  }

  /// How many objects there are, within the request's limit and behind its offset.
  func count(_ request: ObjectQuery, at token: HistoryToken?) throws -> Int {
    let query = try query(request, at: token, readsKeys: false, isFetching: false)
    defer { query.past?.drop() }
    let text =
      query.plan.isGrouped
      ? "SELECT count(*) FROM (\(query.text(query.plan.columns)))" : query.text(["count(*)"])
    let statement = try query.statement(text, db)
    defer { statement.reset() }
    let count = try query.step(statement) ? statement.integer(0) : 0
    return Int(min(max(0, count - Int64(request.offset)), Int64(request.limit ?? .max)))
  }

  /// The next objects behind a place.
  ///
  /// - Parameters:
  ///   - place: nil for the beginning, where the request's offset counts.
  ///   - size: how many.
  /// - Returns: the objects, and the place behind the last one; nil when there are no more.
  func batch(
    _ request: ObjectQuery, at token: HistoryToken?, behind place: KeysetCursor?, size: Int
  ) throws -> (rows: [Snapshot.Row], place: KeysetCursor?) {
    var (rows, next): ([Snapshot.Row], KeysetCursor?) = ([], nil)
    var part = request
    part.limit = size
    if place != nil { part.offset = 0 }
    var query = try query(part, at: token, readsKeys: true)
    query.place = place
    let plan = query.plan
    try run(query, plan.columns + plan.order.map(\.sql)) {
      if let row = try plan.shape.row($0.statement, $0.fetched) { rows.append(row) }
      if rows.count == size {
        next = KeysetCursor($0.statement, from: plan.columns.count, count: plan.order.count)
      }
    }
    return (rows, next)
  }

  /// Whether an entity has a fetched property of a name.
  func isFetched(_ name: String, of entity: String) -> Bool {
    model.entity(named: entity)?.fetchedProperty(named: name) != nil
  }

  // MARK: The query

  /// A request as a query, checked.
  ///
  /// - Parameter isFetching: whether what fetched properties find is read.
  private func query(
    _ request: ObjectQuery, at token: HistoryToken?, readsKeys: Bool, isFetching: Bool = true
  ) throws -> FetchQuery {
    var plan = try FetchPlan(request, model, readsKeys: readsKeys)
    let entity = plan.tree.nodes[0].entity
    try plan.checkPredicate(db) { "\(schema).\(quoted($0.name))" }
    let fetched = try (isFetching ? request.fetched(of: entity) : []).map {
      try self.fetched($0, plan.tree, at: token, readsKeys: readsKeys)
    }
    plan.shape.fetched = fetched.map { RowLayout.Fetched(property: $0.property, layout: $0.plan.shape) }
    let dangling = try request.danglingProperty(of: entity).map {
      try self.fetched($0, plan.tree, at: token, readsKeys: false)
    }
    var query = FetchQuery(request: request, plan: plan, schema: schema, fetched: fetched, dangling: dangling)
    query.past = try token.map {
      try AsOfTables(db, path: path, model: model, of: query.entities, at: $0)
    }
    return query
  }

  /// A fetched property's plan, checked.
  private func fetched(
    _ property: FetchedProperty, _ tree: JoinTree, at token: HistoryToken?, readsKeys: Bool
  ) throws -> FetchedPlan {
    let owner = tree.nodes[0].entity
    var (other, schema) = (model, "main")
    if let store = property.store {
      guard token == nil, let there = joined?[store] else {
        throw StoreError.onlyPresent(property, of: owner)
      }
      (other, schema) = (try ModelRecord(db, schema: there.schema).model, there.schema)
    }
    do {
      let plan = try FetchedPlan(property, of: tree, other, schema: schema, readsKeys: readsKeys)
      try plan.check(db)
      return plan
    } catch let error as StoreError {
      throw error.of(property, of: owner)
    }
  }

  /// - Parameter columns: what is read of an object, without the id that comes last.
  private func run(_ query: FetchQuery, _ columns: [String], _ body: (FetchedCells) throws -> Void) throws {
    let cursor = try FetchCursor(query, columns, db)
    defer { cursor.end() }
    while let cells = try cursor.next() { try body(cells) }
  }
}
