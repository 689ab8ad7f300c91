import Bolide
import GRDB
import Testing

/// How many rows there were, told from history alone.
@Suite struct RowTrendTests {
  @Test func `each step has the rows that the store had then`() async throws {
    let pipeline = try Pipeline(yaml: StorePlace.linkedYAML())
    let place = try StorePlace()
    let path = place.path("quakes.sqlite")
    let store = try await Store(path: path, for: pipeline)
    let other = try DatabaseQueue(path: path)
    var tokens = [try await store.newestToken()]
    for round in 0..<12 {
      switch round % 3 {
      case 0:
        let ids = (0...round * 7 % 9).map {
          #"{"id": "q\#(round)-\#($0)", "depth": 1, "region": \#($0 % 3)}"#
        }
        _ = try await store.run(pipeline, on: .bytes("[\(ids.joined(separator: ","))]".utf8))
      case 1:
        try await other.write {
          try $0.execute(sql: "DELETE FROM Quake WHERE bolide_id % 5 = \(round % 5)")
          try $0.execute(sql: "UPDATE Quake SET depth = depth + 1")
        }
      default:
        try await other.write { try $0.execute(sql: "INSERT INTO Region(number) VALUES (\(100 + round))") }
      }
      tokens.append(try await store.newestToken())
    }
    var counts: [String: [Int64]] = [:]
    for token in Set(tokens.map(\.number)).sorted() {
      let token = try #require(tokens.first { $0.number == token })
      for entity in ["Quake", "Region"] {
        counts[entity, default: []].append(Int64(try await store.count(ObjectQuery(entity), at: token)))
      }
    }
    let steps = try #require(counts["Quake"]).count - 1
    // The last number is behind the last transaction: nothing has come since.
    for trend in try store.engine.rowTrends(steps: steps) {
      let expected = try #require(counts[trend.entity])
      let now = try #require(expected.last)
      #expect(trend.rows(now: now) == expected + [now], "\(trend.entity)")
    }
    try await other.write { try $0.execute(sql: "DELETE FROM Quake") }
    let pending = try #require(try store.engine.rowTrends(steps: 1).first { $0.entity == "Quake" })
    #expect(pending.rows(now: 0) == [0, try #require(counts["Quake"]?.last), 0])
  }
}
