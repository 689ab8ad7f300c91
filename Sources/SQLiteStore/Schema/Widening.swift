internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import StoreInterface

/// An attribute's type that holds every value of the one before, and what a stored value becomes in it.
struct Widening {
  let entity: Entity
  /// The attribute as it is afterwards.
  let attribute: Attribute
  let before: AttributeType

  /// The attributes of a model that have a wider type than in another one, derived ones too.
  static func all(from old: Model, to new: Model) -> [Widening] {
    new.entities.flatMap { entity in
      entity.storedAttributes.compactMap { attribute in
        guard let before = old.entity(named: entity.name)?.attribute(named: attribute.name),
          !before.isTransient, before.derivation == attribute.derivation,
          before.type.widens(to: attribute.type),
          before.hiddenColumns.isEmpty || before.hiddenColumns.count == attribute.hiddenColumns.count
        else { return nil }
        return Widening(entity: entity, attribute: attribute, before: before.type)
      }
    }
  }

  /// What a stored value becomes, as SQL; nil where it stays as it is.
  func value(_ column: String) -> String? {
    switch (before, attribute.type) {
    case (.decimal, .decimal): "\(column) * \(factor)"
    case (.date(.seconds), .date(let precision)):
      "replace(\(column), 'Z', '.\(String(repeating: "0", count: precision.decimals))Z')"
    case (.date, .date): "replace(\(column), 'Z', '000Z')"
    case (.integer16, .double), (.integer32, .double), (.integer64, .double): "CAST(\(column) AS REAL)"
    default: nil
    }
  }

  /// The values that the type does not hold exactly, as a condition; nil where it holds every one.
  private func isLost(_ column: String) -> String? {
    // What is derived is computed anew.
    if attribute.derivation != nil { return nil }
    let limit: Int64? =
      switch (before, attribute.type) {
      case (.decimal, .decimal): Int64.max / factor
      case (_, .double) where before != .float: 1 << 53
      default: nil
      }
    return limit.map { "\(column) NOT BETWEEN \(-$0) AND \($0)" }
  }

  /// The units of the wider decimal in one of the other.
  private var factor: Int64 {
    guard case (.decimal(let less), .decimal(let more)) = (before, attribute.type) else { return 1 }
    return (less..<more).reduce(1) { factor, _ in factor * 10 }
  }

  var name: String { "\(entity.name).\(attribute.name)" }

  /// Why it cannot be done; nil where it can.
  ///
  /// - Parameter stored: the entity's and the attribute's names in the file.
  func problem(_ db: Database, in stored: (table: String, column: String)) throws -> StoreError? {
    guard let inRows = isLost(quoted(stored.column)), let inHistory = isLost("value") else { return nil }
    let found = try RawStatement(
      db,
      """
      SELECT 1 FROM \(quoted(stored.table)) WHERE \(inRows) UNION ALL
      SELECT 1 FROM bolide_previous WHERE \(inHistory) AND property = (SELECT property FROM bolide_property AS p
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
}

extension Widening {
  /// Whether the wider attribute has columns of its own that the other had not.
  var hasNewParts: Bool {
    guard let old = attribute.hiddenColumns.first else { return false }
    var before = attribute
    before.type = self.before
    return !before.hiddenColumns.contains { $0.name == old.name }
  }

  /// Whether values get another form.
  var isConversion: Bool { value("") != nil }

  /// The same of a row of `bolide_widening`, as SQL.
  static let wasConversion = """
    type NOT IN (\([AttributeType.integer32, .integer64].map { literal($0.description) }.joined(separator: ", ")))
    AND was <> \(literal(AttributeType.float.description))
    """

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

extension AttributeType {
  /// Whether another type holds every value of this one, or all that are stored may be asked whether it does.
  func widens(to other: AttributeType) -> Bool {
    switch (self, other) {
    case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64): true
    case (.integer16, .double), (.integer32, .double), (.integer64, .double), (.float, .double): true
    case (.decimal(let less), .decimal(let more)): less < more
    case (.date(let less), .date(let more)): less.decimals < more.decimals
    default: false
    }
  }
}
