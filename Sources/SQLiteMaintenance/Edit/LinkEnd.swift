internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import SQLiteStore
internal import StoreInterface

/// A relationship that may be linked, from the objects' side.
struct LinkEnd {
  /// Which rows hold its links.
  private enum Holder {
    /// The objects, in a column. Of a one-to-one relationship only one of them leads to each.
    case objects(isOneToOne: Bool)
    /// The other objects, one at most for each.
    case others(ToMany)
    /// Rows of their own.
    case links(ToMany, onward: Relationship)
  }

  let entity: Entity
  let relationship: Relationship
  let destination: Entity
  private let holder: Holder

  init(_ name: String, _ relationship: String, in model: Model) throws(StoreError) {
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
  private var holderName: String {
    switch holder {
    case .objects: entity.name
    case .others(let toMany), .links(let toMany, _): toMany.holder.name
    }
  }

  /// Whether only one of the objects can lead to another one.
  var isOneToOne: Bool {
    switch holder {
    case .objects(let isOneToOne): isOneToOne
    case .others: true
    case .links: false
    }
  }

  /// Changes the links of objects.
  ///
  /// - Parameter target: the id of the object that the edit names.
  func change(_ edit: LinkEdit, of ids: [Int64], to target: Int64?, _ db: Database) throws {
    let changes = try sql(edit).map { try RawStatement(db, $0) }
    for id in ids {
      for change in changes {
        change.bind(id, at: 1)
        if let target { change.bind(target, at: 2) }
        try db.naming(fullIDsOf: holderName) {
          try change.run(denied: .linkDenied(entity, relationship))
        }
      }
    }
  }

  /// The statements that change an object's links: its own id is ?1, the other object's is ?2.
  ///
  /// Of a one-to-one relationship whoever had the place before gives it up first.
  private func sql(_ edit: LinkEdit) -> [String] {
    switch holder {
    case .objects(let isOneToOne):
      let (table, column) = (quoted(entity.name), quoted(relationship.column))
      return switch edit {
      case .to:
        (isOneToOne
          ? ["UPDATE \(table) SET \(column) = NULL WHERE \(column) = ?2 AND bolide_id <> ?1"] : [])
          + ["UPDATE \(table) SET \(column) = ?2 WHERE bolide_id = ?1 AND \(column) IS NOT ?2"]
      case .from: ["UPDATE \(table) SET \(column) = NULL WHERE bolide_id = ?1 AND \(column) = ?2"]
      case .toNone: ["UPDATE \(table) SET \(column) = NULL WHERE bolide_id = ?1 AND \(column) IS NOT NULL"]
      }
    case .others(let one):
      let (table, column) = (quoted(one.holder.name), quoted(one.toOne.column))
      return switch edit {
      case .to:
        [
          "UPDATE \(table) SET \(column) = NULL WHERE \(column) = ?1 AND bolide_id <> ?2",
          "UPDATE \(table) SET \(column) = ?1 WHERE bolide_id = ?2 AND \(column) IS NOT ?1",
        ]
      case .from: ["UPDATE \(table) SET \(column) = NULL WHERE bolide_id = ?2 AND \(column) = ?1"]
      case .toNone: ["UPDATE \(table) SET \(column) = NULL WHERE \(column) = ?1"]
      }
    case .links(let toMany, let onward):
      let table = quoted(toMany.holder.name)
      let (own, other) = (quoted(toMany.toOne.column), quoted(onward.column))
      let isThere = "\(own) = ?1 AND \(other) = ?2"
      return switch edit {
      case .to:
        [
          "INSERT INTO \(table)(\(own), \(other)) SELECT ?1, ?2 "
            + "WHERE NOT EXISTS (SELECT 1 FROM \(table) WHERE \(isThere))"
        ]
      case .from: ["DELETE FROM \(table) WHERE \(isThere)"]
      case .toNone: ["DELETE FROM \(table) WHERE \(own) = ?1"]
      }
    }
  }
}

extension Database {
  /// The id of the object that has a key; nil where there is none.
  ///
  /// - Parameter key: the values of the key's columns: of a relationship, the id of the object that it leads to.
  func id(of entity: Entity, key: [Value]) throws -> Int64? {
    let query = try RawStatement(self, idOf: entity, key: entity.keyColumns)
    query.bind(key)
    defer { query.reset() }
    return try query.step() ? query.integer(0) : nil
  }

  /// The id of the object that has a key, by the names of its parts.
  func object(of entity: Entity, key: [String: Value], hint: String?) throws -> Int64 {
    guard Set(key.keys) == Set(entity.key) else { throw StoreError.keyOf(entity) }
    guard let id = try id(of: entity, key: entity.key.map { key[$0] ?? .null }) else {
      throw StoreError.noSuchObject(entity, hint: hint)
    }
    return id
  }
}
