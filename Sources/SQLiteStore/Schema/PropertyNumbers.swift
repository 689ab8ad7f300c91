package import GRDB
package import ImportModel
internal import SQLiteAccess
internal import StoreInterface

/// The numbers by which history knows entities and properties. They outlive every rename.
package struct PropertyNumbers {
  /// A stored property of an entity.
  package struct Column {
    /// The property's number.
    package let number: Int64
    /// The attribute's or relationship's name.
    package let name: String
    /// Its column in the table.
    package let column: String
    /// Whether the store computes it.
    package let isDerived: Bool
    /// Whether it is part of the key.
    let isKey: Bool
  }

  private var entities: [String: Int64] = [:]
  private var columns: [String: [Column]] = [:]

  /// Reads the numbers of a model's names, and gives out new ones where a name is new.
  ///
  /// - Parameter isTentative: whether a new name has a number that is its own here, and is kept nowhere.
  package init(_ db: Database, model: Model, creating: Bool, isTentative: Bool = false) throws {
    var last: Int64 = 0
    func number(find: String, make: String?, _ values: Value...) throws -> Int64 {
      if let number = try Self.number(find: find, make: make, db, values) { return number }
      guard isTentative else { throw StoreError.noNumber }
      last -= 1
      return last
    }
    for entity in model.entities {
      let entityNumber = try number(
        find: "SELECT entity FROM bolide_entity WHERE name = ?1",
        make: creating ? "INSERT INTO bolide_entity(name) VALUES (?1)" : nil, .text(entity.name))
      entities[entity.name] = entityNumber
      func property(_ name: String) throws -> Int64 {
        try number(
          find: "SELECT property FROM bolide_property WHERE name = ?1 AND entity = ?2",
          make: creating ? "INSERT INTO bolide_property(name, entity) VALUES (?1, ?2)" : nil, .text(name),
          .integer(entityNumber))
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
  package func entity(_ name: String) -> Int64 {
    guard let number = entities[name] else { preconditionFailure("every entity of the model has a number") }
    return number
  }

  /// The stored properties of an entity of the model: attributes in declared order, then relationships.
  package func columns(of entity: Entity) -> [Column] {
    columns[entity.name] ?? []
  }

  private static func number(
    find: String, make: String?, _ db: Database, _ values: [Value]
  ) throws -> Int64? {
    let found = try RawStatement(db, find)
    found.bind(values)
    defer { found.reset() }
    if try !found.step() {
      guard let make else { return nil }
      let insert = try RawStatement(db, make)
      insert.bind(values)
      try insert.run()
      guard try found.step() else { throw StoreError.noNumber }
    }
    return found.integer(0)
  }
}
