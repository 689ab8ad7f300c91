internal import ImportModel
internal import ModelMerging
internal import PostgreSQLAccess
internal import StoreInterface

/// An attribute that gets a wider type: what its values, and those that history keeps, have to do with it.
struct WidenedValues {
  private let connection: PostgreSQLConnection
  private let widening: Widening
  /// The numbers by which history knows the entity and the property.
  private let entity: Int64
  private let property: Int64

  /// - Parameter stored: the store's model under the present names.
  init(_ connection: PostgreSQLConnection, _ stored: StoredModel, _ widening: Widening) {
    (self.connection, self.widening) = (connection, widening)
    entity = stored.number(of: widening.entity)
    property = stored.number(of: widening.attribute.name, in: widening.entity)
  }

  /// Why values cannot have the wider type; nil where they can.
  ///
  /// - Parameter names: what the store calls the entity and the attribute, as long as nothing is renamed.
  static func problem(
    _ widening: Widening, _ names: (table: String, column: String), _ connection: PostgreSQLConnection
  ) throws -> StoreError? {
    guard let limit = widening.limit else { return nil }
    let type = widening.before
    func isLost(_ value: String) -> String {
      "\(type.result(ofColumn: value)) NOT BETWEEN \(-limit) AND \(limit)"
    }
    let found = try connection.run(
      """
      SELECT 1 FROM \(quoted(names.table)) WHERE \(isLost(quoted(names.column))) UNION ALL
      SELECT 1 FROM bolide_property AS p JOIN bolide_entity AS e ON e.number = p.entity
      JOIN bolide_change AS c ON c.entity = e.number AND p.number = ANY (c.properties)
      CROSS JOIN LATERAL (SELECT CASE WHEN u.property = p.number THEN u.text END
        FROM unnest(c.properties, c.previous) AS u(property, text)) AS v(text)
      WHERE e.name = $1 AND p.name = $2 AND \(isLost("v.text::\(type.column)")) LIMIT 1
      """, [.text(names.table), .text(names.column)])
    return found.count == 0 ? nil : .valueLost(widening.name, widening.attribute.type)
  }

  /// Gives values that history keeps the text of the wider type.
  func convertHistory() throws {
    guard widening.isConversion else { return }
    try connection.run(
      """
      UPDATE bolide_change AS c SET previous = (
        SELECT array_agg(CASE WHEN u.property = \(property)
            THEN u.text::\(widening.before.column)::\(widening.attribute.type.column)::text ELSE u.text END ORDER BY u.place)
        FROM unnest(c.properties, c.previous) WITH ORDINALITY AS u(property, text, place))
      WHERE c.entity = \(entity) AND \(property) = ANY (c.properties)
      """)
  }

  /// Keeps what was done, for readers of history.
  func note() throws {
    try connection.run(
      "INSERT INTO bolide_widening VALUES (bolide_transaction_id(), \(property), $1, $2)",
      [.text(widening.before.description), .text(widening.attribute.type.description)])
  }

  /// Tells history that objects have values of another form: for readers who keep these as they are told.
  ///
  /// - Parameter widenings: those of one entity.
  static func tell(
    _ widenings: [Widening], _ connection: PostgreSQLConnection, _ stored: StoredModel
  ) throws {
    let converted = widenings.filter(\.isConversion)
    guard let entity = converted.first?.entity else { return }
    let values = converted.map { widening in
      let text = widening.attribute.type.historyText(ofColumn: "t.\(quoted(widening.attribute.name))")
      return "(\(stored.number(of: widening.attribute.name, in: entity)), \(text))"
    }
    try connection.run(
      """
      INSERT INTO bolide_change(transaction, entity, id, kind, properties, previous)
      SELECT bolide_transaction_id(), \(stored.number(of: entity)), t.bolide_id, 2, p.numbers, p.texts
      FROM \(quoted(entity.name)) AS t CROSS JOIN LATERAL (
        SELECT array_agg(v.number ORDER BY v.number), array_agg(v.was ORDER BY v.number)
        FROM (VALUES \(values.joined(separator: ", "))) AS v(number, was) WHERE v.was IS NOT NULL) AS p(numbers, texts)
      WHERE p.numbers IS NOT NULL ORDER BY t.bolide_id
      """)
  }
}
