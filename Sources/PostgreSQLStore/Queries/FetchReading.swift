internal import ImportModel
internal import PostgreSQLAccess
internal import QueryPlans
internal import StoreInterface

/// Answers fetches inside one read transaction, for its own state or for a past one.
struct FetchReading {
  private let connection: PostgreSQLConnection
  private let stored: StoredModel
  private let path: String

  init(_ connection: PostgreSQLConnection, _ stored: StoredModel, _ path: String) {
    (self.connection, self.stored, self.path) = (connection, stored, path)
  }

  /// A request as a statement, checked.
  func statement(
    _ request: ObjectQuery, at token: HistoryToken?, readsKeys: Bool
  ) throws -> FetchStatement {
    let past = try token.map { token in
      try Positions(connection, stored, path).check(token)
      guard token.inside == nil else { throw StoreError.insideTransaction(token).about(path) }
      return PastTables(connection, stored, at: token, path)
    }
    do {
      try checkFetched(request)
      return try FetchStatement(request, stored.model, readsKeys: readsKeys, at: past)
    } catch let error as Untranslated {
      throw StoreError.untranslated(error.what, path)
    } catch let error as StoreError {
      throw error.about(path)
    }
  }

  private func checkFetched(_ request: ObjectQuery) throws(StoreError) {
    guard let entity = stored.model.entity(named: request.entity) else { return }
    if let name = request.dangling, entity.fetchedProperty(named: name) == nil {
      throw .noFetchedProperty(name, of: entity)
    }
    if request.dangling != nil
      || request.related.contains(where: { entity.fetchedProperty(named: $0) != nil })
    {
      throw .unsupported("fetched properties", by: PostgreSQLEngine.engineName, path)
    }
  }

  func rows(
    _ request: ObjectQuery, at token: HistoryToken?, _ body: (Snapshot.Row) throws -> Void
  ) throws {
    let statement = try statement(request, at: token, readsKeys: true)
    try each(statement, statement.text()) {
      if let row = statement.plan.shape.row($0.value) { try body(row) }
    }
  }

  func cells(
    _ request: ObjectQuery, at token: HistoryToken?, begin: (RowLayout) throws -> Void,
    _ body: (any FetchedRow) throws -> Void
  ) throws {
    let statement = try statement(request, at: token, readsKeys: false)
    try begin(statement.plan.shape)
    try each(statement, statement.text(), body)
  }

  /// How many objects there are, within the request's limit and behind its offset.
  func count(_ request: ObjectQuery, at token: HistoryToken?) throws -> Int {
    let statement = try statement(request, at: token, readsKeys: false)
    var count: Int64 = 0
    try each(statement, statement.count) { if case .integer(let found) = $0.value(0) { count = found } }
    return Int(min(max(0, count - Int64(request.offset)), Int64(request.limit ?? .max)))
  }

  /// The objects' ids in the request's order, and the sections that they are in.
  func list(_ request: ObjectQuery, at token: HistoryToken?) throws -> FetchDifference.List {
    let statement = try statement(request, at: token, readsKeys: false)
    let type = statement.plan.sectionType
    let section = request.section.flatMap { _ in statement.plan.order.first.map { ($0.sql, type) } }
    var list = FetchDifference.List()
    list.type = type
    if section != nil { list.sections = [] }
    try run(request) {
      try connection.each(statement.list(section: section), statement.parameters) { result in
        list.append(result.integer(0, 0), in: section == nil ? nil : type.stored.value(result, 0, 1))
      }
    }
    return list
  }

  /// The next objects behind a place, and the place behind the last one; nil when there are no more.
  func batch(
    _ request: ObjectQuery, at token: HistoryToken?, behind place: FetchStatement.Place?, size: Int
  ) throws -> (rows: [Snapshot.Row], place: FetchStatement.Place?) {
    var (rows, next): ([Snapshot.Row], FetchStatement.Place?) = ([], nil)
    let statement = try statement(request, at: token, readsKeys: true)
    let text = statement.text(and: statement.placeColumns, behind: place, limit: size)
    try each(statement, text) { found in
      if let row = statement.plan.shape.row(found.value) { rows.append(row) }
      if rows.count == size { next = found.result.map { statement.place($0, found.row) } }
    }
    return (rows, next)
  }

  private func each(
    _ statement: FetchStatement, _ text: String, _ body: (FetchedResult) throws -> Void
  ) throws {
    let row = FetchedResult(statement.types)
    try run(statement.request) {
      try connection.each(text, statement.parameters) { result in
        row.result = result
        try body(row)
      }
    }
  }

  /// An expression can fail for the values of one object, as a sum that is too large.
  @discardableResult
  func run<Result>(_ request: ObjectQuery, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as PostgreSQLError where request.predicate != nil && error.state.hasPrefix("22") {
      throw StoreError.predicateFails(error.text).about(path)
    }
  }
}
