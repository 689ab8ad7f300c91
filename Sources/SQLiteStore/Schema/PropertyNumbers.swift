internal import GRDB
internal import ImportModel

/// The numbers by which history knows entities and properties. They outlive every rename.
struct PropertyNumbers {
  /// A stored property of an entity.
  struct Column {
    /// The property's number.
    let number: Int64
    /// The attribute's or relationship's name.
    let name: String
    /// Its column in the table.
    let column: String
    /// Whether the store computes it.
    let isDerived: Bool
    /// Whether it is part of the key.
    let isKey: Bool
  }

  private var entities: [String: Int64] = [:]
  private var columns: [String: [Column]] = [:]

  /// Reads the numbers of a model's names, and gives out new ones where a name is new.
  init(_ db: Database, model: Model, creating: Bool) throws {
    for entity in model.entities {
      let number = try Self.number(
        db, "bolide_entity", "entity", where: "name = \(literal(entity.name))",
        insert: creating ? "(name) VALUES (\(literal(entity.name)))" : nil)
      entities[entity.name] = number
      func property(_ name: String) throws -> Int64 {
        try Self.number(
          db, "bolide_property", "property", where: "entity = \(number) AND name = \(literal(name))",
          insert: creating ? "(entity, name) VALUES (\(number), \(literal(name)))" : nil)
      }
      let attributes = try entity.storedAttributes.map {
        Column(
          number: try property($0.name), name: $0.name, column: $0.name, isDerived: $0.derivation != nil,
          isKey: entity.key.contains($0.name))
      }
      let relationships = try entity.toOneRelationships.map {
        Column(
          number: try property($0.name), name: $0.name, column: $0.column, isDerived: false,
          isKey: entity.key.contains($0.name))
      }
      columns[entity.name] = attributes + relationships
    }
  }

  /// The number of an entity of the model.
  func entity(_ name: String) -> Int64 {
    guard let number = entities[name] else { preconditionFailure("every entity of the model has a number") }
    return number
  }

  /// The stored properties of an entity of the model: attributes in declared order, then relationships.
  func columns(of entity: Entity) -> [Column] {
    columns[entity.name] ?? []
  }

  private static func number(
    _ db: Database, _ table: String, _ column: String, where condition: String, insert: String?
  ) throws -> Int64 {
    let query = "SELECT \(column) FROM \(table) WHERE \(condition)"
    if case .integer(let number) = try db.value(query) { return number }
    if let insert {
      try db.run("INSERT INTO \(table)\(insert)")
      if case .integer(let number) = try db.value(query) { return number }
    }
    throw StoreError.noNumber
  }
}
