internal import ImportModel
internal import SQLiteAccess

/// The rows that a trigger deletes, as they go with another one.
///
/// SQLite compiles with a statement all triggers and foreign keys' actions that may run in it. It does not check the link of a
/// row that an `UPDATE` writes if the `SET NULL` action of just this link is what it compiled last: it takes the statement for
/// that action's own (`isSetNullAction` in its `fkey.c`). A deletion compiles such actions; what follows it here compiles one
/// more trigger, which never runs.
struct DeletionSQL {
  private let entity: Entity

  init(_ entity: Entity) { self.entity = entity }

  /// Deletes the rows, and ends the statement where another program's trigger keeps some.
  func statements(where condition: String) -> [String] {
    let table = quoted(entity.name)
    return [
      "DELETE FROM \(table) WHERE \(condition)",
      ForeignSQL.check(entity, "EXISTS (SELECT 1 FROM \(table) WHERE \(condition))"),
      "UPDATE \(ReplaceSQL.table(of: entity)) \(Self.nothing)",
    ]
  }

  /// What is compiled behind the deletion, and never before it.
  var trigger: Triggers.Trigger {
    let name = "bolide_\(entity.name)_keys"
    return Triggers.Trigger(
      name: name,
      sql: """
        CREATE TRIGGER \(quoted(name)) AFTER UPDATE OF bolide_id ON \(ReplaceSQL.table(of: entity)) WHEN false BEGIN
          SELECT 1;
        END
        """)
  }

  /// Whether a trigger deletes rows as earlier versions did, as SQL.
  static let isFormer = """
    instr(replace(sql, 'DELETE FROM "bolide_', ''), 'DELETE FROM "') AND NOT instr(sql, \(literal(nothing)))
    """

  private static let nothing = "SET bolide_id = bolide_id WHERE false"
}
