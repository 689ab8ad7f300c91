package import ImportModel
package import StoreInterface

/// Takes deleted objects out of history and rejected records, in the transaction that is open and that is the erasure's.
///
/// Their changes stay, with their ids and without values. So do changes of others; of these, earlier values of derived
/// attributes go where they are copies.
package struct Erasure<History: ErasableHistory> {
  private let history: History
  private let model: Model
  /// The objects, by entity: the deleted ones, and those that their delete rules took along, now or earlier.
  private let objects: [String: Set<Int64>]

  package init(_ history: History, _ model: Model, _ entity: Entity, _ ids: [Int64]) throws {
    (self.history, self.model) = (history, model)
    var objects = [entity.name: Set(ids)]
    var new = [(entity, Set(ids))]
    while let (owner, ids) = new.popLast() {
      for (holder, relationship) in model.dependents(of: owner) {
        let found = try history.deleted(holder, relationship, with: ids)
          .subtracting(objects[holder.name] ?? [])
        guard !found.isEmpty else { continue }
        objects[holder.name, default: []].formUnion(found)
        new.append((holder, found))
      }
    }
    self.objects = objects
  }

  /// Erases them.
  ///
  /// - Parameter report: what is erased is added to it.
  /// - Complexity: O(history).
  package func run(_ report: inout EraseReport) throws {
    var values: [Int64: Set<Value>] = [:]
    var keys: [String: Set<[Value]>] = [:]
    let erased = model.entities.compactMap { entity in objects[entity.name].map { (entity, $0) } }
    for (entity, ids) in erased { keys[entity.name] = try read(entity, ids, &values) }
    let copies = try DerivedCopies(history, model, objects, values)
    for (entity, ids) in erased { try history.eraseValues(of: entity, ids) }
    report.copies = try copies.erase()
    let key = try history.digestKey()
    for (entity, ids) in erased {
      report.objects.append(EraseReport.Count(entity: entity.name, objects: ids.count))
      report.rejects += try history.removeRejects((keys[entity.name] ?? []).digests(key), of: entity)
    }
    var unclear: Set<Int64> = []
    for (entity, _) in erased {
      unclear.formUnion(try history.unclearRejects(owners(of: entity, values).digests(key), of: entity))
    }
    report.unclearRejects = unclear.count
  }

  /// All values that history has of objects that are gone, by property.
  ///
  /// - Returns: their keys at any time.
  private func read(
    _ entity: Entity, _ ids: Set<Int64>, _ values: inout [Int64: Set<Value>]
  ) throws -> Set<[Value]> {
    let key = entity.key.compactMap { history.number(of: $0, in: entity) }
    var keys: Set<[Value]> = []
    var (object, state): (Int64?, [Int64: Value]) = (nil, [:])
    try history.readValues(of: entity, ids) { id, before in
      if object != id { (object, state) = (id, [:]) }
      for (property, value) in before {
        state[property] = value
        values[property, default: []].insert(value)
      }
      keys.insert(key.map { state[$0] ?? .null })
    }
    return keys
  }

  /// The keys of the objects that an entity's were linked to: the texts of their records may contain them.
  private func owners(of entity: Entity, _ values: [Int64: Set<Value>]) throws -> Set<[Value]> {
    var keys: Set<[Value]> = []
    for relationship in entity.toOneRelationships {
      guard let owner = model.entity(named: relationship.destination),
        let property = history.number(of: relationship.name, in: entity)
      else { continue }
      let ids = (values[property] ?? []).compactMap { if case .integer(let id) = $0 { id } else { nil } }
      keys.formUnion(try history.keys(of: owner, Set(ids)))
    }
    return keys
  }
}

extension Model {
  /// The entities whose objects go with an entity's by a delete rule, each with its relationship. Links of a many-to-many
  /// relationship have no values, and are none of them.
  fileprivate func dependents(of owner: Entity) -> [(entity: Entity, relationship: Relationship)] {
    entities.filter { !$0.storedAttributes.isEmpty }.flatMap { entity in
      entity.toOneRelationships.filter {
        $0.destination.isSameName(as: owner.name) && deleteRule(of: $0, in: entity) == .cascade
      }.map { (entity, $0) }
    }
  }
}
