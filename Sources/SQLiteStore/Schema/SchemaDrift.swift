package import GRDB
package import ImportModel
internal import SQLiteAccess
package import StoreInterface

/// Where a store's tables are not those of its model: another program has dropped or renamed what Bolide made.
///
/// Columns that a program adds are its own; columns' types and constraints are left to `integrity_check`.
package struct SchemaDrift {
  private struct Difference {
    let schema: EntitySchema
    /// Nil where the table itself is missing.
    var column: String?
    /// A column that Bolide did not make, where it is the only one and the only one that is missing.
    var instead: String?

    var entity: Entity { schema.entity }

    var problem: String {
      guard let column else { return "the table \(entity.name) is missing" }
      if column == "bolide_id" {
        return "the table \(entity.name) has no column bolide_id INTEGER PRIMARY KEY"
      }
      let other = instead.map { ", but one named \($0) that Bolide did not make" } ?? ""
      return "the table \(entity.name) has no column \(column)\(other)"
    }

    /// The statement that makes it anew, empty; nil where no rows could be without it.
    var sql: String? {
      guard let column else { return schema.createTable }
      return schema.addable(column).map { "ALTER TABLE \(quoted(entity.name)) ADD COLUMN \($0)" }
    }

    var error: StoreError {
      let rename = instead.flatMap { instead in
        column.map {
          "ALTER TABLE \(quoted(entity.name)) RENAME COLUMN \(quoted(instead)) TO \(quoted($0))"
        }
      }
      return .drifted(problem, rename: sql == nil ? nil : rename, isMendable: sql != nil)
    }
  }

  private let model: Model
  private let differences: [Difference]

  /// - Complexity: O(columns).
  package init(_ db: Database, _ model: Model) throws {
    var differences: [Difference] = []
    for entity in model.entities {
      let schema = EntitySchema(entity: entity, model: model)
      guard let table = try TableColumns(db, entity.name) else {
        differences.append(Difference(schema: schema))
        continue
      }
      let wanted = ["bolide_id"] + entity.columnNames
      let missing = wanted.filter { !table.has($0) }
      if missing.isEmpty { continue }
      let added = table.names.filter { !Set(wanted.map(\.caseFolded)).contains($0.caseFolded) }
      let instead = missing.count == 1 && added.count == 1 ? added[0] : nil
      differences += missing.map { Difference(schema: schema, column: $0, instead: instead) }
    }
    self.model = model
    self.differences = differences
  }

  /// One sentence for each difference.
  package var problems: [String] { differences.map(\.problem) }

  /// What is told of the first difference.
  package var error: StoreError? { differences.first?.error }

  /// - Throws: `StoreError.foreignSchema` for the first difference.
  package func check() throws(StoreError) {
    if let error { throw error }
  }

  /// Makes what is missing anew, empty, in the caller's transaction. Whoever led to an object that is gone does so no more.
  ///
  /// - Throws: `StoreError.foreignSchema` for what was renamed, and for what no row can be without.
  package func mend(_ db: Database) throws {
    if differences.isEmpty { return }
    try TriggerMaintenance.remove(db)
    for difference in differences {
      guard let sql = difference.sql, difference.instead == nil else { throw difference.error }
      try db.run(sql)
    }
    for name in differences.filter({ $0.column == nil }).map(\.entity.name) {
      // No id is given out a second time.
      let newest = try db.integer(
        "SELECT ifnull(max(last), 0) FROM bolide_change JOIN bolide_entity USING (entity) WHERE name = ?",
        .text(name))
      try db.run("INSERT INTO sqlite_sequence(name, seq) VALUES (?, ?)", .text(name), .integer(newest))
      for owner in model.entities {
        for link in owner.toOneRelationships where link.destination == name {
          let (table, column) = (quoted(owner.name), quoted(link.column))
          try db.run(
            owner.key.contains(link.name)
              ? "DELETE FROM \(table)" : "UPDATE \(table) SET \(column) = NULL WHERE \(column) IS NOT NULL")
        }
      }
    }
    try TriggerMaintenance.remake(db, model: model, because: problems)
  }
}

/// The columns of a table in the file.
package struct TableColumns {
  private(set) var names: [String] = []
  private(set) var generated: [String] = []
  /// Each with its type and all else that matters of it.
  private(set) var declarations: Set<String> = []
  private var known: Set<String> = []

  /// Nil where there is no table of that name.
  package init?(_ db: Database, _ table: String, schema: String = "main") throws {
    let rows = try RawStatement(
      db,
      """
      SELECT name, hidden, name = 'bolide_id' AND NOT (pk AND type = 'INTEGER'),
        name || ' ' || type || ' ' || "notnull" || pk || hidden
      FROM pragma_table_xinfo(?, ?)
      """)
    rows.bind(table, at: 1)
    rows.bind(schema, at: 2)
    while try rows.step() {
      let name = rows.string(0) ?? ""
      names.append(name)
      if rows.integer(2) == 0 { known.insert(name.caseFolded) }
      if rows.integer(1) > 1 { generated.append(name) }
      declarations.insert(rows.string(3) ?? "")
    }
    if names.isEmpty { return nil }
  }

  func has(_ name: String) -> Bool { known.contains(name.caseFolded) }
}

extension EntitySchema {
  /// A column's declaration, where rows that are there can be given it.
  fileprivate func addable(_ name: String) -> String? {
    if let relationship = entity.toOneRelationships.first(where: { $0.column == name }) {
      return entity.key.contains(relationship.name) ? nil : column(relationship)
    }
    return entity.storedAttributes.lazy.filter { attribute in
      attribute.derivation != nil || !attribute.isRequired || attribute.defaultValue != nil
    }.filter { !entity.key.contains($0.name) }.flatMap(columns).first { $0.hasPrefix(quoted(name) + " ") }
  }
}
