import ImportModel
import ModelMerging
import QueryPlans
@testable import SQLiteAccess
@testable import SQLiteQueries
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// How SQLite carries out fetches where a model has indexes.
struct IndexedFetchTests {
  private let temporary: TemporaryStore
  private let store: SQLiteEngine

  /// 3,000 quakes, 200 in each of 15 regions: magnitudes from 0 to 9.99 and costs from 0.00 to 9.99, each three times.
  init() throws {
    temporary = try TemporaryStore()
    let pipeline = Quakes.pipeline {
      $0[entity: "Quake"].indexes = [["magnitude"], ["region", "depth"], ["cost"], ["kind", "depth"]]
      $0[entity: "Region"].indexes = [["quakeCount"]]
    }
    store = try temporary.open(pipeline)
    try store.take(pipeline, Self.records)
  }

  private static let records: [Record] = (0..<3000).map { number -> Record in
    let (magnitude, cost) = (Double(number * 7 % 1000) / 100, Int64(number * 11 % 1000))
    return [
      "id": .text("q\(number)"), "@region": .text("r\(number % 15)"), "depth": .integer(Int64(number)),
      "magnitude": .real(magnitude), "cost": .integer(cost), "kind": .text("k\(number % 500)"),
    ]
  }

  /// What SQLite says it does for a request, by the statement that a fetch runs.
  private func plan(_ request: ObjectQuery) throws -> [String] {
    try store.reading { db in
      let plan = try FetchPlan(request, ModelRecord(db).model, readsKeys: false)
      var query = FetchQuery(request: request, plan: plan, fetched: [], dangling: nil)
      query.access = try query.access(plan.columns + [JoinTree.id(0)], db)
      let sql = query.sorted(plan.columns + [JoinTree.id(0)])
      let rows = try query.statement("EXPLAIN QUERY PLAN \(sql)", db)
      defer { rows.reset() }
      var lines: [String] = []
      while try rows.step() { lines.append((rows.string(3) ?? "").replacing("bolide_index_", with: "")) }
      return lines
    }
  }

  private static let sorting = "USE TEMP B-TREE FOR ORDER BY"
  private static let scan = ["SCAN bolide_0"]

  @Test(arguments: [
    ("magnitude > 9.9", "SEARCH bolide_0 USING INDEX Quake.magnitude (magnitude>?)", true),
    ("magnitude >= ?", "SEARCH bolide_0 USING INDEX Quake.magnitude (magnitude>?)", true),
    ("magnitude = 5", "SEARCH bolide_0 USING INDEX Quake.magnitude (magnitude=?)", false),
    ("cost < 0.1", "SEARCH bolide_0 USING INDEX Quake.cost (cost<?)", true),
    ("cost = 9.25", "SEARCH bolide_0 USING INDEX Quake.cost (cost=?)", false),
    (
      "cost BETWEEN 9.5 AND ? AND place IS NULL",
      "SEARCH bolide_0 USING INDEX Quake.cost (cost>? AND cost<?)", true
    ),
    (
      "kind = 'k7' AND depth > 1000", "SEARCH bolide_0 USING INDEX Quake.kind.depth (kind=? AND depth>?)",
      true
    ),
    (
      "region = 3 AND depth > 2900",
      "SEARCH bolide_0 USING INDEX Quake.region_id.depth (region_id=? AND depth>?)", true
    ),
  ])
  func `A predicate is answered by an index`(predicate: String, search: String, isSorted: Bool) throws {
    let request = ObjectQuery("Quake", where: .init(text: predicate), predicate.contains("?") ? [9.9] : [])
    #expect(try plan(request) == [search] + (isSorted ? [Self.sorting] : []))
  }

