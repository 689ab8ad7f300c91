package import ImportModel
package import StoreInterface
internal import TypedRows

/// Writes objects of one entity, with values as an import reads them.
package struct ObjectWriter<Objects: EditedObjects> {
  private let objects: Objects
  private let model: Model
  private let entity: Entity
  private let conversion: ValueConversion

  package init(_ objects: Objects, _ name: String, in model: Model) throws(StoreError) {
    guard let entity = model.entity(named: name) else { throw .noEntity(name, in: model) }
    (self.objects, self.model, self.entity) = (objects, model, entity)
    conversion = ValueConversion(entity, in: model)
  }

  /// Writes one object.
  ///
  /// - Returns: its id.
  package func write(
    _ values: ObjectValues, links: [String: ObjectValues?], _ kind: ObjectWrite
  ) throws -> Int64 {
    var columns = try columns(values)
    let ends = try links.keys.sorted().map { try LinkEnd(entity.name, $0, in: model) }
    let targets = try ends.map { end in
      try links[end.relationship.name].flatMap(\.self).map { try object($0, of: end.destination) }
    }
    for (end, target) in zip(ends, targets) where entity.key.contains(end.relationship.name) {
      let value = target.map(Value.integer) ?? .null
      columns.append(StoredColumn(name: end.relationship.column, type: nil, value: value))
    }
    let key = try zip(entity.key, entity.keyColumns).map { name, column in
      guard let value = columns.first(where: { $0.name == column })?.value, value != .null else {
        throw StoreError.valueRefused(entity, RejectionReason.missingKey(name).message)
      }
      return value
    }
    let id: Int64
    if let found = try objects.id(of: entity, key: key) {
      guard kind == .upsert else { throw StoreError.keyTaken(entity) }
      try update([found], columns.filter { !entity.keyColumns.contains($0.name) })
      id = found
    } else {
      if let name = Set(conversion.required).subtracting(values.values.keys).min() {
        throw StoreError.valueRefused(entity, RejectionReason.missing(name).message)
      }
      id = try objects.insert(entity, columns)
    }
    for (end, target) in zip(ends, targets) where !entity.key.contains(end.relationship.name) {
      try objects.change(target == nil ? .toNone : .to([:]), end, of: [id], to: target)
    }
    return id
  }

  /// Gives objects other values.
  package func update(_ request: ObjectQuery, _ values: ObjectValues) throws {
    try update(objects.ids(request), columns(values))
  }

  private func update(_ ids: [Int64], _ columns: [StoredColumn]) throws {
    if !columns.isEmpty { try objects.update(entity, ids, columns) }
  }

  /// Values as the columns keep them, in an order that does not depend on the run.
  private func columns(_ values: ObjectValues) throws -> [StoredColumn] {
    try values.names.map { name in
      let type = entity.attribute(named: name)?.type ?? .string
      guard let value = try stored(values.value(name, for: type), of: name) else {
        throw StoreError.notWritable(name, of: entity)
      }
      return StoredColumn(name: name, type: type, value: value)
    }
  }

  private func stored(_ value: Value, of name: String) throws -> Value? {
    do {
      return try conversion.stored(value, of: name, isJSON: objects.isJSON)
    } catch let reason as RejectionReason {
      throw StoreError.valueRefused(entity, reason.message)
    }
  }

  /// The id of the object that a link leads to.
  private func object(_ key: ObjectValues, of destination: Entity) throws -> Int64 {
    let attributes = destination.key.filter { destination.attribute(named: $0) != nil }
    let writer = try ObjectWriter(objects, destination.name, in: model)
    let columns = try writer.columns(ObjectValues(key.values.filter { attributes.contains($0.key) }))
    // A relationship of a key is given by the id of the object that it leads to.
    var values = key.values.mapValues { $0?.storedValue ?? .null }
    for column in columns { values[column.name] = column.value }
    return try objects.object(of: destination, key: values, hint: "Insert it first.")
  }
}
