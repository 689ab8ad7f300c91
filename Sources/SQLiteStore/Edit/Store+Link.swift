internal import GRDB
public import ImportModel

extension Store {
  /// Links objects to another one, or to none, in one transaction. Derived attributes of both ends follow.
  ///
  /// - Parameters:
  ///   - entity: the objects' entity.
  ///   - relationship: its to-one relationship.
  ///   - predicate: which objects, as `FetchRequest.predicate`; nil for all.
  ///   - arguments: the values of the predicate's `?`.
  ///   - key: the key of the object that they lead to; nil for none.
  /// - Returns: what changed. An object that has the link already is not changed.
  /// - Throws: `StoreError` when a name or the predicate is refused, or there is no object with the key.
  /// - Complexity: O(objects) memory.
  public func link(
    _ entity: String, _ relationship: String, where predicate: String?, _ arguments: [Value] = [],
    to key: [String: Value]?, options: EditOptions = EditOptions()
  ) async throws -> EditReport {
    try await answering {
      try $0.linkObjects(FetchRequest(entity, where: predicate, arguments), relationship, to: key, options)
    }
  }

  /// Links the objects of a request, on the calling thread.
  package func linkObjects(
    _ request: FetchRequest, _ name: String, to key: [String: Value]?, _ options: EditOptions
  ) throws -> EditReport {
    try naming {
      try editing(options) { db, model in
        let (entity, relationship, destination) = try model.end(request.entity, name)
        let target = try key.map { try db.object(of: destination, key: $0) }
        let column = quoted(relationship.column)
        let update = try RawStatement(
          db, "UPDATE \(quoted(entity.name)) SET \(column) = ?1 WHERE bolide_id = ?2 AND \(column) IS NOT ?1")
        for id in try FetchReading(db, path: path).ids(request, at: nil) {
          update.bind(target.map(Value.integer) ?? .null, at: 1)
          update.bind(id, at: 2)
          try update.run(denied: .linkDenied(entity, relationship))
        }
      }.1
    }
  }

  /// A key as texts, each read as its attribute's type wants it.
  ///
  /// - Parameter texts: by attribute, as a person writes them: `year` and `2013`.
  package func key(of relationship: String, from entity: String, _ texts: [String: String]) throws -> [String:
    Value]
  {
    try naming {
      let model = try reading { try SchemaUpdate.storedModel($0) ?? Model() }
      let destination = try model.end(entity, relationship).destination
      var key: [String: Value] = [:]
      for (name, text) in texts {
        guard destination.key.contains(name), let attribute = destination.attribute(named: name) else {
          throw StoreError.keyOf(destination)
        }
        key[name] = try attribute.value(text)
      }
      return key
    }
  }
}

extension Model {
  /// A to-one relationship by names, with both ends.
  fileprivate func end(
    _ name: String, _ relationship: String
  ) throws(StoreError) -> (entity: Entity, relationship: Relationship, destination: Entity) {
    guard let entity = entity(named: name) else { throw .noEntity(name, in: self) }
    guard let found = entity.relationship(named: relationship) else {
      throw .noRelationship(relationship, of: entity)
    }
    guard let destination = self.entity(named: found.destination) else {
      throw .noEntity(found.destination, in: self)
    }
    guard found.kind == .toOne else { throw .linkAtOtherEnd(found, of: entity) }
    return (entity, found, destination)
  }
}

extension Attribute {
  /// A text that a person wrote, as a stored value.
  fileprivate func value(_ text: String) throws(StoreError) -> Value {
    do {
      return try Value(text, as: type)
    } catch {
      throw .notAValue(name, error.expected)
    }
  }
}

extension Database {
  /// The id of the object that has a key.
  fileprivate func object(of entity: Entity, key: [String: Value]) throws -> Int64 {
    guard Set(key.keys) == Set(entity.key) else { throw StoreError.keyOf(entity) }
    let terms = entity.key.map { "\(quoted($0)) = ?" }.joined(separator: " AND ")
    let query = try RawStatement(self, "SELECT bolide_id FROM \(quoted(entity.name)) WHERE \(terms)")
    query.bind(entity.key.map { key[$0] ?? .null })
    defer { query.reset() }
    guard try query.step() else { throw StoreError.noSuchObject(entity) }
    return query.integer(0)
  }
}
