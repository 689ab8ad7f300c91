import Bolide
import ImportModel
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Fetches of now and of past states, and what happened between two of them.
/// One at a time: tests that wait would hold hundreds of stores open, and beside so many files no process can be started.
@Suite(.serialized) struct FetchTests {
  private let temporary: TemporaryStore
  private let store: SQLiteEngine
  private let tokens: [HistoryToken]

  /// Three rows; then one changes, one goes and one comes; then another program moves one.
  init() throws {
    temporary = try TemporaryStore()
    let store = try temporary.open(Quakes.pipeline())
    func take(_ records: [Record]) throws -> HistoryToken {
      try #require(try store.take(Quakes.pipeline(), records).token)
    }
    let first = try take([
      ["id": "a", "depth": 1, "@region": "r"], ["id": "b", "depth": 2], ["id": "c", "depth": 3],
    ])
    try store.execute("DELETE FROM Quake WHERE id = 'b'")
    let second = try #require(try store.assignPending())
    let third = try take([["id": "a", "depth": 9], ["id": "d", "depth": 4]])
    (self.store, tokens) = (store, [first, second, third])
  }

  private func ids(_ request: ObjectQuery, at token: HistoryToken? = nil) async throws -> [Value] {
    try await store.face.fetch(request, at: token).compactMap(\.key.first?.value)
  }

  @Test func `A fetch filters, sorts and limits, now and then`() async throws {
    #expect(try await ids(ObjectQuery("Quake")) == ["a", "c", "d"])
    let deepest = ObjectQuery("Quake", sort: [.init("depth", ascending: false)], limit: 2)
    #expect(try await ids(deepest) == ["a", "d"])
    #expect(try await ids(deepest, at: tokens[2]) == ["a", "d"])
    #expect(try await ids(deepest, at: tokens[1]) == ["c", "a"])
    #expect(try await ids(deepest, at: tokens[0]) == ["c", "b"])
    let shallow = ObjectQuery("Quake", where: "depth < ? OR id = ?", [3, "c"])
    #expect(try await ids(shallow, at: tokens[0]) == ["a", "b", "c"])
    #expect(try await ids(shallow) == ["c"])
    let old = try await store.face.fetch(ObjectQuery("Region"), at: tokens[0])
    #expect(old.map { $0.values.map(\.name) } == [["code", "quakeCount", "magnitudes", "depths", "costs"]])
    #expect(old.first?.values.map(\.value) == ["r", 1, 0.0, 1, 0])
    #expect(try await store.face.fetch(ObjectQuery("Region")).first?.values[3].value == 9)
    // Before the beginning there was nothing.
    let beginning = try store.reading { try HistoryPositions($0).token(0) }
    #expect(try await ids(ObjectQuery("Quake"), at: beginning) == [])
  }

  @Test(arguments: [
    "place < 5", "place = 10", "place BETWEEN 1 AND 11", "place NOT IN (10, 9)", "id > 1", "depth = '1'",
    "depth < 'x'", "magnitude = '2.5'", "magnitude < ''", "cost > 0", "cost < 'a'", "region = '1'",
    "region.code < 11", "typeof(magnitude) = 'real'",
  ])
  func `A predicate means in a past state what it meant then`(predicate: String) async throws {
    let temporary = try TemporaryStore()
    let store = try temporary.open(Quakes.pipeline())
    let records: [Record] = [
      ["id": "1", "place": "10", "magnitude": 2, "depth": 1, "cost": 1.5, "@region": "10"],
      ["id": "2", "place": "9", "magnitude": 2.5, "depth": 2, "cost": 2, "@region": "9"],
      ["id": "x", "place": "100", "magnitude": 3, "depth": 3, "@region": "x"], ["id": "y"],
    ]
    let token = try #require(try store.take(Quakes.pipeline(), records).token)
    let request = ObjectQuery("Quake", where: .init(text: predicate))
    let then = try await store.face.fetch(request)
    try store.execute("UPDATE Quake SET place = 'z', magnitude = -1, depth = -1, cost = -1, region_id = NULL")
    try store.execute("UPDATE Region SET code = code || '!'")
    _ = try store.assignPending()
    #expect(try await store.face.fetch(request, at: token) == then)
    #expect(!then.isEmpty)
  }

