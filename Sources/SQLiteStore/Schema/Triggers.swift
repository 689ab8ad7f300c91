internal import GRDB
internal import ImportModel

/// The triggers that keep history and derived attributes true when another program writes with plain SQL.
///
/// One for each table and event, since the order of several is not defined. They use nothing but SQLite's own
/// functions. An import switches them off on its own connection and does the same work for a whole chunk.
struct Triggers {
  let model: Model
  let numbers: PropertyNumbers

  /// The statements that make an entity's triggers.
  func create(_ entity: Entity) -> [String] {
    let owners = DerivationGroup.over(entity, in: model).map(DerivedSQL.init)
    return [
      trigger(entity, "INSERT", [inserted(entity)] + owners.flatMap { $0.childInserted }),
      trigger(entity, "UPDATE", updated(entity) + owners.flatMap { $0.childUpdated }),
      trigger(entity, "DELETE", deleted(entity) + owners.flatMap { $0.childDeleted } + leaveChildren(entity)),
      """
      CREATE TRIGGER \(name(entity, "ID")) BEFORE UPDATE OF bolide_id ON \(quoted(entity.name))
      WHEN OLD.bolide_id IS NOT NEW.bolide_id BEGIN
        SELECT RAISE(ABORT, 'bolide_id is the identity of an object and never changes');
      END
      """,
    ]
  }

  /// The names of an entity's triggers.
  func names(_ entity: Entity) -> [String] {
    ["INSERT", "UPDATE", "DELETE", "ID"].map { name(entity, $0) }
  }

  /// Whether other programs have put triggers of their own on the model's tables.
  static func areForeign(_ db: Database, model: Model) throws -> Bool {
    let tables = model.entities.map { literal($0.name) }.joined(separator: ", ")
    return try db.value(
      """
      SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND tbl_name COLLATE NOCASE IN (\(tables))
      AND substr(name, 1, 7) <> 'bolide_' LIMIT 1
      """) != .null
  }

  private func name(_ entity: Entity, _ event: String) -> String {
    quoted("bolide_\(entity.name)_\(event.lowercased())")
  }

  private func trigger(_ entity: Entity, _ event: String, _ statements: [String]) -> String {
    """
    CREATE TRIGGER \(name(entity, event)) AFTER \(event) ON \(quoted(entity.name)) BEGIN
    \(statements.map { "  \($0);" }.joined(separator: "\n"))
    END
    """
  }

  /// What the foreign keys do to an owner's children, for programs that leave these off, as the `sqlite3` shell does.
  private func leaveChildren(_ entity: Entity) -> [String] {
    entity.relationships.compactMap { toMany in
      guard let (child, toOne) = model.children(of: toMany) else { return nil }
      let (table, column) = (quoted(child.name), quoted(toOne.column))
      return switch toMany.deleteRule {
      case .nullify: "UPDATE \(table) SET \(column) = NULL WHERE \(column) = OLD.bolide_id"
      case .cascade: "DELETE FROM \(table) WHERE \(column) = OLD.bolide_id"
      case .deny:
        "SELECT RAISE(ABORT, 'FOREIGN KEY constraint failed') WHERE EXISTS "
          + "(SELECT 1 FROM \(table) WHERE \(column) = OLD.bolide_id)"
      }
    }
  }

  // MARK: History

  private func change(_ entity: Entity, kind: Int, row: String) -> String {
    "INSERT INTO bolide_change(entity, kind, first, last) SELECT \(numbers.entity(entity.name)), \(kind), "
      + "\(row).bolide_id, \(row).bolide_id"
  }

  private func inserted(_ entity: Entity) -> String {
    change(entity, kind: 0, row: "NEW")
  }

  private func updated(_ entity: Entity) -> [String] {
    let columns = numbers.columns(of: entity)
    let differs = columns.map { "OLD.\(quoted($0.column)) IS NOT NEW.\(quoted($0.column))" }
    let previous = zip(columns, differs).map { column, differs in
      "SELECT (SELECT max(change) FROM bolide_change), \(column.number), OLD.\(quoted(column.column)) WHERE \(differs)"
    }
    return [
      change(entity, kind: 1, row: "NEW") + " WHERE " + differs.joined(separator: " OR "),
      "INSERT INTO bolide_previous(change, property, value) " + previous.joined(separator: " UNION ALL "),
    ]
  }

  private func deleted(_ entity: Entity) -> [String] {
    let previous = numbers.columns(of: entity).map { column in
      let value = "OLD.\(quoted(column.column))"
      return
        "SELECT (SELECT max(change) FROM bolide_change), \(column.number), \(value) WHERE \(value) IS NOT NULL"
    }
    return [
      change(entity, kind: 2, row: "OLD"),
      "INSERT INTO bolide_previous(change, property, value) " + previous.joined(separator: " UNION ALL "),
    ]
  }
}
