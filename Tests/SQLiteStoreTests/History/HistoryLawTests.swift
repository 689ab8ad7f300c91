import ImportModel
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// The laws of history, over random histories of imports and other programs.
struct HistoryLawTests {
  /// The histories are dealt out to several tests at once.
  private static let shards = 8

  @Test(arguments: 0..<shards)
  func `Net changes are the difference of any two states, undoing leads back, replaying leads there`(
    shard: Int
  ) throws {
    var kinds: Set<HistoryChange.Kind> = []
    for seed in stride(from: shard, to: RandomHistory.count, by: Self.shards) {
      let random = try RandomHistory(seed)
      kinds.formUnion(try netChanges(random, seed))
      try undo(random, seed)
      try replay(random, seed)
    }
    #expect(kinds.count == 3)
  }

  /// Net changes are the difference of any two states.
  private func netChanges(_ random: RandomHistory, _ seed: Int) throws -> Set<HistoryChange.Kind> {
    var kinds: Set<HistoryChange.Kind> = []
    for (index, older) in random.states.enumerated() {
      for newer in random.states[index...] {
        var request = HistoryRequest(after: older.token)
        request.end = .token(newer.token)
        request.isNet = true
        request.includesValues = true
        let changes = try random.store.history(request).flatMap(\.changes)
        let problem = Self.problem(changes, older.state, newer.state, random.states.last?.state ?? [:])
        try #require(problem == nil, "seed \(seed), \(older.token) to \(newer.token)")
        kinds.formUnion(changes.map(\.kind))
      }
    }
    return kinds
  }

  /// What is wrong with net changes between two states; nil when they are exactly the difference.
  private static func problem(
    _ changes: [HistoryChange], _ older: RandomHistory.State, _ newer: RandomHistory.State,
    _ present: RandomHistory.State
  ) -> String? {
    var rest = Set(older.keys).union(newer.keys)
    for change in changes {
      let object = change.object
      guard rest.remove(object) != nil else { return "\(object) is told twice" }
      let (before, after) = (older[object], newer[object])
      let now = change.values.map { Dictionary($0.map { ($0.name, $0.value) }) { first, _ in first } }
      let key = change.key.map(\.value)
      let name = change.entity == "Quake" ? "id" : "code"
      switch change.kind {
      case .insert:
        guard before == nil, let after else { return "\(object) is no insert" }
        if now != present[object] { return "\(object) has other values" }
        if key != [after[name] ?? .null] { return "\(object) has the key \(key)" }
      case .delete:
        guard let before, after == nil else { return "\(object) is no delete" }
        if change.before != before.filter({ $0.value != .null }) { return "\(object) was another" }
        if key != [before[name] ?? .null] { return "\(object) has the key \(key)" }
      case .update:
        guard let before, let after else { return "\(object) is no update" }
        if change.before != before.filter({ after[$0.key] != $0.value }) {
          return "\(object) changed otherwise"
        }
        if key != [after[name] ?? .null] { return "\(object) has the key \(key)" }
        if now != present[object] { return "\(object) has other values" }
        let derived: Set = ["quakeCount", "magnitudes", "depths", "costs"]
        if change.isDerived != change.before.keys.allSatisfy(derived.contains) { return "\(object) derived?" }
      }
    }
    return rest.first { older[$0] != newer[$0] }.map { "\($0) is not told" }
  }

