internal import Foundation
internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface

/// Makes a schema fit a pipeline's model, in the caller's transaction: a new store, or one that gets what it lacks.
struct SchemaFit {
  let connection: PostgreSQLConnection
  let address: PostgreSQLAddress

  /// Makes the store where there is none, and adds what the model has more than it.
  ///
  /// - Throws: `StoreError.modelChange` for what a present table has otherwise.
  func fit(_ pipeline: Pipeline) throws {
    let declared = pipeline.model.withJoins
    try checkNames(declared)
    // Most have nothing to add, and wait for nobody.
    if try StoredModel.exists(connection), try missing(declared) == nil { return }
    try connection.run(SystemTables.lock(address.schema))
    guard try StoredModel.exists(connection) else { return try make(declared) }
    if let (stored, merged) = try missing(declared) { try grow(stored, merged) }
  }

  /// The store's model, and what becomes of it by a pipeline's; nil where it has all that the pipeline's has.
  private func missing(_ declared: Model) throws -> (StoredModel, Model)? {
    let stored = try StoredModel(connection, address)
    let merged = try merge(stored.model, declared)
    return merged == stored.model ? nil : (stored, merged)
  }

  private func make(_ model: Model) throws {
    try makeTables(model)
    try finishTables(model)
  }

  /// Makes a store's tables, which nothing leads from one to another yet, and nothing watches.
  func makeTables(_ model: Model) throws {
    try checkNames(model)
    try connection.run("CREATE SCHEMA IF NOT EXISTS \(quoted(address.schema))")
    guard try connection.run("SELECT current_setting('server_encoding')").text(0, 0) == "UTF8" else {
      throw StoreError.notUTF8(address.shown)
    }
    try connection.runAll(SystemTables.statements + SystemTables.functions + StoreOrigin.functions)
    try connection.run(
      "INSERT INTO bolide_store(format, id, model_version, origin) VALUES ($1, $2, 0, bolide_origin())",
      [.integer(SystemTables.format), .text(randomWord(length: 8))])
    try write(model)
    try create(model.entities, model)
  }

  /// Gives them foreign keys, indexes and triggers.
  func finishTables(_ model: Model) throws {
    try finish(model.entities, model)
    try makeTriggers()
  }

  /// Makes a model the store's.
  private func write(_ model: Model) throws {
    try connection.run(
      """
      WITH next AS (UPDATE bolide_store SET model_version = model_version + 1 RETURNING model_version)
      INSERT INTO bolide_model(version, model) SELECT model_version, $1 FROM next
      """, [.text(String(decoding: try JSONEncoder().encode(model), as: UTF8.self))])
  }

  private func create(_ entities: [Entity], _ model: Model) throws {
    for entity in entities {
      try connection.run(EntityTable(entity: entity, model: model).creation)
      try number(entity)
    }
  }

  private func finish(_ entities: [Entity], _ model: Model) throws {
    for entity in entities {
      let table = EntityTable(entity: entity, model: model)
      try connection.runAll(entity.toOneRelationships.flatMap(table.links) + table.indexes)
    }
  }

  private func number(_ entity: Entity) throws {
    try connection.run(
      "INSERT INTO bolide_entity(name) VALUES ($1) ON CONFLICT DO NOTHING", [.text(entity.name)])
    try connection.run(
      """
      INSERT INTO bolide_property(entity, name)
      SELECT e.number, p.name FROM bolide_entity AS e, unnest($2::text[]) WITH ORDINALITY AS p(name, place)
      WHERE e.name = $1 ORDER BY p.place ON CONFLICT DO NOTHING
      """, [.text(entity.name), .texts(entity.properties.map(\.name))])
  }

  /// Makes all triggers anew: each depends on the whole model.
  func makeTriggers() throws {
    let stored = try StoredModel(connection, address)
    try checkFilters(stored.model)
    for entity in stored.model.entities {
      try connection.runAll(try EntityTriggers(entity, stored).statements)
    }
  }

  private func checkFilters(_ model: Model) throws {
    for entity in model.entities {
      for attribute in entity.derivedAttributes {
        guard let aggregate = attribute.derivation?.aggregate, let filter = aggregate.filter,
          let many = entity.relationship(named: aggregate.relationship).flatMap(model.toMany)
        else { continue }
        do {
          _ = try ConditionSQL.sql(filter, in: .row(many.destination, "x"))
        } catch is Untranslated {
          throw StoreError.unsupported("the filter \(filter)", by: PostgreSQLEngine.engineName, address.shown)
        }
      }
    }
  }

