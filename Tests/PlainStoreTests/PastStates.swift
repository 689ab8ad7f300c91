import Bolide
import PlainStore

/// What a store held at each token, and what its history must say of that.
struct PastStates {
  private var states: [(token: HistoryToken, state: StoreState)] = []
  private let model: PlainModel

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
    Dictionary(previous.map { ($0.name, PlainValue($0.value)) }) { first, _ in first }
  }
}
