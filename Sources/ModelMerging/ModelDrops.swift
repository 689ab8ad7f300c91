package import ImportModel
internal import RowExpressions
internal import StoreInterface

/// What is to be taken out of a store's model, by name.
package struct ModelDrops {
  /// An entity, or one of its properties.
  package struct Drop: Equatable {
    package let entity: String
    package var property: String?
    package var name: String { property.map { "\(entity).\($0)" } ?? entity }
  }

  /// An index that pipelines declare, or declared.
  package struct Index: Equatable {
    package let entity: String
    package let attributes: [String]
    /// The name that the store has for it.
    package let name: String
  }

  package private(set) var drops: [Drop] = []
  package private(set) var indexes: [Index] = []
  package var isEmpty: Bool { drops.isEmpty && indexes.isEmpty }

  /// Takes what is dropped out of a model.
  ///
  /// - Parameter names: `Entity`, `Entity.attribute` or an index's name, as the store calls them.
  /// - Throws: `StoreError.badRequest` for a name that the store does not have, and for what something that stays needs.
  init(_ names: [String], in model: inout Model) throws {
    for name in names {
      if let index = model.declaredIndexes.first(where: { $0.name == name }) {
        if !indexes.contains(index) { indexes.append(index) }
        continue
      }
      let drop = try Self.find(name, model)
      if !drops.contains(drop) { drops.append(drop) }
    }
    let before = model
    // The links of two to-many ends go with the ends.
    for (owner, end, toMany) in model.joins {
      let ends = [
        Drop(entity: owner.name, property: end.name),
        Drop(entity: toMany.destination.name, property: toMany.toOne.name),
      ]
      let join = Drop(entity: toMany.holder.name)
      let isDropped = ends.allSatisfy { end in drops.contains { $0 == end || $0 == Drop(entity: end.entity) }
      }
      if isDropped, !drops.contains(join) { drops.append(join) }
      if !isDropped, drops.contains(join) {
        throw StoreError.dropOfLinks(join.name, ends.map(\.name))
      }
    }
    take(from: &model)
    for drop in drops { try check(drop, before, model) }
  }

  /// Takes what is dropped out of a model. Indexes go with what they are on.
  package func take(from model: inout Model) {
    for index in indexes {
      guard let place = model.entities.firstIndex(where: { $0.name == index.entity }) else { continue }
      model.entities[place].indexes.removeAll { $0 == index.attributes }
    }
    for drop in drops {
      if let property = drop.property {
        guard let index = model.entities.firstIndex(where: { $0.name == drop.entity }) else { continue }
        model.entities[index].attributes.removeAll { $0.name == property }
        model.entities[index].relationships.removeAll { $0.name == property }
        model.entities[index].fetchedProperties.removeAll { $0.name == property }
        model.entities[index].indexes.removeAll { $0.contains(property) }
      } else {
        model.entities.removeAll { $0.name == drop.entity }
      }
    }
  }

  private static func find(_ name: String, _ model: Model) throws -> Drop {
    if model.entity(named: name) != nil { return Drop(entity: name) }
    for entity in model.entities where name.hasPrefix(entity.name + ".") {
      let property = String(name.dropFirst(entity.name.count + 1))
      if entity.propertyNames.contains(property) {
        return Drop(entity: entity.name, property: property)
      }
    }
    let names = model.entities.flatMap { entity in
      [entity.name] + entity.propertyNames.map { "\(entity.name).\($0)" }
    }
    throw StoreError.nothingToDrop(name, among: names + model.declaredIndexes.map(\.name))
  }

  // MARK: What needs it

  /// - Parameter freed: what the pipeline wants otherwise than the store has it.
  /// - Throws: `StoreError.badRequest` for what the pipeline would only make again.
  func checkNeed(of model: Model, _ freed: [String]) throws {
    for drop in drops where !freed.contains(drop.name) {
      guard let entity = model.entity(named: drop.entity) else { continue }
      if let name = drop.property, !entity.propertyNames.contains(name) { continue }
      throw StoreError.dropOfDeclared(drop.name)
    }
    for index in indexes where model.entity(named: index.entity)?.indexes.contains(index.attributes) == true {
      throw StoreError.dropOfDeclared(index.name)
    }
  }

  /// - Parameter after: the model without all that is dropped.
  private func check(_ drop: Drop, _ before: Model, _ after: Model) throws {
    let joins = before.joins.map(\.toMany.holder.name)
    for entity in after.entities {
      if let property = drop.property, entity.name == drop.entity {
        if entity.key.contains(property) { throw StoreError.dropOfKey(drop.name) }
        if let constraint = entity.uniquenessConstraints.first(where: { $0.contains(property) }) {
          throw StoreError.drop(drop.name, neededByConstraint: constraint)
        }
      }
      // A table of links goes with both its ends: it is not what keeps one.
      for relationship in entity.relationships
      where relationship.destination == drop.entity && !joins.contains(entity.name) {
        let name = "\(entity.name).\(relationship.name)"
        guard let property = drop.property else {
          throw StoreError.drop(drop.name, ledToBy: name)
        }
        if relationship.inverse == property {
          throw StoreError.drop(drop.name, inverseOf: name)
        }
      }
      for attribute in entity.derivedAttributes {
        guard let property = drop.property, let derivation = attribute.derivation,
          try before.reads(derivation, of: entity, property: property, of: drop.entity)
        else { continue }
        let name = "\(entity.name).\(attribute.name)"
        throw StoreError.drop(drop.name, readBy: name)
      }
    }
  }

  /// The entities to be dropped, those that lead to others before these.
  package func order(_ model: Model) -> [Entity] {
    var left = drops.filter { $0.property == nil }.compactMap { model.entity(named: $0.entity) }
    var order: [Entity] = []
    while !left.isEmpty {
      let index = left.firstIndex { entity in
        !left.contains { other in
          other.name != entity.name && other.toOneRelationships.contains { $0.destination == entity.name }
        }
      }
      order.append(left.remove(at: index ?? 0))
    }
    return order
  }
}

extension Model {
  /// The indexes that pipelines declare, with their names.
  fileprivate var declaredIndexes: [ModelDrops.Index] {
    entities.flatMap { entity in
      entity.indexes.map {
        ModelDrops.Index(entity: entity.name, attributes: $0, name: entity.indexName($0))
      }
    }
  }

  /// Whether a derivation of an entity reads a property of one.
  fileprivate func reads(
    _ derivation: Derivation, of owner: Entity, property: String, of entity: String
  ) throws -> Bool {
    switch derivation {
    case .now: return false
    case .copy(let path), .folded(_, let path):
      var place: Entity? = owner
      for name in path {
        if place?.name == entity, name == property { return true }
        place = place?.relationship(named: name).flatMap { self.entity(named: $0.destination) }
      }
      return false
    case .aggregate(let aggregate):
      if owner.name == entity, aggregate.relationship == property { return true }
      guard let toMany = owner.relationship(named: aggregate.relationship).flatMap(toMany),
        toMany.destination.name == entity
      else { return false }
      if aggregate.attribute == property || toMany.toOne.name == property { return true }
      guard let filter = aggregate.filter else { return false }
      return try ExpressionCheck(toMany.destination.filterable).attributes(usedBy: filter).contains(property)
    }
  }
}

extension Entity {
  /// The names of all that can be dropped by name.
  package var propertyNames: [String] {
    attributes.map(\.name) + relationships.map(\.name) + fetchedProperties.map(\.name)
  }
}
