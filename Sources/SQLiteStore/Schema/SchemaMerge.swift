internal import ImportModel

/// A store's model with what a pipeline adds to it and changes of it.
struct SchemaMerge {
  /// What the pipeline says otherwise than the store, and what could be done about it.
  struct Conflict {
    let message: String
    /// What to drop so that the pipeline's word can hold.
    var drop: String?

    var error: StoreError {
      let hint =
        if let drop {
          "Let the pipeline agree with the store; or `bolide migrate --drop \(drop)` takes its values out of the store, "
            + "and it begins anew."
        } else {
          "Import into a new store, or make the pipeline agree with this one."
        }
      return StoreError(.modelChange, message, hint: hint)
    }
  }

  private(set) var model: Model
  private(set) var conflicts: [Conflict] = []
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
        conflict("the store has an entity \(other.name), which differs from \(entity.name) by case only")
      } else if let index = model.entities.firstIndex(where: { $0.name == entity.name }) {
        model.entities[index] = merge(model.entities[index], entity)
      } else if let rename = renames.first(where: { $0.property == nil && $0.was == entity.name }),
        declared.entity(named: rename.entity) == nil
      {
        conflict("the entity \(entity.name) is called \(rename.entity) in the store: the pipeline is older")
      } else {
        model.entities.append(entity)
      }
    }
  }

  private mutating func conflict(_ message: String, drop: String? = nil) {
    conflicts.append(Conflict(message: message, drop: drop))
  }

  private mutating func merge(_ stored: Entity, _ declared: Entity) -> Entity {
    // The order of a table of links follows from names, which may have changed: the store's order stays.
    let isSame =
      joins.contains(declared.name) ? Set(stored.key) == Set(declared.key) : stored.key == declared.key
    if !isSame {
      conflict(
        "\(stored.name) has the key \(stored.key.joined(separator: ", ")) in the store and "
          + "\(declared.key.joined(separator: ", ")) in the pipeline")
    }
    var merged = stored
    for attribute in declared.attributes {
      if let index = merged.attributes.firstIndex(where: { $0.name == attribute.name }) {
        if let change = merge(merged.attributes[index], attribute, of: stored) {
          merged.attributes[index] = change
        }
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
      } else if isAddable(relationship.name, to: declared) {
        merged.relationships.append(relationship)
      }
    }
    return merged
  }

  /// A pipeline that knows a property by the name before only would make it a second time.
  private mutating func isAddable(_ name: String, to entity: Entity) -> Bool {
    guard
      let rename = renames.first(where: { $0.entity == entity.name && $0.property != nil && $0.was == name }),
      let property = rename.property, entity.attribute(named: property) == nil,
      entity.relationship(named: property) == nil
    else { return true }
    conflict("\(entity.name).\(name) is called \(property) in the store: the pipeline is older")
    return false
  }

  /// The attribute as it is afterwards; nil where the two do not go together.
  private mutating func merge(_ stored: Attribute, _ declared: Attribute, of entity: Entity) -> Attribute? {
    let name = "\(entity.name).\(declared.name)"
    let isComputed = (stored.derivation != nil, declared.derivation != nil)
    if stored.type != declared.type, isComputed != (true, true) {
      conflict(
        "\(name) is \(stored.type.name) in the store and \(declared.type.name) in the pipeline", drop: name)
      return nil
    }
    guard isComputed.0 == isComputed.1 else {
      conflict(
        "\(name) is derived as \(stored.derivation?.text ?? "nothing") in the store and as "
          + "\(declared.derivation?.text ?? "nothing") in the pipeline", drop: name)
      return nil
    }
    if stored.isTransient && !declared.isTransient {
      checkAddition(declared, to: entity.name)
    } else if stored.isTransient != declared.isTransient {
      conflict("\(name) is stored, and transient in the pipeline", drop: name)
      return nil
    } else if !stored.isRequired && declared.isRequired {
      conflict("\(name) is optional in the store and required in the pipeline")
      return nil
    } else if stored.isRequired != declared.isRequired, entity.needs(declared.name) {
      // Of a key or a constraint that another pipeline declares.
      conflict("\(name) is required in the store and optional in the pipeline")
      return nil
    }
    // Defaults, ranges and spellings are rules of the import; the column stays as it is.
    return declared
  }

  /// The relationship as it is afterwards: only the delete rule may change.
  private mutating func merge(_ stored: Relationship, _ declared: Relationship, of entity: Entity)
    -> Relationship
  {
    guard stored != declared else { return stored }
    let name = "\(entity.name).\(declared.name)"
    var same = stored
    same.deleteRule = declared.deleteRule
    guard same == declared else {
      conflict("the relationship \(name) differs from the store's", drop: name)
      return stored
    }
    if let toMany = self.declared.toMany(declared), toMany.holder.key.contains(toMany.toOne.name) {
      conflict(
        "\(name) has another delete rule in the store, and \(toMany.holder.name).\(toMany.toOne.name) is part of a key"
      )
      return stored
    }
    return declared
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
      conflict(
        "\(declared.name) has a column \(other) in the store, which differs from \(attribute.name) by case only"
      )
    }
  }

  private mutating func checkAddition(_ attribute: Attribute, to entity: String) {
    if attribute.isRequired, attribute.defaultValue == nil {
      conflict(
        "\(entity).\(attribute.name) is new and required, and the rows that are there have no value for it")
    }
  }
}

extension Entity {
  /// Whether a constraint on just these attributes is there, in any order.
  func hasConstraint(_ attributes: [String]) -> Bool {
    uniquenessConstraints.contains { Set($0) == Set(attributes) }
  }

  /// Whether an attribute is part of the key or of a constraint.
  func needs(_ attribute: String) -> Bool {
    key.contains(attribute) || uniquenessConstraints.contains { $0.contains(attribute) }
  }
}
