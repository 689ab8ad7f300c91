package import ImportModel
internal import QueryPlans
internal import StoreInterface

/// A store's model with what a pipeline adds to it and changes of it.
struct ModelMerge {
  private(set) var model: Model
  /// What the pipeline declares otherwise than the store.
  private(set) var conflicts: [StoreError] = []
  private let declared: Model
  private let renames: [Rename]
  /// The entities that hold links.
  private let joins: Set<String>

  /// - Parameter renames: the names before that the store knows.
  init(_ stored: Model, _ declared: Model, renames: [Rename]) {
    model = stored
    self.declared = declared
    self.renames = renames
    joins = Set(declared.joins.map(\.toMany.holder.name))
    for entity in declared.entities {
      if let other = model.entities.first(where: {
        $0.name != entity.name && $0.name.caseFolded == entity.name.caseFolded
      }) {
        conflict(.entityCase(other.name, entity.name))
      } else if let index = model.entities.firstIndex(where: { $0.name == entity.name }) {
        model.entities[index] = merge(model.entities[index], entity)
      } else if let rename = renames.first(where: { $0.property == nil && $0.was == entity.name }),
        declared.entity(named: rename.entity) == nil
      {
        conflict(.oldName("the entity \(entity.name)", now: rename.entity))
      } else {
        model.entities.append(entity)
      }
    }
    typeDerived()
  }

  /// What is derived from an attribute with a wider type has one too, also where the pipeline does not name it.
  private mutating func typeDerived() {
    for (place, entity) in model.entities.enumerated() {
      for (index, attribute) in entity.attributes.enumerated() {
        guard let derivation = attribute.derivation, derivation != .now,
          let type = model.type(of: derivation, in: entity)
        else { continue }
        model.entities[place].attributes[index].type = type
      }
    }
  }

  private mutating func conflict(_ error: StoreError) {
    conflicts.append(error)
  }

  private mutating func merge(_ stored: Entity, _ declared: Entity) -> Entity {
    // The order of a table of links follows from names, which may have changed: the store's order stays.
    let isSame =
      joins.contains(declared.name) ? Set(stored.key) == Set(declared.key) : stored.key == declared.key
    if !isSame { conflict(.otherKey(stored, declared)) }
    var merged = stored
    for attribute in declared.attributes {
      if let index = merged.attributes.firstIndex(where: { $0.name == attribute.name }) {
        if let change = merge(merged.attributes[index], attribute, of: stored) {
          merged.attributes[index] = change
        }
      } else if stored.relationship(named: attribute.name) != nil {
        conflict(.otherKind("\(stored.name).\(attribute.name)", isAttribute: false))
      } else if isAddable(attribute.name, to: declared) {
        checkAddition(attribute, to: stored.name)
        merged.attributes.append(attribute)
      }
    }
    checkNames(merged, declared)
    merged.uniquenessConstraints += declared.uniquenessConstraints.filter { !stored.hasConstraint($0) }
    for relationship in declared.relationships {
      if let index = merged.relationships.firstIndex(where: { $0.name == relationship.name }) {
        merged.relationships[index] = merge(merged.relationships[index], relationship, of: stored)
      } else if stored.attribute(named: relationship.name) != nil {
        conflict(.otherKind("\(stored.name).\(relationship.name)", isAttribute: true))
      } else if isAddable(relationship.name, to: declared) {
        merged.relationships.append(relationship)
      }
    }
    mergeFetched(declared, into: &merged)
    return merged
  }

  /// Fetched properties have no columns: the pipeline's word holds.
  private mutating func mergeFetched(_ declared: Entity, into merged: inout Entity) {
    for property in declared.fetchedProperties {
      if let index = merged.fetchedProperties.firstIndex(where: { $0.name == property.name }) {
        merged.fetchedProperties[index] = property
      } else if let other = merged.fetchedProperty(named: property.name) {
        conflict(.nameTaken(other.name, property.name, of: merged, stored: other.name))
      } else {
        merged.fetchedProperties.append(property)
      }
    }
    let names =
      merged.attributes.map(\.name) + merged.relationships.map(\.name)
      + merged.toOneRelationships.map(\.column)
    for property in merged.fetchedProperties {
      guard let other = names.first(where: { $0.caseFolded == property.name.caseFolded }) else { continue }
      let stored = declared.fetchedProperties.contains(property) ? other : property.name
      conflict(.nameTaken(other, property.name, of: merged, stored: stored))
    }
  }

