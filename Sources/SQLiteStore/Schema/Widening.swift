internal import GRDB
internal import ImportModel
internal import ModelMerging
internal import SQLiteAccess
internal import StoreInterface

extension Widening {
  /// What a stored value becomes, as SQL; nil where it stays as it is.
  private func value(_ column: String) -> String? {
    guard isConversion else { return nil }
    return switch (before, attribute.type) {
    case (.decimal, _): "\(column) * \(factor)"
    case (.date(.seconds), .date(let precision)):
      "replace(\(column), 'Z', '.\(String(repeating: "0", count: precision.decimals))Z')"
    case (.date, _): "replace(\(column), 'Z', '000Z')"
    default: "CAST(\(column) AS REAL)"
    }
  }

  /// Why it cannot be done; nil where it can.
  ///
  /// - Parameter stored: the entity's and the attribute's names in the file.
  func problem(_ db: Database, in stored: (table: String, column: String)) throws -> StoreError? {
    guard let limit else { return nil }
    func isLost(_ column: String) -> String { "\(column) NOT BETWEEN \(-limit) AND \(limit)" }
    let found = try RawStatement(
      db,
      """
      SELECT 1 FROM \(quoted(stored.table)) WHERE \(isLost(quoted(stored.column))) UNION ALL
      SELECT 1 FROM bolide_previous WHERE \(isLost("value")) AND property = (SELECT property FROM bolide_property AS p
        JOIN bolide_entity AS e USING (entity) WHERE e.name = ? AND p.name = ?) LIMIT 1
      """)
    found.bind([.text(stored.table), .text(stored.column)])
    defer { found.reset() }
    return try found.step() ? .valueLost(name, attribute.type) : nil
  }

  /// Gives the values their new form, and those that history keeps of it, in the caller's transaction.
  func convert(_ db: Database, _ property: Int64) throws {
    let column = quoted(attribute.name)
    guard let value = value(column), let previous = self.value("value") else { return }
    // Nothing changes that another program's triggers should hear of.
    try Triggers.silenced(db) {
      try db.run("UPDATE \(quoted(entity.name)) SET \(column) = \(value) WHERE \(column) IS NOT NULL")
    }
    try db.run(
      "UPDATE bolide_previous SET value = \(previous) WHERE property = \(property) AND value IS NOT NULL")
  }

  /// Whether the wider attribute has columns of its own that the other had not.
  var hasNewParts: Bool {
    guard let old = attribute.hiddenColumns.first else { return false }
    var before = attribute
    before.type = self.before
    return !before.hiddenColumns.contains { $0.name == old.name }
  }

  /// Keeps what was done, for readers of history.
  func note(_ db: Database, _ property: Int64, _ token: HistoryToken) throws {
    try db.run(
      "INSERT INTO bolide_widening(number, property, was, type) VALUES (?, ?, ?, ?)",
      .integer(token.number), .integer(property), .text(before.description),
      .text(attribute.type.description))
  }

  /// Tells history that objects have values of another form: for readers who keep these as they are told.
  ///
  /// - Parameter widenings: those of one entity.
  static func noteChanges(_ widenings: [Widening], _ db: Database, _ numbers: PropertyNumbers) throws {
    let converted = widenings.filter(\.isConversion)
    guard let entity = converted.first?.entity else { return }
    let table = quoted(entity.name)
    let columns = converted.map { quoted($0.attribute.name) }
    let before = try db.integer("SELECT \(ChangeNumbers.made)")
    try db.run(
      """
      INSERT INTO bolide_change(entity, kind, first, last) SELECT \(numbers.entity(entity.name)), 1, bolide_id, bolide_id
      FROM \(table) WHERE \(columns.map { "\($0) IS NOT NULL" }.joined(separator: " OR ")) ORDER BY bolide_id
      """)
    for (widening, column) in zip(converted, columns) {
      try db.run(
        """
        INSERT INTO bolide_previous(change, property, value) SELECT c.change, \(numbers.property(widening)), o.\(column)
        FROM bolide_change AS c JOIN \(table) AS o ON o.bolide_id = c.first
        WHERE c.change > \(before) AND o.\(column) IS NOT NULL
        """)
    }
  }
}

extension PropertyNumbers {
  /// The number by which history knows a widened attribute.
  func property(_ widening: Widening) -> Int64 {
    columns(of: widening.entity).first { $0.name == widening.attribute.name }?.number ?? 0
  }
}
