package import ImportModel
internal import ModelMerging
internal import SQLiteAccess

/// An entity as a table.
///
///     CREATE TABLE "Fireball"(bolide_id INTEGER PRIMARY KEY AUTOINCREMENT, "date" TEXT NOT NULL, …, "group_id" …)
package struct EntitySchema {
  let entity: Entity
  let model: Model

  package init(entity: Entity, model: Model) {
    (self.entity, self.model) = (entity, model)
  }

  /// The statement that makes the table.
  package var createTable: String { createTable(hidden: true) }

  /// - Parameter hidden: whether it has the columns that derived attributes are computed from.
  package func createTable(hidden: Bool) -> String {
    var lines = ["bolide_id INTEGER PRIMARY KEY AUTOINCREMENT"]
    lines += entity.storedAttributes.flatMap { hidden ? columns($0) : Array(columns($0).prefix(1)) }
    lines += entity.toOneRelationships.map(column)
    lines.append("UNIQUE (\(entity.keyColumns.map(quoted).joined(separator: ", ")))")
    return "CREATE TABLE \(quoted(entity.name))(\n  \(lines.joined(separator: ",\n  "))\n) STRICT"
  }

  /// An index, and the statement that makes it.
  package struct Index {
    package let name: String
    package let isUnique: Bool
    package let sql: String
  }

  /// All indexes, beside that of the key.
  package var indexes: [Index] {
    entity.toOneRelationships.filter(hasIndex).map(index) + entity.uniquenessConstraints.map(index)
      + entity.indexes.map(declaredIndex)
  }

  /// Whether a to-one relationship has an index of its own; a key that begins with it serves it too.
  package func hasIndex(_ relationship: Relationship) -> Bool {
    entity.key.first != relationship.name
  }

  /// The index of a to-one relationship: without it every deletion of an owner would scan the children. That of a
  /// one-to-one relationship keeps two objects from leading to one owner; nulls are free.
  package func index(_ relationship: Relationship) -> Index {
    index([relationship.column], isUnique: model.isOneToOne(relationship))
  }

  /// A further constraint is an index of its own, so that it can be added to a table that is there.
  package func index(_ constraint: [String]) -> Index {
    index(constraint, isUnique: true)
  }

  /// An index that pipelines declare, by the names of its attributes and relationships.
  package func declaredIndex(_ names: [String]) -> Index {
    index(entity.columns(of: names), isUnique: false)
  }

  private func index(_ columns: [String], isUnique: Bool) -> Index {
    let name = entity.indexName(columns: columns, isUnique: isUnique)
    let list = columns.map(quoted).joined(separator: ", ")
    return Index(
      name: name, isUnique: isUnique,
      sql: "CREATE \(isUnique ? "UNIQUE INDEX" : "INDEX") \(quoted(name)) ON \(quoted(entity.name))(\(list))")
  }

  /// The name of a trigger for what a row does to the owner that a column leads to.
  package func triggerName(_ event: String, by column: String) -> String {
    "bolide_\(entity.dotted([column, event]))"
  }

  /// An attribute's column, and behind a derived one those that hold what its next value is computed from.
  func columns(_ attribute: Attribute) -> [String] {
    var column = "\(quoted(attribute.name)) \(attribute.type.storage.sql)"
    if attribute.isCount || attribute.isTotal {
      column += attribute.isCount ? " NOT NULL DEFAULT 0" : " DEFAULT 0"
    } else if attribute.derivation == nil {
      if attribute.isRequired { column += " NOT NULL" }
      if let value = attribute.defaultValue { column += " DEFAULT \(value.sql)" }
      if let check = attribute.check { column += " CHECK (\(check))" }
    }
    return [column] + attribute.hiddenColumns.map { "\(quoted($0.name)) \($0.type.sql) DEFAULT 0" }
  }

  func column(_ relationship: Relationship) -> String {
    let rule =
      switch model.deleteRule(of: relationship, in: entity) {
      case .nullify: "SET NULL"
      case .cascade: "CASCADE"
      case .deny: "RESTRICT"
      }
    let notNull = entity.key.contains(relationship.name) ? " NOT NULL" : ""
    return
      "\(quoted(relationship.column)) INTEGER\(notNull) REFERENCES \(quoted(relationship.destination)) ON DELETE \(rule)"
  }
}