  private func grow(_ stored: StoredModel, _ model: Model) throws {
    try write(model)
    let new = model.entities.filter { stored.model.entity(named: $0.name) == nil }
    for entity in model.entities {
      guard let old = stored.model.entity(named: entity.name) else { continue }
      let table = EntityTable(entity: entity, model: model)
      for attribute in entity.storedAttributes where old.attribute(named: attribute.name) == nil {
        try connection.runAll(
          table.columns(attribute).map { "ALTER TABLE \(table.name) ADD COLUMN \($0)" })
      }
      for relationship in entity.toOneRelationships where old.relationship(named: relationship.name) == nil {
        try connection.run("ALTER TABLE \(table.name) ADD COLUMN \(table.column(relationship))")
      }
      try number(entity)
    }
    try create(new, model)
    try finish(new, model)
    try makeTriggers()
    for entity in model.entities {
      guard let old = stored.model.entity(named: entity.name) else { continue }
      let table = EntityTable(entity: entity, model: model)
      for relationship in entity.toOneRelationships where old.relationship(named: relationship.name) == nil {
        try connection.runAll(table.links(relationship))
      }
      // What is derived is computed by the next writer.
      let hasNew = entity.derivedAttributes.contains { old.attribute(named: $0.name) == nil }
      if hasNew {
        try connection.run(
          """
          INSERT INTO bolide_mark SELECT e.number, t.bolide_id FROM bolide_entity AS e, \(table.name) AS t
          WHERE e.name = $1 ON CONFLICT DO NOTHING
          """, [.text(entity.name)])
      }
    }
  }

  // MARK: What goes together

  /// The store's model with what a pipeline has more.
  func merge(_ stored: Model, _ declared: Model) throws -> Model {
    var model = stored
    for entity in declared.entities {
      guard let index = model.entities.firstIndex(where: { $0.name == entity.name }) else {
        model.entities.append(entity)
        continue
      }
      let known = model.entities[index]
      if known.key != entity.key { throw StoreError.unlike(entity.name, address.shown) }
      for attribute in entity.attributes {
        guard let place = known.attributes.firstIndex(where: { $0.name == attribute.name }) else {
          if attribute.isRequired, !attribute.isTransient {
            throw StoreError.unlike("\(entity.name).\(attribute.name)", address.shown)
          }
          model.entities[index].attributes.append(attribute)
          continue
        }
        let old = known.attributes[place]
        guard old.type == attribute.type, old.isTransient == attribute.isTransient,
          old.derivation == attribute.derivation, old.isRequired == attribute.isRequired
        else { throw StoreError.unlike("\(entity.name).\(attribute.name)", address.shown) }
        model.entities[index].attributes[place] = attribute
      }
      for relationship in entity.relationships {
        if let old = known.relationship(named: relationship.name) {
          if old != relationship {
            throw StoreError.unlike("\(entity.name).\(relationship.name)", address.shown)
          }
        } else {
          model.entities[index].relationships.append(relationship)
        }
      }
      if !Set(entity.uniquenessConstraints).isSubset(of: known.uniquenessConstraints) {
        throw StoreError.unlike("\(entity.name).unique", address.shown)
      }
    }
    return model
  }

  private func checkNames(_ model: Model) throws {
    for entity in model.entities {
      let names =
        [entity.name] + entity.properties.map(\.column)
        + entity.derivedAttributes.flatMap { [EntityTable.sum($0), EntityTable.number($0)] }
      for name in names where name.utf8.count > 63 { throw StoreError.longName(name, address.shown) }
      for name in (entity.key + entity.uniquenessConstraints.flatMap(\.self))
      where entity.attribute(named: name)?.type == .json {
        throw StoreError.unsupported(
          "json in a key or a unique constraint", by: PostgreSQLEngine.engineName, address.shown)
      }
      for property in entity.derivedAttributes {
        guard case .aggregate(let aggregate) = property.derivation, let source = aggregate.attribute,
          [.min, .max].contains(aggregate.function),
          model.source(of: .aggregate(aggregate), in: entity)?.attribute.type.isExtremeType == false
        else { continue }
        throw StoreError.unsupported(
          "@\(aggregate.function.rawValue) of \(source)", by: PostgreSQLEngine.engineName, address.shown)
      }
    }
  }
}

extension AttributeType {
  /// Whether the server knows the smallest and the largest of such values.
  fileprivate var isExtremeType: Bool { self != .binary && self != .json }
}
