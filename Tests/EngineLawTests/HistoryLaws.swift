import Bolide
import StoreInterface
import Testing

/// History leads from every state to every other, whichever engine keeps it.
struct HistoryLaws {
  @Test(arguments: Engine.allCases, 0..<3)
  func `undone from the newest state, history gives each state before it`(
    _ engine: Engine, _ seed: Int
  ) throws {
    let (store, _) = try LawStore.history(engine, seed)
    var state = try store.state()
    for transaction in try store.engine.history(HistoryRequest()).reversed() {
      #expect(state == (try store.state(at: transaction.token)))
      #expect(transaction.changeCount == transaction.changes.count && transaction.author == "law")
      for change in transaction.changes.reversed() {
        let object = ObjectID(entity: change.entity, id: change.id)
        switch change.kind {
        case .insert: state[object] = nil
        case .update: state[object]?.merge(change.previous.byName) { $1 }
        case .delete: state[object] = store.object(change)
        }
      }
    }
    #expect(state.isEmpty)
  }

  @Test(arguments: Engine.allCases, 0..<3)
  func `net changes lead from any state to any later one`(_ engine: Engine, _ seed: Int) throws {
    let (store, tokens) = try LawStore.history(engine, seed)
    for (older, newer) in zip(tokens, tokens.dropFirst()) + [(tokens[0], tokens[tokens.count - 1])] {
      var request = HistoryRequest(after: older)
      (request.isNet, request.end) = (true, .token(newer))
      var (state, objects) = (try store.state(at: newer), Set<ObjectID>())
      for change in try store.engine.history(request).flatMap(\.changes) {
        let object = ObjectID(entity: change.entity, id: change.id)
        #expect(objects.insert(object).inserted, "two net changes of \(object)")
        switch change.kind {
        case .insert: state[object] = nil
        case .update:
          for (name, value) in change.previous.byName { #expect(state[object]?[name] != value) }
          state[object]?.merge(change.previous.byName) { $1 }
        case .delete: state[object] = store.object(change)
        }
      }
      #expect(state == (try store.state(at: older)))
    }
  }

  @Test(arguments: Engine.allCases)
  func `a filtered answer is the whole one, filtered, and ends at the same token`(_ engine: Engine) throws {
    let (store, tokens) = try LawStore.history(engine, 4)
    let all = try store.engine.history(HistoryRequest()).flatMap(\.changes)
    var request = HistoryRequest()
    (request.entities, request.kinds) = (["Quake"], [.update])
    let some = try store.engine.history(request)
    #expect(some.flatMap(\.changes) == all.filter { $0.entity == "Quake" && $0.kind == .update })
    #expect(some.last?.token == tokens.last)
    #expect(try store.engine.countChanges(request) == some.flatMap(\.changes).count)
    request.authors = ["nobody"]
    let none = try store.engine.history(request)
    #expect(none.count == 1 && none[0].changes.isEmpty && none[0].token == tokens.last)
  }

  @Test(arguments: Engine.allCases)
  func `a token is of one store's history, and of nothing later`(_ engine: Engine) throws {
    let store = try LawStore(engine)
    try store.take([#"{"id": 1}"#])
    let other = try LawStore(engine)
    try other.take([#"{"id": 1}"#])
    let token = try other.engine.newestToken()
    #expect(try code(store, HistoryRequest(after: token)) == .tokenOfAnotherStore)
    let own = try store.engine.newestToken()
    let later = HistoryToken(store: own.store, number: 7, nonce: own.nonce)
    #expect(try code(store, HistoryRequest(after: later)) == .tokenFromTheFuture)
    let lost = HistoryToken(store: own.store, number: own.number, nonce: "zzzzzz")
    #expect(try code(store, HistoryRequest(after: lost)) == .tokenDiverged)
    #expect(try store.engine.history(HistoryRequest(after: own)).isEmpty)
    var request = HistoryRequest()
    request.entities = ["Nobody"]
    #expect(try code(store, request) == .badRequest)
  }

  private func code(_ store: LawStore, _ request: HistoryRequest) throws -> StoreError.Code? {
    do {
      _ = try store.engine.history(request)
      return nil
    } catch let error as StoreError {
      return error.code
    }
  }

  /// One of its rows comes back and one goes: for those who read history, nothing has happened to it.
  @Test(arguments: Engine.keeping) func `an owner that a revert leaves as it was is not changed`(
    _ engine: Engine
  ) throws {
    let store = try LawStore(engine)
    try store.take([#"{"id": 1, "magnitude": 6, "place": "A"}"#])
    let token = try store.engine.newestToken()
    _ = try store.engine.deleteObjects(
      ObjectQuery("Quake", where: .init(text: "id = 1", values: [])), EditOptions())
    try store.take([#"{"id": 2, "magnitude": 6, "place": "A"}"#])
    let before = try store.engine.newestToken()
    let report = try store.engine.revert(.token(token), force: false, EditOptions())
    #expect(
      report.edit.counts.map { "\($0.entity) +\($0.inserted) ~\($0.updated) -\($0.deleted)" } == [
        "Quake +1 ~0 -1"
      ])
    let changes = try store.engine.history(HistoryRequest(after: before)).flatMap(\.changes)
    #expect(changes.filter { $0.entity == "Region" }.isEmpty)
  }

  /// Its present row is the object's that has come back; a deletion has none.
  @Test(arguments: Engine.keeping) func `a deletion has no values`(_ engine: Engine) throws {
    let store = try LawStore(engine)
    try store.take([#"{"id": 1}"#])
    let token = try store.engine.newestToken()
    _ = try store.engine.deleteObjects(
      ObjectQuery("Quake", where: .init(text: "id = 1", values: [])), EditOptions())
    _ = try store.engine.revert(.token(token), force: false, EditOptions())
    var request = HistoryRequest(after: token)
    request.includesValues = true
    let changes = try store.engine.history(request).flatMap(\.changes)
    #expect(changes.map(\.kind) == [.delete, .insert])
    #expect(changes.map { $0.values == nil } == [true, false])
  }

  @Test(arguments: Engine.allCases)
  func `a follower is given each transaction as it is committed`(_ engine: Engine) async throws {
    let store = try LawStore(engine)
    try store.take([#"{"id": 1}"#])
    let face = Store(store.engine)
    let reading = Task { () -> [Int64] in
      var numbers: [Int64] = []
      for try await transaction in face.transactions() {
        numbers.append(transaction.number)
        if numbers.count == 3 { break }
      }
      return numbers
    }
    try store.take([#"{"id": 2}"#])
    try store.take([#"{"id": 1, "magnitude": 2}"#])
    try #require(store.engine.newestToken().number == 3)
    #expect(try await reading.value == [1, 2, 3])
  }

  @Test(arguments: Engine.keeping, [false, true])
  func `of the objects of an entity that lacks a named attribute nothing is told`(
    _ engine: Engine, isNet: Bool
  ) throws {
    let store = try LawStore(engine)
    try store.take([#"{"id": 1, "magnitude": 2, "place": "A"}"#])
    func told(_ attributes: Set<String>) throws -> Set<String> {
      var request = HistoryRequest()
      (request.attributes, request.isNet) = (attributes, isNet)
      return Set(try store.engine.history(request).flatMap(\.changes).map { "\($0.kind) \($0.entity)" })
    }
    #expect(try told(["Region.name"]) == ["insert Region"])
    #expect(try told(["magnitude"]) == ["insert Quake"])
    #expect(try told(["magnitude", "name"]) == ["insert Quake", "insert Region"])
    // The one entity has lost it, the other one has it now.
    let moved = LawStore.quakes.replacing("  code:      string\n", with: "")
      .replacing("      name:    string\n", with: "      name:    string\n      code:    string\n")
    let pipeline = try Pipeline(yaml: moved, file: "law.yaml", directory: ".")
    _ = try store.engine.migrate(pipeline, dropping: ["Quake.code"], lockWait: 10) { _ in }
    #expect(try told(["code"]) == ["insert Quake", "insert Region"])
    #expect(try told(["Region.code"]) == ["insert Region"])
  }

  /// New owners that an import's updates and its new rows count one after the other.
  @Test(arguments: Engine.keeping, [1000, 2]) func `an object has one change in a transaction`(
    _ engine: Engine, chunkRows: Int
  ) throws {
    let linked = LawStore.quakes.replacing(
      "in: { to: { name: place } }", with: "in: { to: { name: place }, when: always }")
    let store = try LawStore(engine, linked)
    try store.take((1...3).map { #"{"id": \#($0)}"# })
    let token = try store.engine.newestToken()
    try store.take(
      (1...6).map { #"{"id": \#($0), "magnitude": \#($0), "place": "\#($0)"}"# }, chunkRows: chunkRows)
    let changes = try store.engine.history(HistoryRequest(after: token)).flatMap(\.changes)
    let regions = changes.filter { $0.entity == "Region" }.map { "\($0.kind) \($0.id)" }
    #expect(regions.sorted() == (1...6).map { "insert \($0)" })
  }
}
