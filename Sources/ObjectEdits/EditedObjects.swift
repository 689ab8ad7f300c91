package import ImportModel
package import StoreInterface
internal import TypedRows

/// A store's objects, inside the transaction of an edit: what an engine does, and what all engines make of it.
package protocol EditedObjects {
  /// The ids of a request's objects, in its order.
  func ids(_ request: ObjectQuery) throws -> [Int64]

  /// The id of the object that has a key; nil where there is none.
  ///
  /// - Parameter key: the values of the key's columns: of a relationship, the id of the object that it leads to.
  func id(of entity: Entity, key: [Value]) throws -> Int64?

  /// Inserts an object, as any other program may.
  ///
  /// - Returns: its id.
  /// - Throws: `StoreError.valuesTaken` where another has its key or its unique values.
  func insert(_ entity: Entity, _ columns: [StoredColumn]) throws -> Int64

  /// Gives objects other values, those of them that do not have them.
  ///
  /// - Throws: as `insert`.
  func update(_ entity: Entity, _ ids: [Int64], _ columns: [StoredColumn]) throws

  /// Changes the links of objects.
  ///
  /// - Parameter target: the id of the object that the edit names.
  /// - Throws: `StoreError.linkDenied` where a constraint forbids it.
  func change(_ edit: LinkEdit, _ end: LinkEnd, of ids: [Int64], to target: Int64?) throws

  /// Whether a text is JSON.
  func isJSON(_ text: String) throws -> Bool
}

/// A value in a column.
package struct StoredColumn {
  /// The column's name.
  package let name: String
  /// Nil for a relationship's, which holds object ids.
  package let type: AttributeType?
  /// In its stored form.
  package let value: Value
}

extension EditedObjects {
  /// Changes the links of a request's objects.
  package func link(_ request: ObjectQuery, _ name: String, _ edit: LinkEdit, in model: Model) throws {
    let end = try LinkEnd(request.entity, name, in: model)
    let target = try edit.key.map {
      try object(of: end.destination, key: $0, hint: edit.isNew ? "Import it first." : nil)
    }
    let ids = try ids(request)
    if end.isOneToOne, edit.isNew, ids.count > 1 {
      throw StoreError.linkOfSeveral(ids.count, end.entity, end.relationship)
    }
    try change(edit, end, of: ids, to: target)
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
