internal import GRDB
internal import ImportModel
internal import ModelMerging
internal import SQLiteAccess
internal import StoreInterface

extension ModelDrops {
  /// Drops tables and columns, in the caller's transaction; indexes and triggers with Bolide's names are gone.
  ///
  /// - Parameter before: the store's model with them.
  /// - Returns: the properties that history still knows.
  func apply(_ db: Database, before: Model) throws -> [ModelRecord.Dropped] {
    var kept: [ModelRecord.Dropped] = []
    for drop in drops {
      guard let name = drop.property, let entity = before.entity(named: drop.entity) else { continue }
      let number = try db.integer("SELECT entity FROM bolide_entity WHERE name = ?", .text(entity.name))
      if let attribute = entity.attribute(named: name), !attribute.isTransient {
        kept.append(try Self.drop(attribute, of: entity, number, db))
        try FieldLog.drop(db, entity: entity.name, attribute: name)
      } else if let relationship = entity.relationship(named: name), relationship.kind == .toOne {
        try Self.drop([relationship.column], of: entity, name, db)
        let property = try Self.retireName(name, of: number, db)
        kept.append(
          ModelRecord.Dropped(property: property, entity: number, name: name, type: nil, isDerived: false))
      }
    }
    for entity in order(before) {
      do {
        try db.run("DROP TABLE \(quoted(entity.name))")
      } catch let error as StoreError where error.code != .full {
        throw StoreError.cannotDrop(entity.name, error)
      }
      let number = try db.integer("SELECT entity FROM bolide_entity WHERE name = ?", .text(entity.name))
      try db.run(
        "DELETE FROM bolide_dirty WHERE property IN (SELECT property FROM bolide_property WHERE entity = ?)",
        .integer(number))
      try FieldLog.drop(db, entity: entity.name, attribute: nil)
      for table in ["bolide_complete", "bolide_seen"] {
        try db.run("DELETE FROM \(table) WHERE entity = ?", .text(entity.name))
      }
      try db.run(
        "UPDATE bolide_entity SET name = ? WHERE entity = ?",
        .text("bolide_dropped_\(number)_\(entity.name)"),
        .integer(number))
    }
    return kept
  }

  /// Takes an attribute's columns away.
  static func drop(
    _ attribute: Attribute, of entity: Entity, _ number: Int64, _ db: Database
  ) throws -> ModelRecord.Dropped {
    try drop(
      [attribute.name] + attribute.hiddenColumns.map(\.name), of: entity, attribute.name, db)
    return ModelRecord.Dropped(
      property: try retireName(attribute.name, of: number, db), entity: number, name: attribute.name,
      type: attribute.type, isDerived: attribute.derivation != nil)
  }

  /// - Parameter name: the property whose columns they are.
  static func drop(_ columns: [String], of entity: Entity, _ name: String, _ db: Database) throws {
    for column in columns {
      do {
        try db.run("ALTER TABLE \(quoted(entity.name)) DROP COLUMN \(quoted(column))")
      } catch let error as StoreError where error.code == .other {
        // Another program's view, trigger or index names it.
        throw StoreError.cannotDropColumn("\(entity.name).\(name)", error)
      }
    }
  }

  /// A dropped property keeps its number, and frees its name.
  private static func retireName(_ name: String, of entity: Int64, _ db: Database) throws -> Int64 {
    let property = try db.integer(
      "SELECT property FROM bolide_property WHERE entity = ? AND name = ?", .integer(entity), .text(name))
    try db.run("DELETE FROM bolide_dirty WHERE property = ?", .integer(property))
    try db.run(
      "UPDATE bolide_property SET name = ? WHERE property = ?", .text("bolide_dropped_\(property)_\(name)"),
      .integer(property))
    return property
  }
}
