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
  ///
  /// - Parameter isFetching: whether what fetched properties find is read.
  func statement(
    _ request: ObjectQuery, at token: HistoryToken?, readsKeys: Bool, isFetching: Bool = true
  ) throws -> FetchStatement {
    let past = try token.map { token in
      try Positions(connection, stored, path).check(token)
      guard token.inside == nil else { throw StoreError.insideTransaction(token).about(path) }
      return PastTables(connection, stored, at: token, path)
    }
    do {
      if token == nil { try stored.model.entity(named: request.entity).map(request.checkStores) }
      return try FetchStatement(
        request, stored.model, readsKeys: readsKeys, isFetching: isFetching, at: past, path)
    } catch let error as Untranslated {
      throw StoreError.untranslated(error.what, path)
    } catch let error as StoreError {
      throw error.about(path)
    }
  }

  /// Whether an entity has a fetched property of a name.
  func isFetched(_ name: String, of entity: String) -> Bool {
    stored.model.entity(named: entity)?.fetchedProperty(named: name) != nil
  }

  func rows(
    _ request: ObjectQuery, at token: HistoryToken?, _ body: (Snapshot.Row) throws -> Void
  ) throws {
    let statement = try statement(request, at: token, readsKeys: true)
    try each(statement) {
      if let row = try statement.plan.shape.row($0) { try body(row) }
    }
  }

  func cells(
    _ request: ObjectQuery, at token: HistoryToken?, begin: (RowLayout) throws -> Void,
    _ body: (any FetchedRow) throws -> Void
  ) throws {
    let statement = try statement(request, at: token, readsKeys: false)
    try begin(statement.plan.shape)
    try each(statement, body: body)
  }

  /// How many objects there are, within the request's limit and behind its offset.
  func count(_ request: ObjectQuery, at token: HistoryToken?) throws -> Int {
    let statement = try statement(request, at: token, readsKeys: false, isFetching: false)
    let count = try run(statement) {
      try connection.run(statement.count, statement.parameters).integer(0, 0)
    }
    return Int(min(max(0, count - Int64(request.offset)), Int64(request.limit ?? .max)))
  }

  /// The objects' ids in the request's order, and the sections that they are in.
  func list(_ request: ObjectQuery, at token: HistoryToken?) throws -> FetchDifference.List {
    let statement = try statement(request, at: token, readsKeys: false, isFetching: false)
    let type = statement.plan.sectionType
    let section = request.section.flatMap { _ in statement.plan.order.first.map { ($0.sql, type) } }
    var list = FetchDifference.List()
    list.type = type
    if section != nil { list.sections = [] }
    try run(statement) {
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
    try each(statement, .init(columns: statement.placeColumns, place: place, limit: size)) { found in
      if let row = try statement.plan.shape.row(found) { rows.append(row) }
      if rows.count == size { next = found.result.map { statement.place($0, found.row) } }
    }
    return (rows, next)
  }

  private func each(
    _ statement: FetchStatement, _ part: FetchStatement.Part = .init(),
    body: (FetchedResult) throws -> Void
  ) throws {
    guard statement.fetched.isEmpty else {
      let cursor = try cursor(statement, part)
      defer { cursor.end() }
      while let row = try next(cursor) { try body(row) }
      return
    }
    let row = FetchedResult(statement.types)
    try run(statement) {
      try connection.each(statement.text(part), statement.parameters) { result in
        row.result = result
        try body(row)
      }
    }
  }

  /// Begins to go through a statement's objects.
  func cursor(_ statement: FetchStatement, _ part: FetchStatement.Part = .init()) throws -> FetchCursor {
    try run(statement) { try FetchCursor(statement, part, connection) }
  }

  private func next(_ cursor: FetchCursor) throws -> FetchedResult? {
    try run(cursor.statement, cursor.next)
  }

  /// Goes on to a cursor's next object, and gives it as values.
  func nextRow(_ cursor: FetchCursor) throws -> Snapshot.Row? {
    while let found = try next(cursor) {
      if let row = try cursor.statement.plan.shape.row(found) { return row }
    }
    return nil
  }

  /// An expression can fail for the values of one object, as a sum that is too large.
  @discardableResult
  func run<Result>(_ statement: FetchStatement, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as PostgreSQLError where statement.hasPredicate && error.state.hasPrefix("22") {
      throw StoreError.predicateFails(error.text).about(path)
    }
  }
}
