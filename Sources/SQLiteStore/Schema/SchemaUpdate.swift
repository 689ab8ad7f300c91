internal import Foundation
internal import GRDB
internal import ImportModel

/// Makes a store's tables fit a model: new entities and attributes are added, everything else stays.
struct SchemaUpdate {
  /// The model after the update: the store's, with the pipeline's additions.
  let model: Model
  private let stored: Model

  /// - Throws: `StoreError.modelChange` where the pipeline's model says something else than the store's.
  init(stored: Model, declared: Model) throws(StoreError) {
    self.stored = stored
    let declared = declared.withJoins
    var merged = stored
    for entity in declared.entities {
      if let other = merged.entities.first(where: {
        $0.name != entity.name && $0.name.caseFolded == entity.name.caseFolded
      }) {
        throw .entityCase(other.name, entity.name)
      }
      if let index = merged.entities.firstIndex(where: { $0.name == entity.name }) {
        merged.entities[index] = try Self.merge(merged.entities[index], entity)
      } else {
        merged.entities.append(entity)
      }
    }
    model = merged
  }

  /// Whether there is nothing to do.
  var isEmpty: Bool { model == stored }

  /// Changes the tables, and keeps the model. In the caller's transaction.
  func apply(_ db: Database) throws {
    var derivedToCompute: [(Entity, Attribute)] = []
    for entity in model.entities {
      let schema = EntitySchema(entity: entity, model: model)
      guard let before = stored.entity(named: entity.name) else {
        try db.run(schema.createTable)
        try schema.indexes.forEach { try db.run($0.sql) }
        continue
      }
      let new = entity.storedAttributes.filter { before.attribute(named: $0.name)?.isTransient ?? true }
      for column in new.flatMap(schema.columns) {
        try db.run("ALTER TABLE \(quoted(entity.name)) ADD COLUMN \(column)")
      }
      for relationship in entity.toOneRelationships where before.relationship(named: relationship.name) == nil
      {
        try db.run("ALTER TABLE \(quoted(entity.name)) ADD COLUMN \(schema.column(relationship))")
        try db.run(schema.index(relationship).sql)
      }
      for constraint in entity.uniquenessConstraints where !before.hasConstraint(constraint) {
        try Self.add(constraint, to: schema, db)
      }
      // What comes from the clock comes with the next change.
      derivedToCompute += new.filter { $0.derivation != nil && $0.derivation != .now }.map { (entity, $0) }
    }
    let numbers = try PropertyNumbers(db, model: model, creating: true)
    try TriggerCare.create(db, try Triggers(model: model, numbers: numbers))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let text = String(decoding: try encoder.encode(model), as: UTF8.self)
    try db.run("INSERT INTO bolide_model(since, model) VALUES (\(literal(timestamp())), \(literal(text)))")
    for (entity, attribute) in derivedToCompute {
      guard let column = numbers.columns(of: entity).first(where: { $0.name == attribute.name }) else {
        continue
      }
      try DerivedMarks.markAll(db, column.number, of: entity)
    }
  }

  private static func add(_ constraint: [String], to schema: EntitySchema, _ db: Database) throws {
    do {
      try db.run(schema.index(constraint).sql)
    } catch let error as StoreError where error.code == .constraint {
      throw StoreError.cannotBeUnique(constraint, of: schema.entity.name)
    }
  }

  /// The model that a store keeps; nil in a file without one.
  static func storedModel(_ db: Database) throws -> Model? {
    guard case .text(let text) = try db.value("SELECT model FROM bolide_model ORDER BY version DESC LIMIT 1")
    else { return nil }
    do {
      return try JSONDecoder().decode(Model.self, from: Data(text.utf8))
    } catch {
      throw StoreError.unreadableModel
    }
  }

  // MARK: Merging

  private static func merge(_ stored: Entity, _ declared: Entity) throws(StoreError) -> Entity {
    guard stored.key == declared.key else { throw .otherKey(stored, declared) }
    var merged = stored
    for attribute in declared.attributes {
      if let index = merged.attributes.firstIndex(where: { $0.name == attribute.name }) {
        merged.attributes[index] = try merge(merged.attributes[index], attribute, of: stored.name)
      } else {
        try checkAddition(attribute, to: stored.name)
        merged.attributes.append(attribute)
      }
    }
    try checkNames(merged, declared)
    merged.uniquenessConstraints += declared.uniquenessConstraints.filter { !stored.hasConstraint($0) }
    for relationship in declared.relationships {
      if let before = stored.relationship(named: relationship.name) {
        guard before == relationship else {
          throw .otherRelationship("\(stored.name).\(relationship.name)")
        }
      } else {
        merged.relationships.append(relationship)
      }
    }
    return merged
  }

  private static func merge(
    _ stored: Attribute, _ declared: Attribute, of entity: String
  ) throws(StoreError) -> Attribute {
    let name = "\(entity).\(declared.name)"
    guard stored.type == declared.type else { throw .otherType(name, stored.type, declared.type) }
    guard stored.derivation == declared.derivation else {
      throw .otherDerivation(name, stored.derivation, declared.derivation)
    }
    if stored.isTransient && !declared.isTransient {
      try checkAddition(declared, to: entity)
    } else if stored.isTransient != declared.isTransient {
      throw .becomesTransient(name)
    } else if stored.isRequired != declared.isRequired {
      throw .otherRequirement(name, isRequired: stored.isRequired)
    }
    // Defaults, ranges and spellings are rules of the import; the column stays as it is.
    return declared
  }

  /// SQLite takes column names that differ by case for one.
  private static func checkNames(_ merged: Entity, _ declared: Entity) throws(StoreError) {
    let columns =
      merged.attributes.map(\.name) + (merged.toOneRelationships + declared.toOneRelationships).map(\.column)
    for attribute in declared.attributes {
      guard
        let other = columns.first(where: {
          $0 != attribute.name && $0.caseFolded == attribute.name.caseFolded
        })
      else { continue }
      throw .columnCase(other, attribute.name, of: declared.name)
    }
  }

  private static func checkAddition(_ attribute: Attribute, to entity: String) throws(StoreError) {
    guard !attribute.isRequired || attribute.defaultValue != nil else {
      throw .newAndRequired("\(entity).\(attribute.name)")
    }
  }
}

extension Entity {
  /// Whether a constraint on just these attributes is there, in any order.
  fileprivate func hasConstraint(_ attributes: [String]) -> Bool {
    uniquenessConstraints.contains { Set($0) == Set(attributes) }
  }
}
