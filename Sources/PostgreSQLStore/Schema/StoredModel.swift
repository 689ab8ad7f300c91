internal import Foundation
internal import ImportModel
internal import ModelMerging
internal import PostgreSQLAccess
internal import StoreInterface
internal import Synchronization
internal import TypedRows

/// What a store says of itself, and the numbers by which history names entities and properties.
struct StoredModel {
  let id: String
  /// The store's schema.
  let schema: String
  let version: Int64
  let record: ModelRecord
  let model: Model
  private var entityNumbers: [String: Int64] = [:]
  private var propertyNumbers: [String: [String: Int64]] = [:]
  private var entityNames: [Int64: String] = [:]
  private var propertyNames: [Int64: String] = [:]

  /// - Throws: `StoreError` where the schema holds no store, or one of a later format.
  init(_ connection: PostgreSQLConnection, _ address: PostgreSQLAddress) throws {
    guard try Self.exists(connection) else { throw StoreError.noStoreThere(address.shown) }
    let head = try connection.run(
      """
      SELECT format, id, model, version, \(SystemTables.wasRenamed) FROM bolide_store
      JOIN bolide_model ON version = model_version
      """)
    guard head.count == 1 else { throw StoreError.noStoreThere(address.shown) }
    if head.integer(0, 0) > SystemTables.format { throw StoreError.laterFormat(address.shown) }
    if head.integer(0, 0) < SystemTables.format {
      throw SystemTables.upgrades[head.integer(0, 0)] == nil
        ? StoreError.earlierFormat(address.shown) : .outdatedFormat(address.shown)
    }
    if head.integer(0, 4) != 0 { throw StoreError.renamedSchema(address.shown) }
    (id, schema, version) = (head.text(0, 1), address.schema, head.integer(0, 3))
    record = try Self.record(head.text(0, 2))
    model = record.model
    let rows = try connection.run(
      """
      SELECT e.name, e.number, p.name, p.number FROM bolide_entity e
      LEFT JOIN bolide_property p ON p.entity = e.number ORDER BY p.number
      """)
    for row in 0..<rows.count {
      let (entity, number) = (rows.text(row, 0), rows.integer(row, 1))
      (entityNumbers[entity], entityNames[number]) = (number, entity)
      if rows.isNull(row, 2) { continue }
      propertyNumbers[entity, default: [:]][rows.text(row, 2)] = rows.integer(row, 3)
      propertyNames[rows.integer(row, 3)] = rows.text(row, 2)
    }
  }

  /// The record that was decoded last: every request reads its store's, which seldom changes.
  private static let last = Mutex<(text: String, record: ModelRecord)?>(nil)

  private static func record(_ text: String) throws -> ModelRecord {
    try last.withLock { last in
      if let last, last.text == text { return last.record }
      let record = try JSONDecoder().decode(ModelRecord.self, from: Data(text.utf8))
      last = (text, record)
      return record
    }
  }

  private static func model(_ text: String) throws -> Model {
    try JSONDecoder().decode(Model.self, from: Data(text.utf8))
  }

  /// All versions of the model but the newest, the oldest first.
  static func earlier(_ connection: PostgreSQLConnection) throws -> [Model] {
    let found = try connection.run("SELECT model FROM bolide_model ORDER BY version")
    return try (0..<found.count).map { try model(found.text($0, 0)) }.dropLast()
  }

  /// Makes a model the store's.
  static func write(_ record: ModelRecord, _ connection: PostgreSQLConnection) throws {
    try connection.run(
      """
      WITH next AS (UPDATE bolide_store SET model_version = model_version + 1 RETURNING model_version)
      INSERT INTO bolide_model(version, model) SELECT model_version, $1 FROM next
      """, [.text(String(decoding: try JSONEncoder().encode(record), as: UTF8.self))])
  }

  /// The model as it was in one version; nil where there is none.
  static func version(_ version: Int64, _ connection: PostgreSQLConnection) throws -> Model? {
    let found = try connection.run("SELECT model FROM bolide_model WHERE version = \(version)")
    return found.count == 0 ? nil : try model(found.text(0, 0))
  }

  /// Whether the schema holds a store.
  static func exists(_ connection: PostgreSQLConnection) throws -> Bool {
    let found = try connection.run(
      "SELECT FROM pg_class WHERE relname = 'bolide_store' AND relnamespace = \(SystemTables.namespace)"
    )
    if found.count == 1 { return true }
    // A schema that the user may not use looks empty.
    let schema = connection.address.schema
    let hidden = try connection.run(
      "SELECT FROM pg_namespace WHERE nspname = $1 AND NOT has_schema_privilege(oid, 'USAGE')",
      [.text(schema)])
    if hidden.count > 0 { throw StoreError.schemaHidden(schema, connection.address.shown) }
    return false
  }

  /// The key of the digests by which rejected records know their keys.
  var digestKey: SipHash.Key { SipHash.Key(Array(id.utf8)) }

  func number(of entity: Entity) -> Int64 { entityNumbers[entity.name] ?? 0 }
  func number(of property: String, in entity: Entity) -> Int64 {
    propertyNumbers[entity.name]?[property] ?? 0
  }
  func entity(_ number: Int64) -> Entity? { entityNames[number].flatMap(model.entity(named:)) }
  func property(_ number: Int64) -> String? { propertyNames[number] }
}

extension Entity {
  /// The properties that have a column, attributes first, with an attribute's type.
  var properties: [(name: String, column: String, type: AttributeType?)] {
    storedAttributes.map { ($0.name, $0.name, $0.type) }
      + toOneRelationships.map { ($0.name, $0.column, nil) }
  }
}

extension AttributeType? {
  /// The type of a property's column; a relationship's holds object ids.
  var stored: AttributeType { self ?? .integer64 }
}
