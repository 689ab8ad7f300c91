internal import GRDB
internal import ImportModel

/// Answers fetches inside one read transaction, for its own state or for a past one.
///
/// A past state is the present table, with what has changed since replaced by what it was: history tells that in one
/// pass, and it is kept in a temporary table for the length of a query. The rest is the table's own.
struct FetchReading {
  private let db: Database
  private let path: String
  private let model: Model
  private let numbers: PropertyNumbers

  init(_ db: Database, path: String) throws {
    self.db = db
    self.path = path
    model = try SchemaUpdate.storedModel(db) ?? Model()
    numbers = try PropertyNumbers(db, model: model, creating: false)
  }

  /// Hands over the objects as they are, or as they were at a token.
  func rows(
    _ request: FetchRequest, at token: HistoryToken?, _ body: (Snapshot.Row) throws -> Void
  ) throws {
    let reader = try reader(request)
    let columns = ["bolide_id"] + reader.columnNames
    try select(columns, request, reader, at: token) { try body(reader.row($0)) }
  }

  /// The objects' ids in the request's order.
  func ids(_ request: FetchRequest, at token: HistoryToken?) throws -> [Int64] {
    var ids: [Int64] = []
    try select(["bolide_id"], request, reader(request), at: token) { ids.append($0.integer(0)) }
    return ids
  }

  // MARK: The query

  private func reader(_ request: FetchRequest) throws -> EntityReader {
    guard let entity = model.entity(named: request.entity) else {
      let known = model.entities.map(\.name).joined(separator: ", ")
      throw refusal("the store has no entity '\(request.entity)'", "It has \(known).")
    }
    return try EntityReader(db, entity, numbers, HistoryRequest(), readsRows: true)
  }

  private func select(
    _ columns: [String], _ request: FetchRequest, _ reader: EntityReader, at token: HistoryToken?,
    _ body: (RawStatement) throws -> Void
  ) throws {
    if let limit = request.limit, limit < 0 { throw refusal("a limit is at least 0") }
    let order = try request.sort.map { key in
      guard let column = reader.columnName(key.name) else {
        throw refusal("\(reader.name) has no stored attribute or relationship '\(key.name)'")
      }
      return quoted(column) + (key.isAscending ? "" : " DESC")
    }
    var source = "main.\(quoted(reader.name))"
    if let token {
      try dropPast()
      source = try makePast(reader, token)
    }
    // A table of the connection alone; should it stay behind, the next query drops it.
    defer { if token != nil { try? dropPast() } }
    let statement: RawStatement
    do {
      statement = try RawStatement(
        db,
        """
        SELECT \(columns.map(quoted).joined(separator: ", ")) FROM \(source)
        WHERE (\(request.predicate ?? "1")
        ) ORDER BY \((order + ["bolide_id"]).joined(separator: ", ")) LIMIT \(request.limit ?? -1)
        """)
    } catch let error as StoreError {
      let reason = error.message.replacing("SQLite says: ", with: "")
      throw refusal(
        "the predicate is no expression over \(reader.name) (\(reason))",
        "It is one SQL expression over the entity's columns, such as magnitude > ?.")
    }
    guard statement.parameterCount == request.arguments.count else {
      throw refusal(
        "the predicate has \(statement.parameterCount) places for values, and \(request.arguments.count) were given"
      )
    }
    statement.bind(request.arguments)
    defer { statement.reset() }
    while try statement.step() { try body(statement) }
  }

  private func refusal(_ message: String, _ hint: String? = nil) -> StoreError {
    StoreError(.badRequest, "\(path): \(message)", hint: hint)
  }

  // MARK: The past

  /// Keeps what has changed since a token as it was.
  ///
  /// - Returns: the past state's rows, as a subquery.
  private func makePast(_ reader: EntityReader, _ token: HistoryToken) throws -> String {
    let places = try HistoryPlaces(db)
    try places.check(token, path: path)
    guard token.inside == nil else {
      throw refusal("the token \(token) is inside a transaction, and states stand between them")
    }
    let names = reader.columnNames.map(quoted)
    try db.run(
      """
      CREATE TEMP TABLE bolide_past(bolide_id INTEGER PRIMARY KEY, bolide_there INTEGER NOT NULL,
      \(names.joined(separator: ", ")))
      """)
    let keep = try RawStatement(
      db, "INSERT INTO temp.bolide_past VALUES (?, ?\(String(repeating: ", ?", count: names.count)))")
    // Also what other programs changed and nobody could seal: it was not there at the token.
    let since = try NetChanges(
      db, HistoryRequest(), [reader.number: reader], after: places.lastChange(before: token), through: .max,
      transaction: 0)
    try since.read { change in
      keep.bind(change.id, at: 1)
      keep.bind(change.kind == .insert ? 0 : 1, at: 2)
      let present = change.kind == .update ? try reader.presentValues(change.id) ?? [:] : [:]
      let before = Dictionary(change.previous.map { ($0.name, $0.value) }) { first, _ in first }
      for (index, property) in reader.columnList.enumerated() {
        keep.bind(before[property.name] ?? present[property.number] ?? .null, at: Int32(3 + index))
      }
      try keep.run()
      keep.reset()
    }
    let list = (["bolide_id"] + names).joined(separator: ", ")
    return """
      (SELECT \(list) FROM main.\(quoted(reader.name))
      WHERE bolide_id NOT IN (SELECT bolide_id FROM temp.bolide_past)
      UNION ALL SELECT \(list) FROM temp.bolide_past WHERE bolide_there)
      """
  }

  private func dropPast() throws {
    try db.run("DROP TABLE IF EXISTS temp.bolide_past")
  }
}
