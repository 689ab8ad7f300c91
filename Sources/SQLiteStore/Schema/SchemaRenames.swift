internal import GRDB
internal import ImportModel
internal import ModelMerging
internal import SQLiteAccess
internal import StoreInterface

extension ModelRenames {
  /// Renames tables and columns, in the caller's transaction; indexes and triggers with Bolide's names are gone.
  ///
  /// - Parameter before: the store's model with the names before.
  func apply(_ db: Database, before: Model) throws {
    var model = before
    for rename in steps {
      guard let property = rename.property else {
        let number = try Self.number(db, entity: rename.was)
        try Self.renameTable(rename.was, to: rename.entity, db)
        try db.run(
          "UPDATE bolide_entity SET name = ? WHERE entity = ?", .text(rename.entity), .integer(number))
        for table in ["bolide_reject", "bolide_complete", "bolide_seen"] {
          try db.run(
            "UPDATE \(table) SET entity = ? WHERE entity = ?", .text(rename.entity), .text(rename.was))
        }
        model.renameEntity(rename.was, to: rename.entity)
        continue
      }
      guard let entity = model.entity(named: rename.entity) else { continue }
      var changed = Model(entities: [entity])
      changed.renameProperty(rename.was, of: entity.name, to: property) { filter, _ in filter }
      for (old, new) in zip(entity.columnNames, changed.entities[0].columnNames) where old != new {
        try db.run("ALTER TABLE \(quoted(entity.name)) RENAME COLUMN \(quoted(old)) TO \(quoted(new))")
      }
      let number = try Self.number(db, entity: entity.name)
      try db.run(
        "UPDATE bolide_property SET name = ? WHERE entity = ? AND name = ?", .text(property),
        .integer(number),
        .text(rename.was))
      model.renameProperty(rename.was, of: entity.name, to: property) { filter, _ in filter }
    }
  }

  /// SQLite takes names that differ by case only for one, and does not give a table its own name.
  private static func renameTable(_ old: String, to new: String, _ db: Database) throws {
    var name = old
    if old.caseFolded == new.caseFolded {
      name = "bolide_renamed"
      try db.run("ALTER TABLE \(quoted(old)) RENAME TO \(quoted(name))")
    }
    try db.run("ALTER TABLE \(quoted(name)) RENAME TO \(quoted(new))")
  }

  private static func number(_ db: Database, entity: String) throws -> Int64 {
    try db.integer("SELECT entity FROM bolide_entity WHERE name = ?", .text(entity))
  }
}

extension Entity {
  /// All columns of the table, hidden ones too.
  var columnNames: [String] {
    storedAttributes.flatMap { [$0.name] + $0.hiddenColumns.map(\.name) } + toOneRelationships.map(\.column)
  }
}
