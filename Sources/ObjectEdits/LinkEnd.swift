package import ImportModel
internal import SQLiteAccess
package import StoreInterface
internal import TypedRows

/// A relationship that may be linked, from the objects' side.
package struct LinkEnd {
  /// Which rows hold its links.
  private enum Holder {
    /// The objects, in a column. Of a one-to-one relationship only one of them leads to each.
    case objects(isOneToOne: Bool)
    /// The other objects, one at most for each.
    case others(ToMany)
    /// Rows of their own.
    case links(ToMany, onward: Relationship)
  }

  package let entity: Entity
  package let relationship: Relationship
  package let destination: Entity
  private let holder: Holder

  package init(_ name: String, _ relationship: String, in model: Model) throws(StoreError) {
    guard let entity = model.entity(named: name) else { throw .noEntity(name, in: model) }
    guard let found = entity.relationship(named: relationship) else {
      throw .noRelationship(relationship, of: entity)
    }
    guard let destination = model.entity(named: found.destination) else {
      throw .noEntity(found.destination, in: model)
    }
    (self.entity, self.relationship, self.destination) = (entity, found, destination)
    let toMany = model.toMany(found)
    switch (found.kind, toMany?.onward) {
    case (.toOne, _): holder = .objects(isOneToOne: model.isOneToOne(found))
    case (.hasOne, _):
      guard let toMany else { throw .linkAtOtherEnd(found, of: entity) }
      holder = .others(toMany)
    case (.toMany, let onward):
      guard let toMany, let onward else { throw .linkAtOtherEnd(found, of: entity) }
      holder = .links(toMany, onward: onward)
    }
  }

  /// The entity whose rows hold the links.
  package var holderName: String {
    switch holder {
    case .objects: entity.name
    case .others(let toMany), .links(let toMany, _): toMany.holder.name
    }
  }

  /// Whether only one of the objects can lead to another one.
  package var isOneToOne: Bool {
    switch holder {
    case .objects(let isOneToOne): isOneToOne
    case .others: true
    case .links: false
    }
  }

  /// The other object's key, each part as a person writes it: `year` and `2013`.
  package func key(_ texts: [String: String]) throws(StoreError) -> [String: Value] {
    var key: [String: Value] = [:]
    for (name, text) in texts {
      guard destination.key.contains(name), let attribute = destination.attribute(named: name) else {
        throw .keyOf(destination)
      }
      guard let value = Value(text, as: attribute.type) else {
        throw .notAValue(name, attribute.type.writtenForm)
      }
      key[name] = value
    }
    return key
  }

  /// A statement that changes links, and a query that finds what another program's trigger has kept from it.
  package struct Statement {
    package let sql: String
    package let left: String
    /// Whether what is left are rows that are not there.
    package var isInsertion = false

    /// The links that stand in a column of a table.
    fileprivate static func update(_ table: String, _ column: String, _ value: String, where rows: String)
      -> Statement
    {
      Statement(
        sql: "UPDATE \(table) SET \(column) = \(value) WHERE \(rows)",
        left: "SELECT 1 FROM \(table) WHERE \(rows)")
    }

    fileprivate static func delete(_ table: String, where rows: String) -> Statement {
      Statement(
        sql: "DELETE FROM \(table) WHERE \(rows)", left: "SELECT 1 FROM \(table) WHERE \(rows)")
    }
  }

  /// The statements that change objects' links.
  ///
  /// Of a one-to-one relationship whoever had the place before gives it up first.
  /// - Parameters:
  ///   - objects: a query of the objects' ids, as `id`; of one object where links come to be, and it is one-to-one.
  ///   - target: the id of the object that the edit names, if it names one.
  package func statements(_ edit: LinkEdit, objects: String, target: String) -> [Statement] {
    func isOther(_ column: String, _ value: String) -> String {
      "(\(column) IS NULL OR \(column) <> \(value))"
    }
    switch holder {
    case .objects(let isOneToOne):
      let (table, column) = (quoted(entity.name), quoted(relationship.column))
      let ofObjects = "bolide_id IN (\(objects))"
      return switch edit {
      case .to:
        (isOneToOne
          ? [.update(table, column, "NULL", where: "\(column) = \(target) AND NOT \(ofObjects)")] : [])
          + [.update(table, column, target, where: "\(ofObjects) AND \(isOther(column, target))")]
      case .from: [.update(table, column, "NULL", where: "\(ofObjects) AND \(column) = \(target)")]
      case .toNone: [.update(table, column, "NULL", where: "\(ofObjects) AND \(column) IS NOT NULL")]
      }
    case .others(let one):
      let (table, column) = (quoted(one.holder.name), quoted(one.toOne.column))
      let ofObjects = "\(column) IN (\(objects))"
      return switch edit {
      case .to:
        [
          .update(table, column, "NULL", where: "\(ofObjects) AND bolide_id <> \(target)"),
          .update(
            table, column, "(\(objects))",
            where: "bolide_id = \(target) AND \(isOther(column, "(\(objects))"))"),
        ]
      case .from: [.update(table, column, "NULL", where: "bolide_id = \(target) AND \(ofObjects)")]
      case .toNone: [.update(table, column, "NULL", where: ofObjects)]
      }
    case .links(let toMany, let onward):
      let table = quoted(toMany.holder.name)
      let (own, other) = (quoted(toMany.toOne.column), quoted(onward.column))
      let new = """
        SELECT o.id, \(target) FROM (\(objects)) AS o
        WHERE NOT EXISTS (SELECT 1 FROM \(table) WHERE \(own) = o.id AND \(other) = \(target))
        """
      return switch edit {
      case .to:
        [Statement(sql: "INSERT INTO \(table)(\(own), \(other)) \(new)", left: new, isInsertion: true)]
      case .from: [.delete(table, where: "\(own) IN (\(objects)) AND \(other) = \(target)")]
      case .toNone: [.delete(table, where: "\(own) IN (\(objects))")]
      }
    }
  }
}