  @Test func `What other programs did and nobody assigned is not in a past state`() async throws {
    try temporary.shell(
      "UPDATE Quake SET depth = 7; INSERT INTO Quake(id) VALUES ('x'); DELETE FROM Quake WHERE id = 'd'")
    let rows = try await store.face.fetch(ObjectQuery("Quake"), at: tokens[2])
    #expect(rows.map { $0.key[0].value } == ["a", "c", "d"])
    #expect(rows.map { row in row.values.first { $0.name == "depth" }?.value } == [9, 3, 4])
    #expect(try await ids(ObjectQuery("Quake")) == ["a", "c", "x"])
  }

  @Test func `What cannot be fetched is said`() async throws {
    func answer(_ request: ObjectQuery, at token: HistoryToken? = nil) async throws -> StoreError? {
      await #expect(throws: StoreError.self) { _ = try await store.face.fetch(request, at: token) }
    }
    let path = temporary.path
    #expect(try await answer(ObjectQuery("Qake"))?.message == "\(path): the store has no entity 'Qake'")
    #expect(
      try await answer(ObjectQuery("Quake", sort: [.init("deep")]))?.message
        == "\(path): Quake has no attribute or relationship 'deep'")
    #expect(
      try await answer(ObjectQuery("Quake", where: "deep > 1"))?.message
        == "\(path): Quake has no attribute or relationship 'deep'")
    #expect(
      try await answer(ObjectQuery("Quake", where: "depth > ?"))?.message
        == "\(path): the predicate has 1 parameter, and 0 values were given")
    #expect(try await answer(ObjectQuery("Quake", where: "1); DELETE FROM Quake; --"))?.code == .badRequest)
    #expect(try await answer(ObjectQuery("Quake", limit: -1))?.code == .badRequest)
    let inside = try #require(HistoryToken("\(tokens[0])-0.1"))
    let between = try await answer(ObjectQuery("Quake"), at: inside)
    #expect(between?.code == .badRequest)
    #expect(
      between?.message
        == "\(path): the token \(inside) is inside a transaction; a state is between transactions")
    _ = try await store.face.prune(.before(.token(tokens[1])))
    #expect(try await answer(ObjectQuery("Quake"), at: tokens[0])?.code == .tokenExpired)
    // The newest one that was pruned is a place still.
    #expect(try await ids(ObjectQuery("Quake"), at: tokens[1]) == ["a", "c"])
  }

  @Test func `Changes between two places are net, and go forward`() async throws {
    let changes = try await store.face.changes(from: tokens[0], to: tokens[2]).filter { $0.entity == "Quake" }
    #expect(changes.map(\.kind) == [.update, .delete, .insert])
    #expect(try await store.face.changes(from: tokens[1], to: tokens[1]) == [])
    let error = await #expect(throws: StoreError.self) {
      _ = try await store.face.changes(from: tokens[2], to: tokens[0])
    }
    #expect(
      error?.message == "\(temporary.path): the request ends at \(tokens[0]), before its start"
        && error?.code == .badRequest)
  }

  @Test func `A difference tells who came, went, moved and changed`() async throws {
    let request = ObjectQuery("Quake", sort: [.init("depth")])
    let difference = try await store.face.difference(of: request, from: tokens[0], to: tokens[2])
    // Depths 1 2 3 became 3 4 9: of the two that stayed one moves.
    #expect(difference.objects.removals.count == 2 && difference.objects.insertions.count == 2)
    let moves = difference.objects.insertions.compactMap { change -> Int64? in
      guard case .insert(_, let object, .some) = change else { return nil }
      return object.id
    }
    #expect(moves.count == 1)
    #expect(
      difference.updates == [
        FetchDifference.Update(object: ObjectID(entity: "Quake", id: 1), offset: 2, changed: ["depth"])
      ])
    // An update in place is no move, and told all the same.
    let byID = ObjectQuery("Quake", sort: [.init("id")])
    let still = try await store.face.difference(of: byID, from: tokens[1], to: tokens[2])
    #expect(still.updates.map(\.object.id) == [1] && still.objects.count == 1)
  }

  @Test func `The longest rise is one, and as few objects move as can be`() {
    var dice = Dice(7)
    for _ in 0..<300 {
      let numbers = Array(0..<dice.int(0...8)).shuffled(using: &dice)
      let rise = FetchDifference.longestRise(numbers)
      #expect(rise == rise.sorted())
      // Every subset, as there are few.
      let longest = (0..<(1 << numbers.count)).map { bits -> Int in
        let part = numbers.indices.filter { bits >> $0 & 1 == 1 }.map { numbers[$0] }
        return part == part.sorted() ? part.count : 0
      }.max()
      #expect(rise.count == longest)
      #expect(numbers.filter(Set(rise).contains) == rise)
    }
  }
}
