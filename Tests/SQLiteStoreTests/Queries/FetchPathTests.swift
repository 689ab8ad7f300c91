import Bolide
import ImportModel
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// What a fetch reads of its objects, and of those they lead to.
/// One at a time: tests that wait would hold hundreds of stores open, and beside so many files no process can be started.
@Suite(.serialized) struct FetchPathTests {
  private let temporary: TemporaryStore
  private let store: SQLiteEngine

  init() throws {
    temporary = try TemporaryStore()
    store = try Geography.store(temporary)
  }

  private func request(_ change: (inout ObjectQuery) -> Void) -> ObjectQuery {
    var request = ObjectQuery("Quake")
    change(&request)
    return request
  }

  private func line(_ row: Snapshot.Row?) -> String {
    guard let row else { return "none" }
    let values = row.values.map { "\($0.name)=\(text($0.value))" }
    return (["\(row.entity) \(row.id)"] + values + row.related.map { "\($0.name): (\(line($0.row)))" })
      .joined(separator: " ")
  }

  private func text(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let value): value
    case .blob(let value): "\(value)"
    }
  }

  private func lines(_ request: ObjectQuery, at token: HistoryToken? = nil) async throws -> [String] {
    try await store.face.fetch(request, at: token).map(line)
  }

  @Test func `only what is asked for, in its order, with the key`() async throws {
    let some = request {
      $0.properties = ["depth", "ID", "group"]
      $0.limit = 2
    }
    #expect(try await lines(some) == ["Quake 1 depth=10 id=one group=1", "Quake 2 depth=20 id=two group=2"])
    let key = try await store.face.fetch(request { $0.properties = ["depth"] }).map(\.key)
    #expect(key.map { $0.map(\.value) } == [["one"], ["two"], ["three"], ["four"]])
    // The object id is the row's own.
    #expect(try await lines(request { $0.properties = ["bolide_id", "end"] })[0] == "Quake 1 end=1")
  }

  @Test func `objects are brought along over one hop and more, and where there is none`() async throws {
    let some = request {
      $0.properties = ["id"]
      $0.related = ["group.country", "previous"]
    }
    let rows = try await lines(some)
    #expect(
      rows[0]
        == "Quake 1 id=one group=1 previous=null group: (Group 1 code=a size=10 quakeCount=1 country=1 "
        + "country: (Country 1 name=Chile from=1818)) previous: (none)")
    #expect(
      rows[2].hasPrefix(
        "Quake 3 id=three group=3 previous=2 group: (Group 3 code=c size=null quakeCount=1 country=null country: (none)) previous: (Quake 2 id=two "
      ))
    #expect(rows[3].hasPrefix("Quake 4 id=four group=null previous=2 group: (none) previous: (Quake 2 "))
    let whole = try await store.face.fetch(request { $0.related = ["group"] })
    #expect(
      whole[0].values.map(\.name) == [
        "id", "magnitude", "depth", "order", "end", "cost", "felt", "raw", "group", "previous",
      ])
    #expect(whole[0].related.map(\.row?.key.first?.value) == ["a"])
  }

  @Test func `paths as properties bring along a part`() async throws {
    let some = request {
      $0.properties = ["group.country.name", "id", "group.code"]
      $0.where("group.size > 15")
    }
    #expect(
      try await lines(some) == [
        "Quake 2 group=2 id=two group: (Group 2 country=2 code=b country: (Country 2 name=Japan))"
      ])
  }

  @Test func `paths are sorted by, null first and last`() async throws {
    func ids(_ keys: ObjectQuery.SortKey...) async throws -> [Int64] {
      try await store.face.fetch(request { $0.sort = keys }).map(\.id)
    }
    #expect(try await ids(.init("group.size")) == [3, 4, 1, 2])
    #expect(try await ids(.init("group.size", ascending: false)) == [2, 1, 3, 4])
    #expect(
      try await ids(.init("group.country.name", ascending: false), .init("depth", ascending: false)) == [
        2, 1, 3, 4,
      ])
    #expect(try await ids(.init("group", ascending: false)) == [3, 2, 1, 4])
    #expect(try await ids(.init("bolide_id", ascending: false)) == [4, 3, 2, 1])
    #expect(try await ids(.init("previous.depth"), .init("magnitude")) == [1, 2, 3, 4])
  }

  @Test func `offset, limit and count`() async throws {
    func answer(_ limit: Int?, _ offset: Int) async throws -> ([Int64], Int) {
      let request = request {
        ($0.limit, $0.offset, $0.sort) = (limit, offset, [.init("end", ascending: false)])
      }
      return (try await store.face.fetch(request).map(\.id), try await store.face.count(request))
    }
    #expect(try await answer(nil, 0) == ([3, 2, 1, 4], 4))
    #expect(try await answer(2, 1) == ([2, 1], 2))
    #expect(try await answer(nil, 3) == ([4], 1))
    #expect(try await answer(5, 9) == ([], 0))
    #expect(try await answer(0, 0) == ([], 0))
    #expect(try await store.face.count(ObjectQuery("Quake", where: "group.country.name IS NOT NULL")) == 2)
  }

  @Test func `objects of the past are those that were linked then`() async throws {
    let token = try #require(try store.assignPending())
    try temporary.shell(
      """
      UPDATE "Group" SET size = 11, country_id = 2 WHERE code = 'a'; UPDATE Country SET name = 'Nippon' WHERE bolide_id = 2;
      DELETE FROM Country WHERE bolide_id = 1; UPDATE Quake SET group_id = 2 WHERE bolide_id = 3;
      INSERT INTO "Group"(bolide_id, code) VALUES (9, 'i'); UPDATE Quake SET group_id = 9 WHERE id = 'four';
      """)
    let some = request {
      $0.properties = ["group.size", "group.country.name"]
      $0.where("group.country.name IN ('Chile', 'Japan') OR group IS NULL")
      $0.sort = [.init("group.country.name", ascending: false)]
    }
    let then = [
      "Quake 2 group=2 group: (Group 2 size=20 country=2 country: (Country 2 name=Japan))",
      "Quake 1 group=1 group: (Group 1 size=10 country=1 country: (Country 1 name=Chile))",
      "Quake 4 group=null group: (none)",
    ]
    #expect(try await lines(some, at: token) == then)
    #expect(try await store.face.count(some, at: token) == 3)
    #expect(try await lines(some) == [])
    var batches = some
    batches.batchSize = 1
    #expect(try await lines(batches, at: token) == then)
    // Two fetches of the past after one another, on the same connection.
    #expect(try await lines(some, at: token) == then)
  }

  @Test func `a view that is pinned counts what it sees`() async throws {
    let pinned = try await store.face.pin()
    try temporary.shell("DELETE FROM Quake WHERE id = 'one'")
    #expect(try await pinned.count(ObjectQuery("Quake")) == 4)
    #expect(try await store.face.count(ObjectQuery("Quake")) == 3)
  }

  @Test func `derived values that other programs left to be computed are computed first`() async throws {
    try temporary.shell("UPDATE Quake SET group_id = 1")
    let counts = try await store.face.fetch(ObjectQuery("Group", sort: [.init("code")])).map {
      $0.values[2].value
    }
    #expect(counts == [4, 0, 0])
    // And assigned, as by every reader.
    #expect(try store.reading { try SQLiteEngine.hasPendingChanges($0) } == false)
  }

  @Test func `what cannot be fetched is said`() async throws {
    func sentence(_ change: (inout ObjectQuery) -> Void) async throws -> String {
      let request = request(change)
      let error = await #expect(throws: StoreError.self) { try await store.face.fetch(request) }
      #expect(error?.code == .badRequest)
      return error?.message.replacing("\(temporary.path): ", with: "") ?? ""
    }
    #expect(try await sentence { $0.entity = "Qake" } == "the store has no entity 'Qake'")
    #expect(try await sentence { $0.limit = -1 } == "the limit must be at least 0")
    #expect(try await sentence { $0.offset = -1 } == "the offset must be at least 0")
    #expect(try await sentence { $0.batchSize = 0 } == "the batch size must be at least 1")
    #expect(
      try await sentence { $0.properties = ["depht"] }
        == "Quake has no attribute or relationship 'depht'; did you mean 'depth'?")
    #expect(
      try await sentence { $0.related = ["depth"] }
        == "'depth' of Quake is an attribute, not a relationship")
    #expect(try await sentence { $0.related = [""] } == "Quake has no relationship or fetched property ''")
    #expect(
      try await sentence { $0.sort = [.init("group.")] } == "Group has no attribute or relationship ''")
    #expect(
      try await sentence { $0.related = ["group.quakes"] }
        == "'quakes' of Group is to-many; a fetch follows to-one relationships only")
    #expect(
      try await sentence { $0.sort = [.init("lat")] }
        == "'lat' of Quake is transient, and not stored")
  }
}

extension ObjectQuery {
  fileprivate mutating func `where`(_ predicate: String) { self.predicate = .init(text: predicate) }
}
