import Bolide
import PlainStore
import SQLiteStore

/// What an erasure makes of a copy of the store.
extension PastStates {
  /// Erases a random object, of now or of an older state, from a copy. The rest is what its deletion leaves.
  func compareErased(_ store: Store, _ dice: inout Dice) async throws {
    guard let newest = states.last, let older = dice.any(of: states) else { return }
    let known = Set(newest.state.keys).union(older.state.keys).filter { !model[$0.entity].isJoin }
    guard let name = dice.any(of: known.sorted()) else { return }
    let (erased, deleted) = (try await copy(of: store), try await copy(of: store))
    let isThere = newest.state[name] != nil
    do {
      _ = try await erased.store.erase(name.entity, .id(name.id))
      if isThere { try await deleted.store.delete(name) }
    } catch let error as StoreError where error.code == .guarded {
      do {
        try await deleted.store.delete(name)
      } catch let error as StoreError where error.code == .guarded { return }
      throw Difference("the erasure of \(name) was refused: \(error.message)")
    }
    let what = "erase \(name)"
    let (state, _) = try await erased.store.state()
    try await expect(deleted.store, what, state)
    try await expect(erased.store, what, state)
    let gone = try await compareHistory(erased.store, deleted.store, name)
    for (token, state) in states { try await compareState(erased.store, token, state, gone) }
    let report = try await erased.store.revert(to: older.token)
    let left = Set(
      report.left.filter { $0.reason == .erased }.map { ObjectName(entity: $0.entity, id: $0.id) })
    if left != gone.intersection(older.state.keys) { throw Difference("\(what): the revert left \(left)") }
    try verify(erased.store, "\(what), then revert to \(older.token)")
  }

  /// Compares the history after an erasure with that after a deletion, and gives the objects that it erased.
  private func compareHistory(
    _ erased: Store, _ deleted: Store, _ name: ObjectName
  ) async throws -> Set<ObjectName> {
    let start = HistoryRequest(after: states[0].token)
    let (told, expected) = (try await erased.changes(start), try await deleted.changes(start))
    var gone: Set<ObjectName> = [name]
    for change in told where change.erased == .object {
      gone.insert(ObjectName(entity: change.entity, id: change.id))
    }
    func line(_ change: HistoryChange) -> String {
      "\(change.transaction) \(change.kind) \(change.entity) \(change.id)"
    }
    if told.map(line) != expected.map(line) { throw Difference("erase \(name): other changes") }
    for (change, whole) in zip(told, expected) {
      let isGone = gone.contains(ObjectName(entity: change.entity, id: change.id))
      if isGone != (change.erased == .object) { throw Difference("erase \(name): \(change) is not erased") }
      if isGone, !change.key.isEmpty || !change.previous.isEmpty || change.values != nil {
        throw Difference("erase \(name): \(change) has values")
      }
      guard !isGone else { continue }
      if change.key != whole.key { throw Difference("erase \(name): \(change) has another key") }
      let lost = whole.previous.filter { !change.previous.contains($0) }
      if lost.isEmpty != (change.erased == nil) || change.previous.count + lost.count != whole.previous.count
      {
        throw Difference("erase \(name): \(change), was \(whole)")
      }
      if lost.contains(where: { model[change.entity].attribute($0.name)?.derivation == nil }) {
        throw Difference("erase \(name): \(change) lost \(lost)")
      }
    }
    return gone
  }

  /// A past state is what it was, or refused as something of it was erased.
  private func compareState(
    _ store: Store, _ token: HistoryToken, _ state: StoreState, _ gone: Set<ObjectName>
  ) async throws {
    for entity in model.entities where !entity.isJoin {
      let expected = state.filter { $0.key.entity == entity.name }
      let isNeeded = expected.keys.contains(where: gone.contains)
      do {
        let rows = try await store.fetch(ObjectQuery(entity.name), at: token)
        let told = Dictionary(
          uniqueKeysWithValues: rows.map { (ObjectName(entity: entity.name, id: $0.id), $0.values.plain) })
        if isNeeded || told != expected { throw Difference("at \(token), without \(gone): \(told)") }
      } catch let error as StoreError where error.code == .tokenExpired {
        if !isNeeded, !error.message.contains("had values of an object that was erased") {
          throw Difference("at \(token), without \(gone): \(error.message)")
        }
      }
    }
  }
}

extension Store {
  fileprivate func delete(_ name: ObjectName) async throws {
    _ = try await delete(name.entity, where: "bolide_id = ?", [.integer(name.id)])
  }
}