  @Test func `An order is that of an index`() throws {
    func plan(_ sort: String..., where predicate: ObjectQuery.Predicate? = nil) throws -> [String] {
      let keys = sort.map {
        $0.hasPrefix("-") ? ObjectQuery.SortKey(String($0.dropFirst()), ascending: false) : .init($0)
      }
      return try self.plan(ObjectQuery("Quake", where: predicate, sort: keys))
    }
    #expect(try plan("region", "depth") == ["SCAN bolide_0 USING INDEX Quake.region_id.depth"])
    #expect(try plan("cost") == ["SCAN bolide_0 USING INDEX Quake.cost"])
    // Objects with the same values are in the order of their ids, which rises.
    #expect(
      try plan("-magnitude") == [
        "SCAN bolide_0 USING INDEX Quake.magnitude", "USE TEMP B-TREE FOR RIGHT PART OF ORDER BY",
      ])
    #expect(
      try plan("depth", where: "region = 2") == [
        "SEARCH bolide_0 USING INDEX Quake.region_id.depth (region_id=?)"
      ])
    #expect(
      try plan("magnitude", where: "magnitude > 5") == [
        "SEARCH bolide_0 USING INDEX Quake.magnitude (magnitude>?)"
      ])
  }

  @Test func `An index on a derived attribute finds owners, and through them objects`() throws {
    #expect(
      try plan(ObjectQuery("Region", where: "quakeCount = 200")) == [
        "SEARCH bolide_0 USING INDEX Region.quakeCount (quakeCount=?)"
      ])
    let lines = try plan(ObjectQuery("Quake", where: "region.quakeCount = 7", limit: 5))
    #expect(lines.first == "SEARCH bolide_1 USING COVERING INDEX Region.quakeCount (quakeCount=?)")
    #expect(lines.contains { $0.hasPrefix("SEARCH bolide_0 USING INDEX Quake.region_id") })
  }

  /// Sorting nearly all of them by their ids would take longer than looking at all in this order.
  @Test func `Where an index would find many objects, all are looked at`() throws {
    #expect(try plan(ObjectQuery("Quake", where: "magnitude > 5")) == Self.scan)
    let few = ObjectQuery("Quake", where: "magnitude > 9.9", limit: 1)
    #expect(try plan(few) == ["SEARCH bolide_0 USING INDEX Quake.magnitude (magnitude>?)", Self.sorting])
    // Of 150 objects the first is among the first hundred or so.
    #expect(try plan(ObjectQuery("Quake", where: "magnitude > 9.5", limit: 1)) == Self.scan)
    #expect(try plan(ObjectQuery("Quake", where: "magnitude BETWEEN 1 AND 9", limit: 10)) == Self.scan)
    // One value of an index has its objects in the order of ids.
    #expect(try plan(ObjectQuery("Quake", where: "magnitude = 5", limit: 1)).count == 1)
    #expect(try plan(ObjectQuery("Quake", where: "magnitude + 0 > 9.9")) == Self.scan)
    #expect(try plan(ObjectQuery("Quake", where: "seen > 9")) == Self.scan)
    // A mistake in the predicate is told as ever.
    let error = #expect(throws: StoreError.self) {
      try store.readCount(ObjectQuery("Quake", where: "magnitude > 9.9 AND json(kind) = 1"), at: nil)
    }
    #expect(error?.code == .badRequest)
  }

  @Test func `The answers are those that a store without indexes gives`() throws {
    let other = try TemporaryStore()
    let plain = try other.open(Quakes.pipeline())
    try plain.take(Quakes.pipeline(), Self.records)
    for predicate in [
      "magnitude > 9.9", "magnitude > 9.5", "magnitude > 2", "cost < 0.1", "cost <= 9.25 AND kind > 'k4'",
      "kind = 'k7' AND depth > 1000", "magnitude > 9.9 OR cost < 0.05",
      "region.quakeCount > 3 AND depth < 40",
    ] {
      for (limit, offset) in [(nil, 0), (1, 0), (20, 3), (nil, 5)] as [(Int?, Int)] {
        for sort in [[], [ObjectQuery.SortKey("cost", ascending: false)], [.init("region"), .init("depth")]] {
          var request = ObjectQuery("Quake", where: .init(text: predicate), sort: sort, limit: limit)
          request.offset = offset
          func answer(_ store: SQLiteEngine) throws -> [[Value]] {
            var rows: [[Value]] = []
            try store.readRows(request, at: nil) { rows.append([.integer($0.id)] + $0.values.map(\.value)) }
            return rows
          }
          let ids = try store.reading { try FetchReading($0, path: "").ids(request, at: nil) }
          #expect(try ids.map { [.integer($0)] } == answer(plain).map { [$0[0]] })
          #expect(try answer(store) == answer(plain), "\(predicate) \(sort) \(limit ?? -1)")
        }
      }
    }
  }
}
