package import ImportModel
package import StoreInterface

extension ModelUpdate {
  /// What the update does, in its order, then what it cannot do.
  ///
  /// - Parameter found: what the rows do not allow.
  package func steps(_ found: [StoreError] = []) -> [MigrationStep] {
    var steps = drops.drops.map { MigrationStep(kind: .drop, description: "drop \($0.name)", drop: $0.name) }
    steps += drops.indexes.map {
      MigrationStep(
        kind: .drop, description: "drop \(Self.name($0.attributes, of: $0.entity))", drop: $0.name)
    }
    steps += renames.steps.map { rename in
      let name = rename.property.map { "\(rename.entity).\(rename.was) to \($0)" }
      return MigrationStep(
        kind: .change, description: "rename \(name ?? "\(rename.was) to \(rename.entity)")")
    }
    for entity in model.entities {
      guard let before = base.entity(named: entity.name) else {
        steps.append(MigrationStep(kind: .change, description: "add \(entity.name), a new entity"))
        continue
      }
      guard before != entity else { continue }
      let lines =
        attributeLines(entity, before) + relationshipLines(entity, before) + fetchedLines(entity, before)
        + indexLines(entity, before)
      steps += lines.map { MigrationStep(kind: .change, description: $0) }
      for constraint in entity.uniquenessConstraints where !before.hasConstraint(constraint) {
        steps.append(
          MigrationStep(kind: .change, description: "make \(entity.name) unique on \(constraint.listed)"))
      }
    }
    return steps
      + (conflicts + [unsound].compactMap(\.self) + found).map {
        .conflict($0.message, drop: $0.droppable.first)
      }
  }

  /// What the store has and a pipeline does not name.
  package func leftovers(of pipeline: Pipeline) -> [MigrationStep] {
    let joins = base.joins.map(\.toMany.holder.name)
    return base.entities.filter { !joins.contains($0.name) }.flatMap { entity -> [String] in
      guard let declared = pipeline.model.entity(named: entity.name) else { return [entity.name] }
      return entity.propertyNames.filter { !declared.propertyNames.contains($0) }
        .map { "\(entity.name).\($0)" }
    }.map { Self.stays($0, drop: $0) } + indexLeftovers(of: pipeline)
  }

  /// The indexes that other pipelines declare.
  private func indexLeftovers(of pipeline: Pipeline) -> [MigrationStep] {
    model.entities.flatMap { entity -> [MigrationStep] in
      guard let declared = pipeline.model.entity(named: entity.name) else { return [] }
      return entity.indexes.filter { !declared.indexes.contains($0) }.map {
        Self.stays(Self.name($0, of: entity.name), drop: entity.indexName($0))
      }
    }
  }

  private static func stays(_ what: String, drop: String) -> MigrationStep {
    MigrationStep(kind: .stays, description: "keep \(what), which the pipeline does not name", drop: drop)
  }

  private static func name(_ index: [String], of entity: String) -> String {
    "the index of \(entity) on \(index.listed)"
  }

  private func indexLines(_ entity: Entity, _ before: Entity) -> [String] {
    before.indexes.filter { !entity.indexes.contains($0) }.map { "drop \(Self.name($0, of: entity.name))" }
      + entity.indexes.filter { !before.indexes.contains($0) }.map { "index \(entity.name) on \($0.listed)" }
  }

  private static func said(_ derivation: Derivation) -> String {
    derivation.text + (derivation.aggregate?.filter.map { " where \($0)" } ?? "")
  }

  private func attributeLines(_ entity: Entity, _ before: Entity) -> [String] {
    entity.attributes.compactMap { attribute in
      let name = "\(entity.name).\(attribute.name)"
      if let widening = widenings.first(where: { $0.name == name }) {
        return "widen \(name) from \(widening.before.description) to \(attribute.type.description)"
      }
      guard let old = before.attribute(named: attribute.name) else {
        let what = attribute.derivation.map { "derived as \(Self.said($0))" } ?? attribute.type.name
        return "add \(name), \(attribute.isTransient ? "transient" : what)"
      }
      guard old != attribute else { return nil }
      if old.derivation != attribute.derivation || attribute.derivation != nil && old.type != attribute.type {
        return "recompute \(name) as \(attribute.derivation.map(Self.said) ?? "")"
      }
      if old.isTransient != attribute.isTransient { return "store \(name), transient before" }
      if old.isRequired != attribute.isRequired {
        return "make \(name) \(attribute.isRequired ? "required" : "optional")"
      }
      return "change the rules of \(name)"
    }
  }

  private func relationshipLines(_ entity: Entity, _ before: Entity) -> [String] {
    entity.relationships.compactMap { relationship in
      let name = "\(entity.name).\(relationship.name)"
      guard let old = before.relationship(named: relationship.name) else {
        return "add \(name), \(relationship.kind.verb) \(relationship.destination)"
      }
      if old.kind != relationship.kind {
        return "make \(name) \(relationship.kind == .hasOne ? "one-to-one" : "to-many")"
      }
      if old.deleteRule != relationship.deleteRule {
        return "change the delete rule of \(name) to \(relationship.deleteRule.rawValue)"
      }
      return old == relationship ? nil : "note the inverse of \(name)"
    }
  }

  private func fetchedLines(_ entity: Entity, _ before: Entity) -> [String] {
    entity.fetchedProperties.compactMap { property in
      let name = "\(entity.name).\(property.name)"
      guard let old = before.fetchedProperty(named: property.name) else {
        return "add \(name), fetched from \(property.destination)"
          + (property.store.map { " in \($0)" } ?? "")
      }
      return old == property ? nil : "change the fetched property \(name)"
    }
  }

  /// Sees that a pipeline does not take back what a newer one has changed.
  ///
  /// - Parameter earlier: the versions of the model before the present one.
  /// - Throws: `StoreError.modelChange` where the store has had the pipeline's derivation or delete rule before.
  package func checkAge(_ earlier: [Model]) throws {
    for entity in model.entities {
      guard let now = base.entity(named: entity.name) else { continue }
      let versions = earlier.compactMap { $0.entity(named: entity.name) }
      for attribute in entity.writableAttributes
      where attribute.isRequired && now.attribute(named: attribute.name)?.isRequired == false {
        let name = attribute.name
        guard versions.contains(where: { $0.attribute(named: name)?.isRequired == true }) else { continue }
        throw StoreError.olderRequirement("\(entity.name).\(name)")
      }
      for attribute in entity.derivedAttributes {
        guard let present = now.attribute(named: attribute.name)?.derivation, present != attribute.derivation,
          versions.contains(where: { $0.attribute(named: attribute.name)?.derivation == attribute.derivation }
          )
        else { continue }
        throw StoreError.olderDerivation("\(entity.name).\(attribute.name)")
      }
      for relationship in entity.relationships {
        guard let present = now.relationship(named: relationship.name), present != relationship,
          versions.contains(where: { $0.relationship(named: relationship.name) == relationship })
        else { continue }
        let name = "\(entity.name).\(relationship.name)"
        throw present.kind == relationship.kind
          ? StoreError.olderDeleteRule(name) : StoreError.olderKind(name, present.kind)
      }
    }
  }
}

extension Relationship.Kind {
  fileprivate var verb: String {
    switch self {
    case .toOne: "to one"
    case .hasOne: "has one"
    case .toMany: "to many"
    }
  }
}
