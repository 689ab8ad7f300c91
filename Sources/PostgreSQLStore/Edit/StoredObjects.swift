internal import ImportModel
internal import ObjectEdits
internal import PostgreSQLAccess
internal import StoreInterface

/// Objects that are edited with plain SQL, as any other program may; the triggers do the rest.
struct StoredObjects: EditedObjects {
  let connection: PostgreSQLConnection
  let stored: StoredModel
  /// What the store is called in messages.
  let path: String

  /// Nobody else changes the objects until the transaction ends. Whether they still are the request's is asked again when they
  /// are locked.
  func ids(_ request: ObjectQuery) throws -> [Int64] {
    let reading = FetchReading(connection, stored, path)
    var locked: Set<Int64> = []
    while true {
      let ids = try reading.list(request, at: nil).ids
      if locked.isSuperset(of: ids) { return ids }
      try connection.run(
        """
        SELECT FROM \(quoted(request.entity)) WHERE bolide_id = ANY ($1) ORDER BY bolide_id FOR NO KEY UPDATE
        """, [.integers(ids)])
      locked = Set(ids)
    }
  }

  func id(of entity: Entity, key: [Value]) throws -> Int64? {
    let columns = entity.key.compactMap { name in entity.properties.first { $0.name == name } }
    let parts = columns.enumerated().map { place, property in
      "\(quoted(property.column)) = \(property.type.stored.single(place + 1))"
    }
    let found = try connection.run(
      """
      SELECT bolide_id FROM \(quoted(entity.name)) WHERE \(parts.joined(separator: " AND ")) FOR NO KEY UPDATE
      """, zip(key, columns).map { Parameter(single: $0, $1.type.stored) })
    return found.count == 0 ? nil : found.integer(0, 0)
  }

  /// Deletes objects of one entity.
  ///
  /// - Throws: `StoreError` when a rule denies it.
  func delete(_ ids: [Int64], of entity: String) throws {
    try connection.delete(ids, of: entity, in: stored.model)
  }

  func insert(_ entity: Entity, _ columns: [StoredColumn]) throws -> Int64 {
    let names = columns.map { quoted($0.name) }.joined(separator: ", ")
    let places = columns.indices.map { columns[$0].type.stored.single($0 + 1) }.joined(separator: ", ")
    let made = try taking(entity) {
      try connection.run(
        "INSERT INTO \(quoted(entity.name))(\(names)) VALUES (\(places)) RETURNING bolide_id",
        columns.map { Parameter(single: $0.value, $0.type.stored) })
    }
    guard made.count == 1 else { throw StoreError.rowsKeptOut(entity.name) }
    return made.integer(0, 0)
  }

  func update(_ entity: Entity, _ ids: [Int64], _ columns: [StoredColumn]) throws {
    let values = columns.indices.map { columns[$0].type.stored.single($0 + 2) }
    let differences = zip(columns, values).map { $0.type.stored.differs(quoted($0.name), $1) }
    let selected = values.enumerated().map { "\($1) AS v\($0)" }.joined(separator: ", ")
    let update = RowUpdate(
      entity: entity, columns: columns.map(\.name),
      rows: """
        SELECT bolide_id, \(selected) FROM \(quoted(entity.name))
        WHERE bolide_id = ANY ($1) AND (\(differences.joined(separator: " OR ")))
        """)
    try taking(entity) {
      try connection.change(
        entity, update.statement,
        [.integers(ids)] + columns.map { Parameter(single: $0.value, $0.type.stored) })
    }
  }

  func change(_ edit: LinkEdit, _ end: LinkEnd, of ids: [Int64], to target: Int64?) throws {
    if ids.isEmpty { return }
    let parameters = [.integers(ids)] + (target.map { [Parameter.integer($0)] } ?? [])
    for change in end.statements(edit, objects: "SELECT unnest($1::bigint[]) AS id", target: "$2") {
      try denied(.linkDenied(end.entity, end.relationship)) { try connection.run(change.sql, parameters) }
      let left = try connection.run("\(change.left) LIMIT 1", parameters)
      guard left.count > 0 else { continue }
      throw change.isInsertion ? StoreError.rowsKeptOut(end.holderName) : .rowsKept(end.holderName)
    }
  }

  func isJSON(_ text: String) throws -> Bool {
    try connection.holds(unless: "22") { try connection.run("SELECT $1::json", [.text(text)]) }
  }

  /// Keeps all other writers away until the transaction ends, and gives what they have written before its numbers.
  func keepOthersAway(_ schema: String) throws {
    // Also those who have locked rows, to change them next.
    try connection.lockTables(of: stored.model, "EXCLUSIVE")
    try connection.numberPending()
  }

  /// Runs a statement that gives objects values.
  @discardableResult
  private func taking<Result>(_ entity: Entity, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as PostgreSQLError where error.isOfUniqueness {
      throw StoreError.valuesTaken(entity)
    } catch let error as PostgreSQLError where error.state == "22021" {
      throw StoreError.holdsNull(entity)
    } catch let error as PostgreSQLError where error.isOfIndexSize {
      throw StoreError.tooLong(entity)
    }
  }

  /// Runs a statement that a constraint may deny.
  @discardableResult
  private func denied<Result>(_ refusal: StoreError, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as PostgreSQLError where error.state.hasPrefix(PostgreSQLError.constraint) {
      throw refusal
    }
  }
}

extension PostgreSQLError {
  /// How the codes of broken constraints begin.
  static let constraint = "23"
}

extension PostgreSQLConnection {
  /// Runs statements that the server may deny: then they alone are taken back.
  ///
  /// - Parameter codes: how the codes of such a denial begin.
  /// - Returns: whether none was denied.
  func holds(unless codes: String = PostgreSQLError.constraint, _ body: () throws -> Void) throws -> Bool {
    do {
      try inSavepoint(body)
      return true
    } catch let error as PostgreSQLError where error.state.hasPrefix(codes) {
      return false
    }
  }
}
