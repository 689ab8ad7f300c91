/// An object: its values by attribute, and the objects that its to-one relationships lead to.
package struct PlainObject: Hashable, Sendable {
  package var values: [String: PlainValue] = [:]
  package var links: [String: Int] = [:]
  /// The write that changed it last, and the one whose time it has.
  package var changed = 0
  package var timed = 0

  package init() {}

  package subscript(attribute: String) -> PlainValue { values[attribute] ?? .null }
}

/// A write that a rule of the model forbids: nothing of it was done.
package struct PlainRejection: Error {
  package var reason: String
}

/// A store in memory, written as simply as can be: what a store on disk must hold after the same writes.
package struct PlainStore: Sendable {
  package private(set) var model: PlainModel
  /// By entity and id.
  package var objects: [String: [Int: PlainObject]] = [:]
  private var last = 0
  /// How many writes there were.
  package private(set) var writes = 0

  package init(_ model: PlainModel) {
    self.model = model
    for entity in model.entities { objects[entity.name] = [:] }
  }

  /// Goes over to a model with more entities and attributes: rows that are there have the defaults.
  package mutating func grow(to model: PlainModel) {
    for entity in model.entities {
      guard objects[entity.name] != nil else {
        objects[entity.name] = [:]
        continue
      }
      let new = entity.stored.filter { self.model[entity.name].attribute($0.name) == nil }
      for id in ids(entity.name) {
        for attribute in new {
          objects[entity.name]?[id]?.values[attribute.name] = attribute.initial ?? .null
        }
      }
    }
    self.model = model
  }

  /// The same objects under a model that has the same attributes.
  package func with(_ model: PlainModel) -> PlainStore {
    var store = self
    store.model = model
    return store
  }

  // MARK: Reading

  package func object(_ entity: String, _ id: Int) -> PlainObject? { objects[entity]?[id] }

  package func ids(_ entity: String) -> [Int] { (objects[entity] ?? [:]).keys.sorted() }

  /// What identifies an object: the values and the ids of its key.
  package func key(_ object: PlainObject, _ entity: PlainEntity) -> [PlainValue] {
    entity.key.map { name in
      entity.relationship(name) == nil
        ? object[name] : object.links[name].map { .whole(Int64($0)) } ?? .null
    }
  }

  package func find(_ name: String, key: [PlainValue]) -> Int? {
    let entity = model[name]
    return objects[name]?.first { self.key($0.value, entity) == key }?.key
  }

  /// The constraint besides the key in which an object would be equal to another.
  package func clash(_ object: PlainObject, _ name: String, besides id: Int?) -> Bool {
    let entity = model[name]
    let others = (objects[name] ?? [:]).filter { $0.key != id }.values
    let isEqual = entity.unique.contains { constraint in
      others.contains { other in constraint.allSatisfy { other[$0] == object[$0] } }
    }
    let isTaken = entity.relationships.contains { relationship in
      guard isOneToOne(relationship), let target = object.links[relationship.name] else { return false }
      return others.contains { $0.links[relationship.name] == target }
    }
    return isEqual || isTaken
  }

  package func isOneToOne(_ relationship: PlainRelationship) -> Bool {
    guard relationship.kind == .toOne, let inverse = relationship.inverse else { return false }
    return model[relationship.destination].relationship(inverse)?.kind == .hasOne
  }

  // MARK: Writing

  /// A new object, with the defaults of attributes that are not said.
  @discardableResult
  package mutating func insert(
    _ name: String, _ values: [String: PlainValue], links: [String: Int] = [:]
  ) throws(PlainRejection) -> Int {
    let entity = model[name]
    var object = PlainObject()
    for attribute in entity.stored where attribute.derivation == nil {
      object.values[attribute.name] = values[attribute.name] ?? attribute.initial ?? .null
    }
    object.links = links
    try check(object, entity, besides: nil)
    (last, writes) = (last + 1, writes + 1)
    object.changed = writes
    objects[name]?[last] = object
    return last
  }

  /// Gives an object other values and links; a relationship with nil leads nowhere then.
  ///
  /// - Returns: whether anything was another.
  @discardableResult
  package mutating func update(
    _ name: String, _ id: Int, _ values: [String: PlainValue], links: [String: Int?] = [:]
  ) throws(PlainRejection) -> Bool {
    guard let old = object(name, id) else { return false }
    let entity = model[name]
    var object = old
    for (name, value) in values { object.values[name] = value }
    for (name, target) in links { object.links[name] = target }
    guard object != old else { return false }
    try check(object, entity, besides: id)
    let moves = entity.stored.contains { !$0.isVolatile && object[$0.name] != old[$0.name] }
    if moves || object.links != old.links {
      writes += 1
      object.changed = writes
    }
    objects[name]?[id] = object
    return true
  }

  private func check(_ object: PlainObject, _ entity: PlainEntity, besides id: Int?) throws(PlainRejection) {
    for attribute in entity.stored where attribute.isRequired && object[attribute.name].isNull {
      throw PlainRejection(reason: "\(attribute.name) is required")
    }
    if let other = find(entity.name, key: key(object, entity)), other != id {
      throw PlainRejection(reason: "the key is there")
    }
    if clash(object, entity.name, besides: id) { throw PlainRejection(reason: "not unique") }
  }

  /// Deletes an object by the delete rules.
  package mutating func delete(_ name: String, _ id: Int) throws(PlainRejection) {
    let gone = doomed(name, id)
    for (entity, object, relationship, rule) in referrers(of: gone) where rule == .deny {
      // In which order rows go is the database's to choose; the one that denies may go before.
      let isSure = !gone.contains(Place(entity: entity, id: object))
      throw PlainRejection(reason: isSure ? "\(entity).\(relationship) denies" : "unsure")
    }
    for (entity, object, relationship, _) in referrers(of: gone)
    where !gone.contains(Place(entity: entity, id: object)) {
      writes += 1
      objects[entity]?[object]?.links[relationship] = nil
      objects[entity]?[object]?.changed = writes
    }
    for place in gone { objects[place.entity]?[place.id] = nil }
  }

  private struct Place: Hashable {
    var entity: String
    var id: Int
  }

  /// An object with all that goes with it.
  private func doomed(_ name: String, _ id: Int) -> Set<Place> {
    var gone: Set = [Place(entity: name, id: id)]
    while true {
      let more = referrers(of: gone).filter { $0.rule == .cascade }.map {
        Place(entity: $0.entity, id: $0.id)
      }
      guard !gone.isSuperset(of: more) else { return gone }
      gone.formUnion(more)
    }
  }

  /// Who leads to some objects, and what the rule says of them.
  private func referrers(
    of places: Set<Place>
  ) -> [(entity: String, id: Int, relationship: String, rule: PlainRelationship.Rule)] {
    model.entities.flatMap { entity in
      entity.relationships.filter { $0.kind == .toOne }.flatMap { relationship in
        (objects[entity.name] ?? [:]).compactMap { id, object in
          guard let target = object.links[relationship.name],
            places.contains(Place(entity: relationship.destination, id: target))
          else { return nil }
          return (entity.name, id, relationship.name, rule(relationship, of: entity))
        }
      }
    }
  }

  private func rule(_ toOne: PlainRelationship, of entity: PlainEntity) -> PlainRelationship.Rule {
    let end = toOne.inverse.flatMap { model[toOne.destination].relationship($0) }
    let rule = end?.rule ?? .nullify
    return rule == .nullify && entity.key.contains(toOne.name) ? .cascade : rule
  }
}
