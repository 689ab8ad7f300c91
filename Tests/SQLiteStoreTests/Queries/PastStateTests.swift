import ImportModel
import SQLiteQueries
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Past states, over random histories: what a fetch at a token gives is what was there.
struct PastStateTests {
  private func state(_ store: SQLiteEngine, _ token: HistoryToken?) throws -> RandomHistory.State {
    try store.reading { db in
      var state: RandomHistory.State = [:]
      for entity in ["Quake", "Region"] {
        for row in try db.fetch(ObjectQuery(entity), at: token, path: store.path) {
          state["\(entity) \(row.id)"] = Dictionary(
            uniqueKeysWithValues: row.values.map { ($0.name, $0.value) })
        }
      }
      return state
    }
  }

  @Test func `A fetch at a token gives what was there then`() throws {
    for seed in 0..<RandomHistory.count {
      let random = try RandomHistory(seed)
      for (token, expected) in random.states {
        let found = try state(random.store, token)
        try #require(found == expected, "seed \(seed), \(token)")
      }
      #expect(try state(random.store, nil) == random.states.last?.state)
    }
  }

  @Test
  func `A difference turns the older answer into the newer one, and tells every change of those that stay`()
    throws
  {
    var (moves, updates) = (0, 0)
    for seed in 0..<RandomHistory.count / 4 {
      let random = try RandomHistory(seed)
      let request = ObjectQuery(
        "Quake", where: "depth IS NOT 0", sort: [.init("depth", ascending: seed % 2 == 0), .init("place")])
      func answer(_ token: HistoryToken) throws -> [Snapshot.Row] {
        try random.store.reading { try $0.fetch(request, at: token, path: random.store.path) }
      }
      let answers = try random.states.map { try answer($0.token) }
      for (index, older) in random.states.enumerated() {
        for (next, newer) in random.states.enumerated().dropFirst(index) {
          let difference = try random.store.difference(of: request, from: older.token, to: newer.token)
          let (before, after) = (answers[index], answers[next])
          let objects = before.map { ObjectID(entity: "Quake", id: $0.id) }
          try #require(
            objects.applying(difference.objects)?.map(\.id) == after.map(\.id),
            "seed \(seed), \(older.token) to \(newer.token)")
          // A move names both its ends.
          try #require(difference.objects.inferringMoves() == difference.objects)
          moves += difference.objects.insertions.count {
            if case .insert(_, _, .some) = $0 { true } else { false }
          }
          let held = Dictionary(uniqueKeysWithValues: before.map { ($0.id, $0.values) })
          let changed = after.enumerated().compactMap { offset, row -> FetchDifference.Update? in
            guard let old = held[row.id], old != row.values else { return nil }
            let names = zip(old, row.values).filter { $0 != $1 }.map { $0.0.name }
            return FetchDifference.Update(
              object: ObjectID(entity: "Quake", id: row.id), offset: offset, changed: names)
          }
          updates += changed.count
          try #require(difference.updates == changed, "seed \(seed), \(older.token) to \(newer.token)")
        }
      }
    }
    #expect(moves > 0 && updates > 0)
  }

  @Test func `A difference of sections leads from each older section to the newer one`() throws {
    var crossings = 0
    for seed in 0..<RandomHistory.count / 8 {
      let random = try RandomHistory(seed)
      var request = ObjectQuery("Quake", sort: [.init("place")])
      request.section = seed % 2 == 0 ? "region.code" : "depth"
      func answer(_ token: HistoryToken) throws -> [Snapshot.Row] {
        request.related = ["region"]
        return try random.store.reading { try $0.fetch(request, at: token, path: random.store.path) }
      }
      func section(_ row: Snapshot.Row) -> Value {
        (seed % 2 == 0 ? row.related("region")?["code"] : row["depth"]) ?? .null
      }
      let answers = try random.states.map { try answer($0.token) }
      request.related = []
      for (index, older) in random.states.enumerated() {
        for (next, newer) in random.states.enumerated().dropFirst(index) {
          let difference = try random.store.difference(of: request, from: older.token, to: newer.token)
          let found = try #require(difference.sections)
          for (rows, sections) in [(answers[index], found.older), (answers[next], found.newer)] {
            try #require(sections.flatMap { $0.rows } == Array(rows.indices))
            for part in sections { try #require(rows[part.rows].allSatisfy { section($0) == part.value }) }
            try #require(zip(sections, sections.dropFirst()).allSatisfy { $0.value != $1.value })
          }
          try #require(found.older.map(\.value).applying(found.changes) == found.newer.map(\.value))
          // Who is neither removed nor inserted is in the same section.
          let moved = Set(
            difference.objects.removals.compactMap { change -> Int64? in
              if case .remove(_, let object, .some) = change { object.id } else { nil }
            })
          let before = Dictionary(uniqueKeysWithValues: answers[index].map { ($0.id, $0) })
          for row in answers[next] where before[row.id].map(section) != nil {
            guard let old = before[row.id], section(old) != section(row) else { continue }
            try #require(moved.contains(row.id))
            crossings += 1
          }
          for (offset, _) in answers[next].enumerated() {
            let place = found.place(ofNewer: offset)
            try #require(found.newer[place.section].rows.lowerBound + place.row == offset)
          }
        }
      }
    }
    #expect(crossings > 0)
  }
}
