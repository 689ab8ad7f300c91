internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import SQLiteQueries
internal import SQLiteStore
package import StoreInterface
internal import TypedRows

extension SQLiteEngine {
  /// Writes one object, on the calling thread.
  package func writeObject(
    _ entity: String, _ values: ObjectValues, links: [String: ObjectValues?], _ kind: ObjectWrite,
    _ options: EditOptions
  ) throws -> (object: ObjectID, report: EditReport) {
    try naming {
      let (id, report) = try editing(options) { db, model in
        try ObjectWriter(db, entity, in: model).write(values, links: links, kind)
      }
      return (ObjectID(entity: entity, id: id), report)
    }
  }

  /// Gives the objects of a request other values, on the calling thread.
  package func updateObjects(
    _ request: ObjectQuery, _ values: ObjectValues, _ options: EditOptions
  ) throws -> EditReport {
    try naming {
      try editing(options) { db, model in
        let writer = try ObjectWriter(db, request.entity, in: model)
        try writer.update(FetchReading(db, path: path).ids(request, at: nil), writer.columns(values))
      }.1
    }
  }
}

/// Writes objects of one entity with plain SQL, as any other program may; the triggers do the rest.
private struct ObjectWriter {
  /// Columns with their values, in an order that does not depend on the run.
  typealias Columns = [(name: String, value: Value)]

  private let db: Database
  private let model: Model
  private let entity: Entity
  private let conversion: ValueConversion

  init(_ db: Database, _ name: String, in model: Model) throws(StoreError) {
    guard let entity = model.entity(named: name) else { throw .noEntity(name, in: model) }
    (self.db, self.model, self.entity) = (db, model, entity)
    conversion = ValueConversion(entity, in: model)
  }

  /// - Returns: the object's id.
  func write(_ values: ObjectValues, links: [String: ObjectValues?], _ kind: ObjectWrite) throws -> Int64 {
    var columns = try columns(values)
    let ends = try links.keys.sorted().map { try LinkEnd(entity.name, $0, in: model) }
    let targets = try ends.map { end in
      try links[end.relationship.name].flatMap(\.self).map { try object($0, of: end.destination) }
    }
    for (end, target) in zip(ends, targets) where entity.key.contains(end.relationship.name) {
      columns.append((end.relationship.column, target.map(Value.integer) ?? .null))
    }
    let key = try zip(entity.key, entity.keyColumns).map { name, column in
      guard let value = columns.first(where: { $0.name == column })?.value, value != .null else {
        throw StoreError.valueRefused(entity, RejectionReason.missingKey(name).message)
      }
      return value
    }
    let id: Int64
    if let found = try db.id(of: entity, key: key) {
      guard kind == .upsert else { throw StoreError.keyTaken(entity) }
      try update([found], columns.filter { !entity.keyColumns.contains($0.name) })
      id = found
    } else {
      id = try insert(columns, missing: Set(conversion.required).subtracting(values.values.keys))
    }
    for (end, target) in zip(ends, targets) where !entity.key.contains(end.relationship.name) {
      try end.change(target == nil ? .toNone : .to([:]), of: [id], to: target, db)
    }
    return id
  }

  func update(_ ids: [Int64], _ columns: Columns) throws {
    guard !columns.isEmpty else { return }
    let names = columns.map { quoted($0.name) }
    let assignments = names.enumerated().map { "\($1) = ?\($0 + 2)" }.joined(separator: ", ")
    let differences = names.enumerated().map { "\($1) IS NOT ?\($0 + 2)" }.joined(separator: " OR ")
    let update = try RawStatement(
      db,
      "UPDATE \(quoted(entity.name)) SET \(assignments) WHERE bolide_id = ?1 AND (\(differences))")
    update.bind([.null] + columns.map(\.value))
    for id in ids {
      update.bind(id, at: 1)
      try update.run(denied: .valuesTaken(entity))
    }
  }

  /// Values as the columns keep them.
  func columns(_ values: ObjectValues) throws -> Columns {
    try values.names.map { name in
      let type = entity.attribute(named: name)?.type ?? .string
      guard let value = try stored(values.value(name, for: type), of: name) else {
        throw StoreError.notWritable(name, of: entity)
      }
      return (name, value)
    }
  }

  private func stored(_ value: Value, of name: String) throws -> Value? {
    do {
      return try conversion.stored(value, of: name) {
        try db.value("SELECT json_valid(?)", .text($0)) == .integer(1)
      }
    } catch let reason as RejectionReason {
      throw StoreError.valueRefused(entity, reason.message)
    }
  }

  private func insert(_ columns: Columns, missing: Set<String>) throws -> Int64 {
    if let name = missing.min() {
      throw StoreError.valueRefused(entity, RejectionReason.missing(name).message)
    }
    let names = columns.map { quoted($0.name) }.joined(separator: ", ")
    let places = columns.map { _ in "?" }.joined(separator: ", ")
    let insert = try RawStatement(
      db, "INSERT INTO \(quoted(entity.name))(\(names)) VALUES (\(places)) RETURNING bolide_id")
    insert.bind(columns.map(\.value))
    var id: Int64 = 0
    do {
      try db.naming(fullIDsOf: entity.name) {
        while try insert.step() { id = insert.integer(0) }
      }
    } catch let error as StoreError where error.code == .constraint {
      throw StoreError.valuesTaken(entity)
    }
    return id
  }

  /// The id of the object that a link leads to.
  private func object(_ key: ObjectValues, of destination: Entity) throws -> Int64 {
    let attributes = destination.key.filter { destination.attribute(named: $0) != nil }
    let writer = try ObjectWriter(db, destination.name, in: model)
    let columns = try writer.columns(ObjectValues(key.values.filter { attributes.contains($0.key) }))
    // A relationship of a key is given by the id of the object that it leads to.
    var values = key.values.mapValues { $0?.storedValue ?? .null }
    for column in columns { values[column.name] = column.value }
    return try db.object(of: destination, key: values, hint: "Insert it first.")
  }
}
