internal import ImportModel
internal import SQLiteAccess
internal import StoreInterface

/// What other programs write into derived attributes is put right before anything else.
///
/// Derived attributes are written while `bolide_deriving` has a row: the triggers put one there, and so does the
/// refresh of what is marked. A row without an object is there while they are put right, and then history books nothing.
struct ForeignSQL {
  /// The columns of derived attributes, those included that no one but Bolide reads.
  let columns: [String]

  private let table: String
  private let entity: Int64
  /// What the columns of a new object have before anything is computed.
  private let initial: [(column: String, value: String)]

  init(_ entity: Entity, _ numbers: PropertyNumbers) {
    self.entity = numbers.entity(entity.name)
    table = quoted(entity.name)
    let derived = entity.derivedAttributes
    columns = derived.flatMap { [$0.name] + $0.hiddenColumns.map(\.name) }.map(quoted)
    initial = derived.flatMap { attribute in
      [(quoted(attribute.name), attribute.isCount || attribute.isTotal ? "0" : "NULL")]
        + attribute.hiddenColumns.map { (quoted($0.name), "0") }
    }
  }

  /// Whether another program's statement changes derived attributes alone.
  func isAlone(besides stored: [String]) -> String {
    let isStored = stored.map(Triggers.isChanged).joined(separator: " OR ")
    return "NOT EXISTS (SELECT 1 FROM bolide_deriving) AND NOT (\(isStored)) AND (\(differs))"
  }

  /// Whether it is a derived attribute's new value.
  static let isDeriving = "EXISTS (SELECT 1 FROM bolide_deriving WHERE object IS NOT NULL)"

  /// Ends the statement where another program's trigger has kept rows from what was derived: that raises no error by itself.
  static func check(_ entity: Entity, _ isKept: String) -> String {
    "SELECT RAISE(ABORT, \(literal(StoreError.rowsKept(entity.name).reason))) WHERE \(isKept)"
  }

  static func begin(_ entity: Int64, _ object: String) -> String {
    "INSERT INTO bolide_deriving(entity, object) SELECT \(entity), \(object) WHERE \(object) IS NOT NULL"
  }

  static func end(_ entity: Int64, _ object: String) -> String {
    "DELETE FROM bolide_deriving WHERE entity = \(entity) AND object IS \(object)"
  }

  var inserted: [String] {
    restore(
      initial.map { "\($0.column) = \($0.value)" },
      where: initial.map { "NEW.\($0.column) IS NOT \($0.value)" }.joined(separator: " OR "))
  }

  var updated: [String] { restore(columns.map { "\($0) = OLD.\($0)" }, where: differs) }

  private var differs: String { columns.map { "OLD.\($0) IS NOT NEW.\($0)" }.joined(separator: " OR ") }

  private func restore(_ assignments: [String], where differs: String) -> [String] {
    if columns.isEmpty { return [] }
    return [
      "INSERT INTO bolide_deriving(entity) SELECT \(entity) WHERE \(differs)",
      "UPDATE \(table) SET \(assignments.joined(separator: ", "))\n    "
        + "WHERE bolide_id = NEW.bolide_id AND (\(differs))",
      Self.end(entity, "NULL"),
    ]
  }
}
