internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface

/// Tables as they were behind a transaction: the present ones, with what has changed since replaced by what it was. That is sent
/// along with a query, as arrays.
///
/// - Complexity: O(changes since then) memory.
final class PastTables {
  private let connection: PostgreSQLConnection
  private let stored: StoredModel
  private let token: HistoryToken
  private let path: String
  private(set) var parameters: [Parameter] = []
  /// By entity what stands for its table.
  private var sources: [String: String] = [:]

  /// - Parameters:
  ///   - token: a place of the store's history.
  ///   - path: what the store is called in messages.
  init(
    _ connection: PostgreSQLConnection, _ stored: StoredModel, at token: HistoryToken, _ path: String
  ) {
    (self.connection, self.stored, self.token, self.path) = (connection, stored, token, path)
  }

  /// Reads what has changed in some entities.
  ///
  /// - Throws: `StoreError` where values were erased since.
  func load(_ entities: [Entity]) throws {
    let entities = entities.sorted { stored.number(of: $0) < stored.number(of: $1) }
    for entity in entities where sources[entity.name] == nil {
      sources[entity.name] = try table(entity)
    }
  }

  /// What stands for the table of an entity that was loaded.
  func source(_ entity: Entity) -> String { sources[entity.name] ?? quoted(entity.name) }

  private func table(_ entity: Entity) throws -> String {
    let changed = try connection.run(
      """
      SELECT DISTINCT generate_series(c.id, coalesce(c.last_id, c.id))
      FROM bolide_change AS c JOIN \(SystemTables.transactions(behind: token.number)) AS t ON t.id = c.transaction
      WHERE c.entity = \(stored.number(of: entity))
      """)
    let ids = (0..<changed.count).map { changed.integer($0, 0) }.sorted()
    if ids.isEmpty { return quoted(entity.name) }
    let rows = try PastRows(connection, stored, entity, at: token.number, ids: ids)
    if let id = ids.first(where: { rows.row($0) != nil && rows.erasure($0).told != nil }) {
      throw StoreError.erasedState(
        of: entity.name, id, isObject: rows.erasure(id).isObject,
        try ErasedState.time(connection, stored, entity, id), before: token, path)
    }
    let there = ids.compactMap { id in rows.row(id).map { (id, $0) } }
    parameters.append(.integers(ids))
    let first = parameters.count
    parameters.append(.integers(there.map(\.0)))
    for (place, property) in entity.properties.enumerated() {
      let type = property.type.stored
      var array = ArrayParameter(type.element)
      for (_, values) in there { array.fields.append(stored: values[place].value, type) }
      parameters.append(array.parameter)
    }
    let columns = entity.properties.map { quoted($0.column) }
    let values = entity.properties.enumerated().map { place, property in
      "\(property.type.stored.value(ofParameter: "p.c\(place)")) AS \(columns[place])"
    }
    let names = ["id"] + columns.indices.map { "c\($0)" }
    let arrays = names.indices.map { "$\(first + 1 + $0)" }
    return """
      (SELECT \((["t.bolide_id"] + columns.map { "t.\($0)" }).joined(separator: ", ")) FROM \(quoted(entity.name)) AS t
      WHERE NOT EXISTS (SELECT FROM unnest($\(first)) AS u(id) WHERE u.id = t.bolide_id)
      UNION ALL SELECT \((["p.id"] + values).joined(separator: ", "))
      FROM unnest(\(arrays.joined(separator: ", "))) AS p(\(names.joined(separator: ", "))))
      """
  }
}
