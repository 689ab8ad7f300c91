import ImportModel
@testable import SQLiteAccess

@testable import SQLiteStore
@testable import StoreInterface

extension SQLiteEngine {
  /// Whether another program has made changes that no transaction holds yet.
  static func hasPendingChanges(of store: SQLiteEngine) throws -> Bool {
    try store.writing { try hasPendingChanges($0) }
  }
}

/// A store's history from the beginning, and what must hold of it.
struct Replay {
  let store: SQLiteEngine
  /// Which objects and properties there are.
  private let model: Model
  private(set) var transactions: [HistoryTransaction] = []
  private(set) var changes: [HistoryChange] = []

  init(_ store: SQLiteEngine, after token: HistoryToken? = nil, model: Model = Quakes.pipeline().model) throws
  {
    self.store = store
    self.model = model
    var (changes, transactions): ([HistoryChange], [HistoryTransaction]) = ([], [])
    try store.readHistory(HistoryRequest(after: token)) {
      changes.append($0)
    } commit: {
      transactions.append($0)
    }
    self.changes = changes
    self.transactions = transactions
  }

  /// Everything that is wrong with the history; empty for a sound one.
  func problems() throws -> [String] {
    try idProblems() + orderProblems() + rangeProblems() + valueProblems()
  }

  /// Inserts and deletes from the beginning give the objects that are there.
  private func idProblems() throws -> [String] {
    var problems: [String] = []
    var objects: [String: Set<Int64>] = [:]
    for change in changes {
      let isThere = objects[change.entity, default: []].contains(change.id)
      if change.key.isEmpty { problems.append("\(change.entity) \(change.id): a change without a key") }
      switch change.kind {
      case .insert:
        if isThere { problems.append("\(change.entity) \(change.id) inserted twice") }
        objects[change.entity, default: []].insert(change.id)
      case .update:
        if !isThere { problems.append("\(change.entity) \(change.id) updated while not there") }
        if change.previous.isEmpty { problems.append("\(change.entity) \(change.id): an update of nothing") }
      case .delete:
        if !isThere { problems.append("\(change.entity) \(change.id) deleted while not there") }
        objects[change.entity, default: []].remove(change.id)
      }
    }
    for entity in model.entities.map(\.name) {
      let ids = try store.rows("SELECT bolide_id FROM \(entity)").compactMap { row -> Int64? in
        guard case .integer(let id) = row[0] else { return nil }
        return id
      }
      guard Set(ids) != objects[entity, default: []] else { continue }
      problems.append("\(entity): the replay gives other objects")
    }
    return problems
  }

  /// Numbers rise, and each change stands in its transaction.
  private func orderProblems() -> [String] {
    var problems: [String] = []
    let numbers = transactions.map(\.number)
    if numbers != Array(Set(numbers)).sorted() { problems.append("the tokens do not rise") }
    let counts = Dictionary(grouping: changes, by: \.transaction).mapValues(\.count)
    for transaction in transactions where counts[transaction.number] != transaction.changeCount {
      problems.append("transaction \(transaction.number) does not count its changes")
    }
    return problems
  }

  /// The transactions' ranges are contiguous, do not overlap, and cover every change.
  private func rangeProblems() throws -> [String] {
    var problems: [String] = []
    var next: Int64 = 1
    for row in try store.rows("SELECT first_change, last_change FROM bolide_transaction ORDER BY number") {
      guard case .integer(let first) = row[0], case .integer(let last) = row[1] else { continue }
      if first != next || last < first { problems.append("the range \(first)...\(last) follows \(next - 1)") }
      next = last + 1
    }
    let pending = try store.integer("SELECT count(*) FROM bolide_change WHERE change >= \(next)")
    if pending != 0 { problems.append("\(pending ?? -1) changes are in no transaction") }
    let orphans = try store.integer(
      "SELECT count(*) FROM bolide_previous WHERE change NOT IN (SELECT change FROM bolide_change)")
    if orphans != 0 { problems.append("\(orphans ?? -1) previous values belong to no change") }
    return problems
  }

  /// Backwards from the present rows, each previous value differs from what replaced it.
  ///
  /// A deletion gives the whole object back; behind it the updates' values must meet the same rule.
  private func valueProblems() throws -> [String] {
    var problems: [String] = []
    var objects = try present()
    for change in changes.reversed() {
      let name = "\(change.entity) \(change.id)"
      switch change.kind {
      case .insert: objects[name] = nil
      case .delete:
        objects[name] = Dictionary(uniqueKeysWithValues: change.previous.map { ($0.name, $0.value) })
      case .update:
        for property in change.previous {
          if (objects[name]?[property.name] ?? .null) == property.value {
            problems.append("\(name): \(property.name) was \(property.value) before and after")
          }
          objects[name, default: [:]][property.name] = property.value
        }
      }
    }
    return problems + objects.keys.map { "\($0) is there before the beginning" }
  }

  /// The present objects' values by property.
  private func present() throws -> [String: [String: Value]] {
    var objects: [String: [String: Value]] = [:]
    for entity in model.entities {
      let properties =
        entity.storedAttributes.map { ($0.name, quoted($0.name)) }
        + entity.toOneRelationships.map { ($0.name, quoted($0.column)) }
      let (names, columns) = (properties.map(\.0), properties.map(\.1).joined(separator: ", "))
      for row in try store.rows("SELECT bolide_id, \(columns) FROM \(entity.name)") {
        guard case .integer(let id) = row[0] else { continue }
        objects["\(entity.name) \(id)"] = Dictionary(uniqueKeysWithValues: zip(names, row.dropFirst()))
      }
    }
    return objects
  }
}
