package import GRDB
package import ImportModel
internal import SQLiteAccess

/// The tables of copies that `ReplaceSQL` makes.
package enum ReplacedRows {
  /// Empties an entity's: outside a statement that writes they hold nothing of worth.
  package static func forget(_ db: Database, _ entity: Entity) throws {
    guard try TableColumns(db, "bolide_replaced_\(entity.name)") != nil else { return }
    try db.run("DELETE FROM \(ReplaceSQL.table(of: entity))")
  }
}

/// What `OR REPLACE` takes away: SQLite deletes rows that stand in the way without firing a trigger.
///
/// Before a row is written, the rows with its id or its unique values are copied beside the table. Afterwards those that
/// are not there any more were replaced; marking their copies fires what their deletion should have fired.
///
/// So it is with objects that go with one of their own entity, as in a tree: the deletion of the first of them is a trigger's,
/// which fires no second time for those below it.
struct ReplaceSQL {
  private let entity: Entity
  private let columns: [String]
  /// The columns of each unique index.
  private let constraints: [[String]]
  /// The columns by which objects go with others of their entity.
  private let cascading: [String]

  init(_ entity: Entity, _ model: Model) {
    self.entity = entity
    constraints =
      [entity.keyColumns] + entity.uniquenessConstraints
      + entity.toOneRelationships.filter(model.isOneToOne).map { [$0.column] }
    cascading = entity.toOneRelationships.filter {
      $0.destination == entity.name && model.deleteRule(of: $0, in: entity) == .cascade
    }.map { quoted($0.column) }
    columns = (entity.storedAttributes.map(\.name) + entity.toOneRelationships.map(\.column)).map(quoted)
  }

  /// The table of the copies.
  var table: String { Self.table(of: entity) }

  /// The statements that make it, anew where there is one: it never holds anything of worth.
  var createTable: [String] {
    [
      "DROP TABLE IF EXISTS \(table)",
      "CREATE TABLE \(table)(bolide_id INTEGER PRIMARY KEY, \(columns.joined(separator: ", ")), "
        + "bolide_gone INTEGER NOT NULL DEFAULT 0"
        + (cascading.isEmpty ? ")" : ", bolide_below INTEGER NOT NULL DEFAULT 0)"),
    ]
  }

  /// The columns of which new values may take another row's place.
  var unique: String {
    var names: [String] = []
    for name in constraints.joined() where !names.contains(name) {
      names.append(name)
    }
    return names.map(quoted).joined(separator: ", ")
  }

  var beforeInsert: [String] {
    ["DELETE FROM \(table) WHERE \(isReplaced)", remember("bolide_id = NEW.bolide_id OR \(sameValues)")]
  }

  /// An update may run while another statement takes rows away: the deletion of one sets what leads to it to null. That one
  /// stands in nobody's way, and leaves alone what the other statement has remembered.
  var beforeUpdate: [String] {
    let others = "bolide_id IS NOT OLD.bolide_id AND (\(sameValues))"
    return [
      "DELETE FROM \(table) WHERE \(isReplaced) AND EXISTS (SELECT 1 FROM \(quoted(entity.name)) WHERE \(others))",
      remember(others),
    ]
  }

  /// A row given the id of the one it replaces is another object.
  var afterInsert: [String] {
    [book("bolide_id = NEW.bolide_id OR \(isMissing)"), "DELETE FROM \(table) WHERE \(isReplaced)"]
  }

  var afterUpdate: [String] { [book(isMissing)] }

  /// An upsert, and a statement that was ignored, leaves copies of rows that stay. The deletion of such a row is its own trigger's: until
  /// that fires, the row is missing, and what its deletion unlinks would have it booked as replaced.
  var beforeDelete: [String] { ["\(deleted) AND \(isReplaced)"] }

  /// A deletion that fires is booked by itself.
  var deleted: String { "DELETE FROM \(table) WHERE bolide_id = OLD.bolide_id" }

  /// Takes along all objects below a deleted one, at whatever depth, and books those whose deletion did not fire.
  ///
  /// A statement that was ignored (`OR IGNORE`) may have left copies of rows that stay; those of rows that go now are dropped.
  var below: [String] {
    guard !cascading.isEmpty else { return [] }
    let list = (["bolide_id"] + columns).joined(separator: ", ")
    let name = quoted(entity.name)
    func leads(_ row: String, to other: String) -> String {
      cascading.map { "\(row)\($0) = \(other).bolide_id" }.joined(separator: " OR ")
    }
    let tree = """
      (
          WITH RECURSIVE bolide_tree(bolide_id) AS (
            SELECT bolide_id FROM \(name) WHERE \(leads("", to: "OLD"))
            UNION SELECT bolide_row.bolide_id FROM bolide_tree CROSS JOIN \(name) AS bolide_row
              ON \(leads("bolide_row.", to: "bolide_tree"))
          ) SELECT bolide_id FROM bolide_tree
        )
      """
    let isBelow = "bolide_id IN (SELECT bolide_id FROM \(table) WHERE bolide_below = 1)"
    return [
      "DELETE FROM \(table) WHERE bolide_below = 0 AND NOT bolide_gone AND bolide_id IN \(tree)",
      """
      INSERT INTO \(table)(\(list), bolide_below) SELECT \(list), 1 FROM \(name) WHERE bolide_id IN \(tree)
        AND bolide_id NOT IN (SELECT bolide_id FROM \(table))
      """,
    ] + DeletionSQL(entity).statements(where: isBelow) + [
      "UPDATE \(table) SET bolide_below = 2 WHERE bolide_below = 1 AND \(isMissing)",
      "DELETE FROM \(table) WHERE bolide_below = 2",
    ]
  }

  /// Whether an object is just being taken away, though a new one has its id already.
  static func isGoing(_ id: String, of entity: Entity) -> String {
    "EXISTS (SELECT 1 FROM \(table(of: entity)) WHERE bolide_id = \(id) AND bolide_gone)"
  }

  static func table(of entity: Entity) -> String { quoted("bolide_replaced_\(entity.name)") }

  private var sameValues: String {
    constraints.map { names in
      "(" + names.map { "\(quoted($0)) = NEW.\(quoted($0))" }.joined(separator: " AND ") + ")"
    }.joined(separator: " OR ")
  }

  private var isMissing: String {
    "NOT EXISTS (SELECT 1 FROM \(quoted(entity.name)) AS bolide_row WHERE bolide_row.bolide_id = \(table).bolide_id)"
  }

  /// Objects that go with others are no replaced ones, though an update of what leads to them comes in between.
  private var isReplaced: String { cascading.isEmpty ? "true" : "bolide_below = 0" }

  private func remember(_ condition: String) -> String {
    let list = (["bolide_id"] + columns).joined(separator: ", ")
    return "INSERT INTO \(table)(\(list)) SELECT \(list) FROM \(quoted(entity.name)) WHERE \(condition)"
  }

  /// A copy is booked once, and stays until the next statement that may take rows away.
  private func book(_ condition: String) -> String {
    "UPDATE \(table) SET bolide_gone = 1 WHERE \(isReplaced) AND NOT bolide_gone AND (\(condition))"
  }
}
