import Bolide
import GRDB
import PlainStore

/// Whether the store holds what the plain model holds.
extension RandomHistory {
  /// Compares all objects, and gives new ones the store's ids.
  mutating func compare(_ state: StoreState, since began: String) throws {
    plain.derive()
    try matchIDs(state)
    try takeTimes(state, since: began)
    plain.derive()
    let expected = stateOfPlain()
    for name in Set(state.keys).union(expected.keys).sorted() {
      guard let own = expected[name] else { throw Difference("\(name) should not be there") }
      guard let held = state[name] else { throw Difference("\(name) should be there") }
      for attribute in Set(own.keys).union(held.keys).sorted() where own[attribute] != held[attribute] {
        throw Difference(
          "\(name) \(attribute): the store has \(held[attribute].map(String.init(describing:)) ?? "nothing"), "
            + "expected \(own[attribute].map(String.init(describing:)) ?? "nothing")")
      }
    }
  }

  /// The plain model's objects under the store's ids.
  private func stateOfPlain() -> StoreState {
    var state: StoreState = [:]
    for entity in model.entities {
      for (id, object) in plain.objects[entity.name] ?? [:] {
        var values: [String: PlainValue] = [:]
        for attribute in entity.stored { values[attribute.name] = object[attribute.name].stored }
        for relationship in entity.relationships where relationship.kind == .toOne {
          let target = object.links[relationship.name].flatMap { ids[relationship.destination]?[$0] }
          values[relationship.name] = target.map { .whole($0) } ?? .null
        }
        state[ObjectName(entity: entity.name, id: ids[entity.name]?[id] ?? -1)] = values
      }
    }
    return state
  }

  /// Finds the store's ids of objects that are new, by their keys; those they lead to come first.
  private mutating func matchIDs(_ state: StoreState) throws {
    let entities = model.entities.sorted { model.depth(ofKey: $0) < model.depth(ofKey: $1) }
    for entity in entities {
      var known = Set((ids[entity.name] ?? [:]).values)
      let rows = state.filter { $0.key.entity == entity.name && !known.contains($0.key.id) }
      for id in plain.ids(entity.name) where ids[entity.name]?[id] == nil {
        guard let object = plain.object(entity.name, id) else { continue }
        let key = entity.key.map { name -> PlainValue in
          guard let relationship = entity.relationship(name) else { return object[name] }
          let target = object.links[name].flatMap { ids[relationship.destination]?[$0] }
          return target.map { .whole($0) } ?? .null
        }
        guard let row = rows.first(where: { row in entity.key.map { row.value[$0] ?? .null } == key }) else {
          throw Difference("\(entity.name) \(key) should be there")
        }
        ids[entity.name, default: [:]][id] = row.key.id
        known.insert(row.key.id)
      }
    }
  }

  /// Takes the store's times of objects that have changed; all others must be as they were.
  private mutating func takeTimes(_ state: StoreState, since began: String) throws {
    for entity in model.entities {
      for attribute in entity.attributes {
        guard case .now = attribute.derivation else { continue }
        for id in plain.ids(entity.name) {
          let name = ObjectName(entity: entity.name, id: ids[entity.name]?[id] ?? -1)
          let held = state[name]?[attribute.name] ?? .null
          let object = plain.object(entity.name, id)
          if let object, object.changed > object.timed, !held.isLess(than: .text(began)), !held.isNull {
            plain.objects[entity.name]?[id]?.values[attribute.name] = held
          } else if object?[attribute.name] != held {
            throw Difference("\(name) \(attribute.name): \(held) is no time of its last change")
          }
        }
      }
      for id in plain.ids(entity.name) {
        let changed = plain.object(entity.name, id)?.changed ?? 0
        plain.objects[entity.name]?[id]?.timed = changed
      }
    }
  }
}

extension RandomHistory {
  /// Compares what other programs see at once, behind their own writes.
  mutating func compareAtOnce(_ db: Database) throws {
    plain.derive()
    for entity in model.entities {
      for attribute in entity.stored {
        guard let derivation = attribute.derivation, isKeptAtOnce(derivation, entity) else { continue }
        for row in try Row.fetchAll(db, sql: "SELECT bolide_id, \"\(attribute.name)\" FROM \(entity.name)") {
          let id: Int64 = row[0]
          guard let own = ids[entity.name]?.first(where: { $0.value == id })?.key else { continue }
          let held = PlainValue(row[1] as DatabaseValue)
          let expected = plain.object(entity.name, own)?[attribute.name].stored ?? .null
          // Null may stand for a total that is to be computed anew.
          if held == expected || held.isNull && expected.isNumber { continue }
          throw Difference("at once, \(entity.name) \(id) \(attribute.name): \(held), expected \(expected)")
        }
      }
    }
  }

  private func isKeptAtOnce(_ derivation: PlainDerivation, _ entity: PlainEntity) -> Bool {
    switch derivation {
    case .now, .folded: return false
    case .copy(let path):
      if path.count == 1 { return entity.attribute(path[0])?.derivation == nil }
      guard path.count == 2, let hop = entity.relationship(path[0]), hop.kind == .toOne else { return false }
      return model[hop.destination].attribute(path[1])?.derivation == nil
    case .aggregate(let function, let over, let name, let filter):
      guard let relationship = entity.relationship(over), filter == nil else { return false }
      guard let name else { return true }
      return function == .sum && relationship.join == nil
        && model[relationship.destination].attribute(name)?.derivation == nil
    }
  }
}

extension PlainValue {
  fileprivate var isNumber: Bool {
    switch self {
    case .whole, .real: true
    default: false
    }
  }
}

extension PlainModel {
  /// How many objects' keys stand in that of an entity, one in the other.
  fileprivate func depth(ofKey entity: PlainEntity) -> Int {
    entity.key.compactMap(entity.relationship).map { 1 + depth(ofKey: self[$0.destination]) }.max() ?? 0
  }
}