  /// A pipeline that knows a property by the name before only would make it a second time.
  private mutating func isAddable(_ name: String, to entity: Entity) -> Bool {
    guard
      let rename = renames.first(where: { $0.entity == entity.name && $0.property != nil && $0.was == name }),
      let property = rename.property, entity.attribute(named: property) == nil,
      entity.relationship(named: property) == nil
    else { return true }
    conflict(.oldName("\(entity.name).\(name)", now: property))
    return false
  }

  /// The attribute as it is afterwards; nil where the two do not go together.
  private mutating func merge(_ stored: Attribute, _ declared: Attribute, of entity: Entity) -> Attribute? {
    let name = "\(entity.name).\(declared.name)"
    let isComputed = (stored.derivation != nil, declared.derivation != nil)
    if stored.type != declared.type, isComputed != (true, true), !stored.type.widens(to: declared.type) {
      conflict(.otherType(name, stored.type, declared.type))
      return nil
    }
    guard isComputed.0 == isComputed.1 else {
      conflict(.otherDerivation(name, stored.derivation, declared.derivation))
      return nil
    }
    if stored.isTransient && !declared.isTransient {
      checkAddition(declared, to: entity.name)
    } else if stored.isTransient != declared.isTransient {
      conflict(.becomesTransient(name))
      return nil
    } else if stored.isRequired && !declared.isRequired, entity.needs(declared.name) {
      // Of a key or a constraint that another pipeline declares.
      conflict(.otherRequirement(name))
      return nil
    }
    // Defaults, ranges and spellings are rules of the import; the column stays as it is.
    return declared
  }

  /// The relationship as it is afterwards. Its delete rule may change, and whether one or many objects belong to this
  /// end's; one without an inverse may get one, and keeps it where a pipeline does not name it.
  private mutating func merge(_ stored: Relationship, _ declared: Relationship, of entity: Entity)
    -> Relationship
  {
    guard stored != declared else { return stored }
    let name = "\(entity.name).\(declared.name)"
    var declared = declared
    if declared.inverse == nil { declared.inverse = stored.inverse }
    var same = stored
    same.deleteRule = declared.deleteRule
    same.inverse = stored.inverse ?? declared.inverse
    if isOtherEnd(stored, declared) { same.kind = declared.kind }
    guard same == declared else {
      conflict(.otherRelationship(name))
      return stored
    }
    if stored.deleteRule != declared.deleteRule, let toMany = self.declared.toMany(declared),
      toMany.holder.key.contains(toMany.toOne.name)
    {
      conflict(.deleteRuleOfKey(name, "\(toMany.holder.name).\(toMany.toOne.name)"))
      return stored
    }
    return declared
  }

  /// Whether the column is at the other end in both cases, for one object or for many.
  private func isOtherEnd(_ stored: Relationship, _ declared: Relationship) -> Bool {
    guard stored.kind != .toOne, declared.kind != .toOne, let toMany = self.declared.toMany(declared) else {
      return false
    }
    return model.entity(named: toMany.holder.name)?.relationship(named: toMany.toOne.name)?.kind == .toOne
  }

  /// SQLite takes column names that differ by case for one.
  private mutating func checkNames(_ merged: Entity, _ declared: Entity) {
    let columns =
      merged.attributes.map(\.name) + (merged.toOneRelationships + declared.toOneRelationships).map(\.column)
    for attribute in declared.attributes {
      guard
        let other = columns.first(where: {
          $0 != attribute.name && $0.caseFolded == attribute.name.caseFolded
        })
      else { continue }
      conflict(.columnCase(other, attribute.name, of: declared.name))
    }
  }

  private mutating func checkAddition(_ attribute: Attribute, to entity: String) {
    if attribute.isRequired, attribute.defaultValue == nil {
      conflict(.newAndRequired("\(entity).\(attribute.name)"))
    }
  }
}

extension Entity {
  /// Whether a constraint on just these attributes is there, in any order.
  package func hasConstraint(_ attributes: [String]) -> Bool {
    uniquenessConstraints.contains { Set($0) == Set(attributes) }
  }

  /// Whether an attribute is part of the key or of a constraint.
  func needs(_ attribute: String) -> Bool {
    key.contains(attribute) || uniquenessConstraints.contains { $0.contains(attribute) }
  }
}
