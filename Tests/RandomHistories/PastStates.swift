import Bolide
import PlainEngine
import PlainStore

/// What a store held at each token, and what its history must say of that.
struct PastStates {
  private(set) var states: [(token: HistoryToken, state: StoreState)] = []
  let model: PlainModel

  init(_ model: PlainModel) { self.model = model }

  /// A token may stand for one state alone.
  mutating func note(_ state: StoreState, _ token: HistoryToken) {
    if states.last?.token == token { states.removeLast() }
    states.append((token, state))
  }

  /// Compares what history tells between a random state and the newest.
  func compare(_ store: Store, _ dice: inout Dice) async throws {
    guard let newest = states.last, let older = dice.any(of: states) else { return }
    let net = try await store.changes(from: older.token, to: newest.token)
    let place = "from \(older.token) to \(newest.token)"
    if let problem = problem(net, older.state, newest.state) { throw Difference("net \(place): \(problem)") }
    let all = try await store.changes(HistoryRequest(after: older.token))
    if let problem = replay(all, older.state, newest.state) {
      throw Difference("replay \(place): \(problem)")
    }
    for entity in model.entities where !entity.isJoin { try await compare(store, entity, at: older) }
  }

  /// Compares an entity's objects as they were at the older place.
  private func compare(
    _ store: Store, _ entity: PlainEntity, at place: (token: HistoryToken, state: StoreState)
  )
    async throws
  {
    let rows = try await store.fetch(ObjectQuery(entity.name), at: place.token)
    let told = rows.map { (ObjectName(entity: entity.name, id: $0.id), $0.values.plain) }
    let state = place.state.filter { $0.key.entity == entity.name }
    let names = told.map(\.0)
    if names != state.keys.sorted() {
      throw Difference("at \(place.token): \(names), expected \(state.keys.sorted())")
    }
    for (name, values) in told where values != state[name] {
      throw Difference("at \(place.token): \(name) has \(values), expected \(state[name] ?? [:])")
    }
  }

  /// Takes history away up to a random place: older tokens have expired, and those from it on are good.
  mutating func prune(_ store: Store, _ dice: inout Dice) async throws -> String {
    let index = dice.int(0...states.count - 1)
    _ = try await store.prune(.before(.token(states[index].token)))
    for (token, _) in states[..<index] {
      do {
        _ = try await store.changes(HistoryRequest(after: token))
        throw Difference("\(token) is good, though history begins with \(states[index].token)")
      } catch let error as StoreError where error.code == .tokenExpired {}
    }
    states.removeSubrange(..<index)
    return "prune before \(states[0].token)"
  }

  /// What is wrong with net changes between two states.
  private func problem(_ changes: [HistoryChange], _ older: StoreState, _ newer: StoreState) -> String? {
    var rest = Set(older.keys).union(newer.keys)
    for change in changes {
      let name = ObjectName(entity: change.entity, id: change.id)
      guard rest.remove(name) != nil else { return "\(name) is told twice" }
      let (before, after) = (older[name], newer[name])
      switch (change.kind, before, after) {
      case (.insert, nil, _?): break
      case (.delete, let before?, nil):
        if change.before != before.filter({ !$0.value.isNull }) { return "\(name) was \(before)" }
      case (.update, let before?, let after?):
        let differs = before.filter { after[$0.key] != $0.value }
        if change.before != differs || differs.isEmpty {
          return "\(name) \(change.before), changed were \(differs)"
        }
        if change.isDerived != differs.keys.allSatisfy({ isDerived($0, name) }) {
          return "\(name) is derived?"
        }
      default: return "\(name) is no \(change.kind)"
      }
      if let problem = keyProblem(change, after ?? before ?? [:]) { return "\(name): \(problem)" }
    }
    return rest.sorted().first { older[$0] != newer[$0] }.map { "\($0) is not told" }
  }

  private func isDerived(_ attribute: String, _ name: ObjectName) -> Bool {
    model[name.entity].attribute(attribute)?.derivation != nil
  }

  private func keyProblem(_ change: HistoryChange, _ values: [String: PlainValue]) -> String? {
    let key = change.key.map { PlainValue($0.value) }
    let expected = model[change.entity].key.map { values[$0] ?? .null }
    return key == expected ? nil : "its key is \(key), expected \(expected)"
  }

  /// Undoes all changes from the newest to an older state.
  private func replay(_ changes: [HistoryChange], _ older: StoreState, _ newer: StoreState) -> String? {
    var state = newer
    for change in changes.reversed() {
      let name = ObjectName(entity: change.entity, id: change.id)
      switch change.kind {
      case .insert:
        if state.removeValue(forKey: name) == nil { return "\(name) inserted, but not there" }
      case .delete:
        if state[name] != nil { return "\(name) deleted, but there" }
        var values = change.before
        for attribute in model[change.entity].names where values[attribute] == nil {
          values[attribute] = .null
        }
        state[name] = values
      case .update:
        guard let values = state[name] else { return "\(name) updated, but not there" }
        for (attribute, value) in change.before where values[attribute] == value {
          return "\(name) \(attribute) was \(value) before and after"
        }
        state[name] = values.merging(change.before) { $1 }
      }
    }
    for name in Set(state.keys).union(older.keys).sorted() where state[name] != older[name] {
      let (was, told) = (older[name] ?? [:], state[name] ?? [:])
      return
        "\(name) was \(was.filter { told[$0.key] != $0.value }), told is \(told.filter { was[$0.key] != $0.value })"
    }
    return nil
  }
}

extension PlainEntity {
  /// All that a row has.
  var names: [String] { stored.map(\.name) + relationships.filter { $0.kind == .toOne }.map(\.name) }
}

extension HistoryChange {
  /// The previous values by name.
  var before: [String: PlainValue] {
    previous.plain
  }
}
