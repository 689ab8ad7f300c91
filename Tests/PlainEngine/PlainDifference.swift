import ImportModel
import PlainStore
import StoreInterface

/// What turns one state of a store into a later one.
struct PlainDifference {
  private let model: Model
  private let before: PlainStore
  private let after: PlainStore

  init(_ model: Model, from before: PlainStore, to after: PlainStore) {
    (self.model, self.before, self.after) = (model, before, after)
  }

  /// The changes, by entity and id.
  func changes(in transaction: Int64) -> [HistoryChange] {
    model.entities.flatMap { entity -> [HistoryChange] in
      let ids = Set(before.ids(entity.name)).union(after.ids(entity.name)).sorted()
      return ids.compactMap { id in
        change(entity, before.object(entity.name, id), after.object(entity.name, id)).map { change in
          var change = change
          (change.transaction, change.id) = (transaction, Int64(id))
          return change
        }
      }
    }
  }

  private func change(_ entity: Entity, _ old: PlainObject?, _ new: PlainObject?) -> HistoryChange? {
    func change(_ kind: HistoryChange.Kind, _ object: PlainObject, previous: [HistoryChange.Property])
      -> HistoryChange
    {
      HistoryChange(
        transaction: 0, kind: kind, entity: entity.name, id: 0, key: entity.keyProperties(object),
        previous: previous, isDerived: false)
    }
    switch (old, new) {
    case (nil, nil): return nil
    case (nil, let new?): return change(.insert, new, previous: [])
    case (let old?, nil):
      return change(.delete, old, previous: entity.properties(old).filter { $0.value != .null })
    case (let old?, let new?):
      let previous = zip(entity.properties(old), entity.properties(new)).filter {
        !$0.value.isSame(as: $1.value)
      }.map(\.0)
      guard !previous.isEmpty else { return nil }
      var update = change(.update, new, previous: previous)
      update.isDerived = previous.allSatisfy { entity.attribute(named: $0.name)?.derivation != nil }
      return update
    }
  }
}

extension Entity {
  /// All properties of an object: attributes, then relationships.
  func properties(_ object: PlainObject) -> [HistoryChange.Property] {
    storedAttributes.map { property($0, object) } + toOneRelationships.map { property($0, object) }
  }

  fileprivate func keyProperties(_ object: PlainObject) -> [HistoryChange.Property] {
    key.compactMap { name in
      attribute(named: name).map { property($0, object) }
        ?? relationship(named: name).map { property($0, object) }
    }
  }

  private func property(_ attribute: Attribute, _ object: PlainObject) -> HistoryChange.Property {
    HistoryChange.Property(
      name: attribute.name, type: attribute.type, value: object[attribute.name].stored.value)
  }

  private func property(_ relationship: Relationship, _ object: PlainObject) -> HistoryChange.Property {
    HistoryChange.Property(
      name: relationship.name, value: object.links[relationship.name].map { .integer(Int64($0)) } ?? .null)
  }
}

extension Value {
  /// Real numbers are compared bit by bit.
  fileprivate func isSame(as other: Value) -> Bool { PlainValue(self) == PlainValue(other) }
}