  /// Undoing the changes leads from the last state back to every older one.
  private func undo(_ random: RandomHistory, _ seed: Int) throws {
    var state = random.states.last?.state ?? [:]
    var older = random.states.dropLast()
    for transaction in try random.store.history(HistoryRequest()).reversed() {
      for change in transaction.changes.reversed() {
        switch change.kind {
        case .insert:
          let gone = state.removeValue(forKey: change.object)
          try #require(gone != nil, "seed \(seed)")
        case .delete:
          try #require(state[change.object] == nil, "seed \(seed)")
          let names =
            change.entity == "Quake"
            ? ["id", "place", "magnitude", "depth", "cost", "kind", "seen", "region"]
            : ["code", "quakeCount", "magnitudes", "depths", "costs"]
          state[change.object] = Dictionary(uniqueKeysWithValues: names.map { ($0, .null) }).merging(
            change.before
          ) { $1 }
        case .update:
          // Nothing is told of a row that did not change.
          let now = try #require(state[change.object], "seed \(seed)")
          try #require(!change.previous.isEmpty && change.before.allSatisfy { now[$0.key] != $0.value })
          state[change.object]?.merge(change.before) { $1 }
        }
      }
      let popped = older.popLast()
      let expected = try #require(popped)
      try #require(
        expected.token.number == transaction.number - 1 && state == expected.state, "seed \(seed)")
    }
    #expect(older.isEmpty && state.isEmpty)
  }

  /// Replaying everything onto nothing gives the rows that are there.
  private func replay(_ random: RandomHistory, _ seed: Int) throws {
    var (state, last): (RandomHistory.State, Int64) = ([:], 0)
    var request = HistoryRequest()
    request.includesValues = true
    for transaction in try random.store.history(request) {
      // Without a gap, as nothing was pruned.
      try #require(transaction.number == last + 1)
      last = transaction.number
      for change in transaction.changes {
        let isThere = state[change.object] != nil
        try #require(isThere == (change.kind != .insert), "seed \(seed)")
        // An object that is gone by now is told without values, and its deletion comes.
        let values = (change.values ?? []).map { ($0.name, $0.value) }
        state[change.object] =
          change.kind == .delete ? nil : Dictionary(uniqueKeysWithValues: values)
      }
    }
    try #require(state == random.states.last?.state, "seed \(seed)")
  }

  @Test func `An id is given out once, whoever deletes`() throws {
    for seed in 0..<RandomHistory.count / 4 {
      var dice = Dice(seed)
      let temporary = try TemporaryStore()
      let pipeline = Quakes.pipeline()
      let store = try temporary.open(pipeline)
      var highest: [String: Int64] = [:]
      for round in 0..<12 {
        let before = try Set(RandomHistory.state(of: store).keys)
        if dice.once(in: 2) {
          let records = (0...dice.int(0...5)).map { number -> Record in
            [
              "id": .text("\(round).\(number)"), "place": .text("r\(dice.int(0...4))"),
              "@region": .text("r\(dice.int(0...4))"),
            ]
          }
          try store.take(pipeline, records)
        } else {
          // The newest rows above all.
          try store.execute(
            dice.pick([
              "DELETE FROM Quake WHERE bolide_id >= (SELECT max(bolide_id) FROM Quake)", "DELETE FROM Quake",
              "DELETE FROM Region", "INSERT INTO Quake(id) VALUES ('f\(round)')",
              "REPLACE INTO Quake(id, depth) SELECT id, 1 FROM Quake LIMIT 1",
            ]))
        }
        for object in try RandomHistory.state(of: store).keys where !before.contains(object) {
          let parts = object.split(separator: " ")
          let (entity, id) = (String(parts[0]), try #require(Int64(parts[1])))
          try #require(id > highest[entity] ?? 0, "seed \(seed), round \(round): \(object)")
        }
        for object in try RandomHistory.state(of: store).keys {
          let parts = object.split(separator: " ")
          let (entity, id) = (String(parts[0]), try #require(Int64(parts[1])))
          highest[entity] = max(highest[entity] ?? 0, id)
        }
      }
    }
  }

  @Test func `Pages of any size are the whole, and go on inside a transaction`() throws {
    for seed in 0..<RandomHistory.count / 2 {
      let random = try RandomHistory(seed)
      let whole = try random.store.history(HistoryRequest())
      var dice = Dice(seed)
      for filter in 0..<3 {
        var request = HistoryRequest()
        if filter == 1 { request.kinds = [.insert, .delete] }
        if filter == 2 { (request.entities, request.attributes) = (["Quake"], ["depth", "Quake.region"]) }
        let expected = try random.store.history(request).flatMap(\.changes)
        if filter == 0 { #expect(expected == whole.flatMap(\.changes)) }
        var (changes, ends): ([HistoryChange], [HistoryTransaction]) = ([], [])
        while true {
          request.limit = dice.int(1...5)
          let page = try random.store.history(request)
          changes += page.flatMap(\.changes)
          ends += page
          guard let last = page.last else { break }
          try #require(page.reduce(0) { $0 + $1.changes.count } <= request.limit ?? 0)
          request.start = .token(last.token)
        }
        try #require(changes == expected, "seed \(seed), filter \(filter)")
        // Each transaction's end is told once, and tokens rise.
        let numbers = ends.filter(\.isWhole).map(\.number)
        #expect(numbers == Set(numbers).sorted())
        #expect(ends.map(\.token) == ends.map(\.token).sorted())
        #expect(ends.last?.token == whole.last?.token)
        #expect(ends.allSatisfy { $0.changeCount == $0.changes.count })
      }
    }
  }

  @Test func `A filtered answer is the whole one, filtered`() throws {
    for seed in 0..<RandomHistory.count / 2 {
      let random = try RandomHistory(seed)
      let whole = try random.store.history(HistoryRequest())
      func check(
        _ change: (inout HistoryRequest) -> Void, _ wanted: (HistoryTransaction, HistoryChange) -> Bool
      ) throws {
        var request = HistoryRequest()
        change(&request)
        let answer = try random.store.history(request)
        let expected = whole.flatMap { transaction in transaction.changes.filter { wanted(transaction, $0) } }
        try #require(answer.flatMap(\.changes) == expected, "seed \(seed)")
        #expect(try random.store.countChanges(request) == expected.count)
        // Only the last transaction is told without a change.
        #expect(
          answer.dropLast().allSatisfy { !$0.changes.isEmpty } && answer.last?.token == whole.last?.token)
      }
      try check({ $0.authors = ["quakes"] }, { transaction, _ in transaction.author == "quakes" })
      // What nobody signed is not lost.
      try check({ $0.excludedAuthors = ["quakes"] }, { transaction, _ in transaction.author != "quakes" })
      try check({ $0.excludedAuthors = ["cron"] }, { _, _ in true })
      try check({ $0.entities = ["Region"] }, { $1.entity == "Region" })
      try check({ $0.kinds = [.delete] }, { $1.kind == .delete })
      // An insert and a delete affect all that their entity has.
      try check(
        { $0.attributes = ["depth"] },
        { $1.entity == "Quake" && ($1.kind != .update || $1.before["depth"] != nil) })
      try check(
        { $0.attributes = ["Region.depths"] },
        { $1.entity == "Region" && ($1.kind != .update || $1.before["depths"] != nil) })
    }
  }
}
