package import ImportModel
internal import QueryPlans
package import StoreInterface

/// What a pipeline changes of a store's model, free of the engine that keeps it.
///
/// Names change as the pipeline says, new things are added, rules become looser, derivations and delete rules are changed.
/// What the pipeline does not name stays, unless it is dropped by name.
package struct ModelUpdate {
  /// The model after the update.
  package let model: Model
  /// What cannot be done.
  package let conflicts: [StoreError]
  /// What would be wrong with the model: each of the two may be sound, and both together one that no store can be opened with.
  package let unsound: StoreError?
  package let drops: ModelDrops
  package let renames: ModelRenames
  /// The store's model without what is dropped, under the present names.
  package let base: Model
  /// The attributes that get a wider type.
  package let widenings: [Widening]
  package let stored: ModelRecord
  package let pipeline: Pipeline
  /// The names before that stay known.
  private let known: [Rename]
  /// The indexes that pipelines declare.
  private let indexes: [DeclaredIndex]

  /// - Parameter dropping: `Entity`, `Entity.attribute` or an index's name, as the store calls them.
  /// - Throws: as `ModelDrops` and `ModelRenames`. What else the two models do not agree in stands in `conflicts`.
  package init(stored: ModelRecord, declared pipeline: Pipeline, dropping: [String] = []) throws {
    self.stored = stored
    self.pipeline = pipeline
    let declared = pipeline.model.withJoins
    var base = stored.model
    let drops = try ModelDrops(dropping, in: &base)
    if !drops.isEmpty {
      let before = ModelMerge(stored.model, declared, renames: stored.renames)
      try drops.checkNeed(of: declared, before.conflicts.flatMap(\.droppable))
    }
    let remembered = stored.renames.filter { rename in
      !drops.drops.contains {
        $0.entity == rename.entity && ($0.property == nil || $0.property == rename.property)
      }
    }
    renames = try ModelRenames(pipeline, known: remembered, in: &base)
    let merge = ModelMerge(base, declared, renames: renames.known)
    let kept = stored.indexes.filter { index in
      !drops.indexes.contains { $0.entity == index.entity && $0.attributes == index.attributes }
    }
    indexes = DeclaredIndex.all(kept, pipeline, renames.steps, in: merge.model)
    (self.drops, self.base, model) = (drops, base, merge.model.indexed(by: indexes))
    widenings = Widening.all(from: base, to: merge.model)
    conflicts = merge.conflicts + Self.lostNames(stored.model, merge.model, declared)
    // An index gives way to a constraint that another pipeline has on the same. A name may be new, too.
    unsound =
      conflicts.isEmpty && model != stored.model
      ? model.problems().first.map { .unsoundTogether($0.message) } : nil
    known = renames.known.filter { rename in
      // A name that something new has is no name before any more.
      guard rename.property != nil else { return merge.model.entity(named: rename.was) == nil }
      return merge.model.entity(named: rename.entity)?.hasProperty(rename.was) == false
    }
  }

  /// The fetched properties that stay although what they name goes or has another name.
  private static func lostNames(
    _ before: Model, _ after: Model, _ declared: Model
  ) -> [StoreError] {
    after.entities.flatMap { entity in
      entity.fetchedProperties.compactMap { property in
        guard declared.entity(named: entity.name)?.fetchedProperty(named: property.name) == nil,
          let old = before.entities.first(where: { $0.fetchedProperties.contains(property) }),
          (try? property.checkNames(of: old, before)) != nil
        else { return nil }
        do throws(StoreError) {
          // One that is not there any more is said as a name of the store's.
          _ = property.store == nil ? try JoinTree(property.destination, after) : nil
          try property.checkNames(of: entity, after)
          return nil
        } catch {
          return .lostName("\(entity.name).\(property.name)", error)
        }
      }
    }
  }

  /// The attributes that become required.
  package var tightened: [(Entity, Attribute)] {
    model.entities.flatMap { entity in
      entity.writableAttributes.filter { attribute in
        guard let old = base.entity(named: entity.name)?.attribute(named: attribute.name) else {
          return false
        }
        return !old.isTransient && !old.isRequired && attribute.isRequired
      }.map { (entity, $0) }
    }
  }

  /// What the store calls an attribute, as long as nothing is renamed.
  package func storedNames(_ entity: Entity, _ attribute: Attribute) -> (table: String, column: String) {
    let table = renames.steps.first { $0.property == nil && $0.entity == entity.name }?.was
    let column = renames.steps.first { $0.entity == entity.name && $0.property == attribute.name }?.was
    return (table ?? entity.name, column ?? attribute.name)
  }

  /// Whether there is nothing to do.
  package var isEmpty: Bool { model == stored.model && indexes == stored.indexes }

  /// The model that the store has, without what is dropped, under the names before.
  package var withoutDrops: Model {
    var model = stored.model
    drops.take(from: &model)
    return model
  }

  /// What the store keeps of its model afterwards.
  ///
  /// - Parameters:
  ///   - kept: the properties that were dropped.
  ///   - entities: the numbers of the entities that stay.
  package func record(_ kept: [ModelRecord.Dropped], of entities: Set<Int64>) -> ModelRecord {
    var after = stored
    after.model = model
    after.renames = known
    after.indexes = indexes
    after.dropped = (stored.dropped + kept).filter { entities.contains($0.entity) }
    return after
  }

  // MARK: Attributes

  /// The attributes that get a column.
  package func newAttributes(of entity: Entity, _ before: Entity) -> [Attribute] {
    entity.storedAttributes.filter { before.attribute(named: $0.name)?.isTransient ?? true }
  }

  /// What is kept of a derived attribute that is computed otherwise.
  package enum Rederived {
    /// Its columns.
    case columns
    /// Its values: what stands beside them is made anew.
    case values
    /// Nothing, as the values are of another type: it is dropped, and made anew. Readers cannot be told what each value was.
    case nothing
  }

  /// The derived attributes that are computed otherwise.
  package func rederived(
    _ entity: Entity, _ before: Entity
  ) -> [(old: Attribute, new: Attribute, keeping: Rederived)] {
    entity.derivedAttributes.compactMap { attribute in
      guard let old = before.attribute(named: attribute.name), !widens(entity, attribute),
        old.derivation != attribute.derivation || old.type != attribute.type
      else { return nil }
      let keeping: Rederived = old.accumulator == attribute.accumulator ? .columns : .values
      return (old, attribute, old.type == attribute.type ? keeping : .nothing)
    }
  }

  /// Derived attributes whose values are dropped and made anew.
  package var remade: [(entity: Entity, attribute: Attribute)] {
    model.entities.flatMap { entity in
      base.entity(named: entity.name).map { before in
        rederived(entity, before).filter { $0.keeping == .nothing }.map { (entity, $0.new) }
      } ?? []
    }
  }

  /// Why history has gaps: transactions before which readers cannot catch up.
  package var gaps: [String] {
    let gone = drops.drops.filter { $0.property == nil }.map(\.entity)
    let remade = remade.map { "\($0.name).\($1.name)" }
    return (gone.isEmpty ? [] : ["\(gone.listed) dropped"])
      + (remade.isEmpty ? [] : ["\(remade.listed) of another type"])
  }

  private func widens(_ entity: Entity, _ attribute: Attribute) -> Bool {
    widenings.contains { $0.entity.name == entity.name && $0.attribute.name == attribute.name }
  }
}

extension Attribute {
  /// The function for which a derived attribute has columns behind its own, or starts at 0.
  fileprivate var accumulator: Derivation.Function? {
    let function = derivation?.aggregate?.function
    return [.count, .sum, .average].contains(function) ? function : nil
  }
}

extension Entity {
  fileprivate func hasProperty(_ name: String) -> Bool {
    attribute(named: name) != nil || relationship(named: name) != nil
  }
}
