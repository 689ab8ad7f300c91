import Bolide
import PlainStore
import SQLiteStore

/// What a revert makes of a copy of the store.
extension PastStates {
  /// Puts a copy back to a random older state by its token, and by the newest run to the state before that.
  func compareReverted(_ store: Store, _ dice: inout Dice) async throws {
    guard let newest = states.last, let older = dice.any(of: states) else { return }
    let copy = try await copy(of: store)
    let report = try await copy.store.revert(to: older.token)
    try await expect(copy.store, "revert to \(older.token)", older.state, left: report.left)
    // And there again: what a revert changed is history like any other.
    let again = try await copy.store.revert(to: newest.token)
    try await expect(copy.store, "revert to \(newest.token)", newest.state, left: again.left)
    try await compareRevertedRun(store)
  }

  private func compareRevertedRun(_ store: Store) async throws {
    guard states.count > 1 else { return }
    let before = states[states.count - 2]
    var runs: Set<Int64?> = []
    try store.engine.readHistory(HistoryRequest(after: before.token)) { _ in
    } commit: {
      runs.insert($0.run)
    }
    guard runs.count == 1, let run = runs.first ?? nil else { return }
    let copy = try await copy(of: store)
    let report = try await copy.store.revert(run: run)
    try await expect(copy.store, "revert run \(run)", before.state, left: report.left)
    let twice = try await copy.store.revert(run: run)
    if !twice.edit.counts.isEmpty || !twice.left.isEmpty { throw Difference("revert \(run) twice: \(twice)") }
  }

  func copy(of store: Store) async throws -> (store: Store, folder: MemoryFolder) {
    let folder = try MemoryFolder()
    _ = try store.engine.backUp(to: folder.store)
    return (Store(try StoreAddress.open(folder.store)), folder)
  }

  /// Compares a store with a state, except for times of last changes.
  func expect(
    _ store: Store, _ what: String, _ expected: StoreState, left: [LeftRow] = []
  ) async throws {
    if let row = left.first { throw Difference("\(what) leaves \(row)") }
    let (state, _) = try await store.state()
    for name in Set(state.keys).union(expected.keys).sorted() {
      guard let was = expected[name] else { throw Difference("\(what): \(name) should not be there") }
      guard let held = state[name] else { throw Difference("\(what): \(name) should be there") }
      for (attribute, value) in was where held[attribute] != value && !isTime([attribute], of: name.entity) {
        throw Difference(
          "\(what): \(name) \(attribute) is \(held[attribute].map { "\($0)" } ?? "not there"), was \(value)"
        )
      }
    }
    try verify(store, what)
  }

  func verify(_ store: Store, _ what: String) throws {
    var findings: [String] = []
    try store.engine.verify { if !$0.isTrue { findings.append($0.description) } }
    if let finding = findings.first { throw Difference("\(what): \(finding)") }
  }

  /// Whether an attribute is the time of the last change, which the revert is, or comes of one.
  private func isTime(_ path: some Collection<String>, of entity: String) -> Bool {
    guard let name = path.first else { return false }
    if path.count > 1 {
      guard let relationship = model[entity].relationship(name) else { return false }
      return isTime(path.dropFirst(), of: relationship.destination)
    }
    switch model[entity].attribute(name)?.derivation {
    case .now: return true
    case .copy(let path), .folded(_, let path): return isTime(path, of: entity)
    case .aggregate(_, let over, let of, let filter):
      guard let destination = model[entity].relationship(over)?.destination else { return false }
      return [of, filter?.attribute].contains { $0.map { isTime([$0], of: destination) } ?? false }
    case nil: return false
    }
  }
}
