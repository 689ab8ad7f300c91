import Bolide
import PlainEngine
import PlainStore

/// Deletions and links by hand.
extension RandomHistory {
  mutating func delete(_ dice: inout Dice, _ store: Store) async throws {
    guard let entity = dice.any(of: model.entities.filter { !$0.isJoin }),
      let id = dice.any(of: plain.ids(entity.name)), let object = ids[entity.name]?[id]
    else { return tell("nothing to delete") }
    tell("delete \(entity.name) \(object)")
    var copy = plain
    let refusal = Result { () throws(PlainRejection) in try copy.delete(entity.name, id) }
    if case .failure(let refusal) = refusal, refusal.reason == "unsure" { return }
    do {
      _ = try await store.delete(entity.name, where: "bolide_id = ?", [.integer(object)])
      if case .failure(let refusal) = refusal { throw Difference("deleted, but \(refusal.reason)") }
      plain = copy
    } catch let error as StoreError {
      if case .success = refusal { throw Difference("the deletion was refused: \(error.message)") }
    }
  }

  mutating func link(_ dice: inout Dice, _ store: Store) async throws {
    let ends = model.entities.flatMap { entity in
      entity.isJoin ? [] : entity.relationships.map { (entity, $0) }
    }
    .filter { $1.kind != .toMany && !$0.key.contains($1.name) }
    guard let (entity, relationship) = dice.any(of: ends),
      let id = dice.any(of: plain.ids(entity.name)), let object = ids[entity.name]?[id]
    else { return tell("nothing to link") }
    let destination = model[relationship.destination]
    // A child is named by its key alone, which has another object in it.
    guard destination.key.allSatisfy({ destination.attribute($0) != nil }) else { return }
    let target = dice.once(in: 4) ? nil : dice.any(of: plain.ids(destination.name))
    let other = target.flatMap { plain.object(destination.name, $0) }
    let key = other.map { other in
      Dictionary(uniqueKeysWithValues: destination.key.map { ($0, other[$0].value) })
    }
    let isAway = relationship.kind == .manyToMany && key != nil && dice.once(in: 3)
    tell("\(isAway ? "unlink" : "link") \(entity.name) \(object) \(relationship.name) \(key ?? [:])")
    var copy = plain
    let refusal = Result { () throws(PlainRejection) in
      try copy.link(entity, relationship, id, target, isAway: isAway)
    }
    do {
      if let key, isAway {
        _ = try await store.unlink(
          entity.name, relationship.name, where: "bolide_id = ?", [.integer(object)], from: key)
      } else {
        _ = try await store.link(
          entity.name, relationship.name, where: "bolide_id = ?", [.integer(object)], to: key)
      }
      if case .failure(let refusal) = refusal { throw Difference("linked, but \(refusal.reason)") }
      plain = copy
    } catch let error as StoreError {
      if case .success = refusal { throw Difference("the link was refused: \(error.message)") }
    }
  }
}

extension PlainStore {
  /// Leads an object to another or to none, or away from one.
  fileprivate mutating func link(
    _ entity: PlainEntity, _ relationship: PlainRelationship, _ id: Int, _ target: Int?, isAway: Bool
  ) throws(PlainRejection) {
    let (name, destination) = (relationship.name, relationship.destination)
    guard let inverse = relationship.inverse, relationship.kind != .toOne else {
      if isOneToOne(relationship), let target {
        for other in ids(entity.name) where other != id && object(entity.name, other)?.links[name] == target {
          try update(entity.name, other, [:], links: [name: nil])
        }
      }
      try update(entity.name, id, [:], links: [name: target])
      return
    }
    if let join = relationship.join {
      let links = objects[join] ?? [:]
      let old = links.filter { $0.value.links[inverse] == id }
      let same = old.first { $0.value.links[name] == target }?.key
      if let target {
        if isAway, let same { try delete(join, same) }
        if !isAway, same == nil { try insert(join, [:], links: [inverse: id, name: target]) }
      } else {
        for link in old.keys.sorted() { try delete(join, link) }
      }
      return
    }
    for other in manyIDs(relationship, of: id).sorted() where other != target {
      try update(destination, other, [:], links: [inverse: nil])
    }
    if let target { try update(destination, target, [:], links: [inverse: id]) }
  }
}
