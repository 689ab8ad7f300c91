import Bolide
import StoreInterface
import Testing

/// What is fetched is what is there, of every state, whichever engine is asked.
struct FetchLaws {
  private func rows(_ store: LawStore, _ request: ObjectQuery, at token: HistoryToken? = nil) throws
    -> [Snapshot.Row]
  {
    var rows: [Snapshot.Row] = []
    try store.engine.readRows(request, at: token) { rows.append($0) }
    return rows
  }

  /// A request, and what it wants in Swift.
  private var requests: [(ObjectQuery, holds: (Snapshot.Row) -> Bool)] {
    func number(_ row: Snapshot.Row, _ name: String) -> Double? {
      switch row.values.byName[name] {
      case .real(let number)?: number
      case .integer(let number)?: Double(number)
      default: nil
      }
    }
    return [
      (
        ObjectQuery("Quake", where: "magnitude > 3 AND NOT kind = 'blast'", sort: [.init("magnitude")]),
        { row in
          number(row, "magnitude").map { $0 > 3 } == true && row.values.byName["kind"] == "quake"
        }
      ),
      (
        ObjectQuery(
          "Quake", where: "magnitude IS NULL OR depth < 20.5", sort: [.init("depth", ascending: false)]),
        { row in
          number(row, "magnitude") == nil || number(row, "depth").map { $0 < 2050 } == true
        }
      ),
      (
        ObjectQuery(
          "Region", where: "any(quakes, magnitude > 5) OR count(quakes) = 1", sort: [.init("count")]),
        { row in
          number(row, "strong").map { $0 > 0 } == true || row.values.byName["count"] == 1
        }
      ),
    ]
  }

  private func isBefore(_ left: Value, _ right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): false
    case (.null, _): true
    case (.integer(let left), .integer(let right)): left < right
    case (.real(let left), .real(let right)): left < right
    default: false
    }
  }

  @Test(arguments: Engine.keeping, 0..<1)
  func `a filtered and sorted answer is the whole one, filtered and sorted, of every state`(
    _ engine: Engine, _ seed: Int
  ) throws {
    let (store, tokens) = try LawStore.history(engine, seed)
    for token in tokens.map(Optional.some) + [nil] {
      for (request, holds) in requests {
        let key = try #require(request.sort.first)
        let all = try rows(store, ObjectQuery(request.entity), at: token).filter(holds)
        let expected = all.enumerated().sorted { left, right in
          let (one, other) = (
            left.element.values.byName[key.name] ?? .null, right.element.values.byName[key.name] ?? .null
          )
          if isBefore(one, other) { return key.isAscending }
          if isBefore(other, one) { return !key.isAscending }
          return left.element.id < right.element.id
        }.map(\.element)
        #expect(try rows(store, request, at: token) == expected)
        #expect(try store.engine.readCount(request, at: token) == expected.count)
        var part = request
        (part.offset, part.limit) = (1, 3)
        #expect(try rows(store, part, at: token) == Array(expected.dropFirst().prefix(3)))
        part = request
        part.batchSize = 2
        #expect(try rows(store, part, at: token) == expected)
        let pages = try store.engine.openRows(request, at: token)
        var paged: [Snapshot.Row] = []
        while case let page = try pages.next(), !page.isEmpty { paged += page }
        #expect(paged == expected)
      }
    }
  }

  @Test(arguments: Engine.keeping, 0..<1)
  func `what a property finds for all objects is what is asked for each, of every state`(
    _ engine: Engine, _ seed: Int
  ) throws {
    let properties = """
      fetched:
        weaker:
          entity: Quake
          where: kind = $FETCH_SOURCE.kind AND (magnitude < $FETCH_SOURCE.magnitude OR magnitude IS NULL)
          sort: [-magnitude, code]
          limit: 2
        equals: { entity: Region, where: count = $FETCH_SOURCE.in.count AND $FETCHED_PROPERTY.yes, info: { yes: 1 } }

      """
    let (lines, entities) = (LawStore.quakes.split(separator: "entities:\n", maxSplits: 1), "entities:\n")
    let store = try LawStore(engine, lines[0] + properties + entities + lines[1])
    var (chance, tokens) = (Chance(60 + seed), [HistoryToken]())
    for _ in 0..<4 {
      try store.take(chance.feed(), chunkRows: 1 + chance.below(8))
      tokens.append(try store.engine.newestToken())
    }
    for token in tokens.map(Optional.some) + [nil] {
      var request = ObjectQuery("Quake", sort: [.init("kind", ascending: false)])
      request.related = ["weaker", "equals", "in"]
      let owners = try rows(store, request, at: token)
      var alone: [Int64] = []
      for owner in owners {
        let values = owner.values.byName
        var weaker = ObjectQuery(
          "Quake", where: "kind = ? AND (magnitude < ? OR magnitude IS NULL)",
          [values["kind"] ?? .null, values["magnitude"] ?? .null],
          sort: [.init("magnitude", ascending: false), .init("code")])
        weaker.limit = 2
        let found = try rows(store, weaker, at: token)
        #expect(owner.fetched.first?.rows == found)
        if found.isEmpty { alone.append(owner.id) }
        let count = owner.related.first?.row?.values.byName["count"] ?? .null
        #expect(
          try owner.fetched.last?.rows
            == rows(store, ObjectQuery("Region", where: "count = ?", [count]), at: token))
      }
      (request.related, request.dangling) = ([], "weaker")
      #expect(try rows(store, request, at: token).map(\.id) == alone)
      #expect(try store.engine.readCount(request, at: token) == alone.count)
      #expect(token != nil || owners.count > alone.count && !alone.isEmpty)
    }
  }

  @Test(arguments: Engine.keeping)
  func `a pinned state and an open snapshot stay as they are`(_ engine: Engine) throws {
    let (store, tokens) = try LawStore.history(engine, 5)
    let request = ObjectQuery("Quake", where: "grade = 1")
    let before = try rows(store, request)
    let pin = try store.engine.pinState(at: nil)
    let older = try store.engine.pinState(at: tokens[2])
    let past = try rows(store, request, at: tokens[2])
    let (snapshot, pages) = try store.engine.openSnapshot(of: [])
    let whole = try store.state()
    try store.take((0..<20).map { #"{"id": \#($0), "magnitude": 9, "place": "Q\#($0)"}"# })
    #expect(try rows(store, request) != before)
    #expect(try pin.rows(request) == before && pin.count(request) == before.count)
    #expect(try older.rows(request) == past && older.token == tokens[2])
    #expect(snapshot.token == tokens.last && pin.token == tokens.last)
    var state: [ObjectID: [String: Value]] = [:]
    while case let page = try pages.next(), !page.isEmpty {
      for row in page { state[ObjectID(entity: row.entity, id: row.id)] = row.values.byName }
    }
    #expect(state == whole && snapshot.counts.map(\.rows).reduce(0, +) == whole.count)
    let (_, others) = try store.engine.openSnapshot(of: ["Quake"])
    try store.engine.close()
    let error = #expect(throws: StoreError.self) { _ = try others.next() }
    #expect(error?.code == .closed)
  }

  @Test(arguments: Engine.keeping, 0..<1)
  func `a log leads from nothing to what an object is`(_ engine: Engine, _ seed: Int) throws {
    let (store, _) = try LawStore.history(engine, 20 + seed)
    let state = try store.state()
    var objects = Set(state.keys)
    for change in try store.engine.history(HistoryRequest()).flatMap(\.changes) {
      objects.insert(ObjectID(entity: change.entity, id: change.id))
    }
    for object in objects {
      var values: [String: Value]?
      for change in try store.engine.log(of: object.entity, .id(object.id)) {
        #expect((change.kind == .insert) == (values == nil))
        for difference in change.differences {
          #expect(values?[difference.name] ?? .null == difference.old, "\(object) \(difference)")
        }
        values = change.kind == .delete ? nil : values ?? [:]
        for difference in change.differences { values?[difference.name] = difference.new }
      }
      #expect(
        values?.filter { $0.value != .null } == state[object]?.filter { $0.value != .null }, "\(object)")
    }
    let quake = try #require(try rows(store, ObjectQuery("Quake", limit: 1)).first)
    let byKey = try store.engine.log(of: "Quake", .key([quake.key.text]))
    #expect(try byKey == store.engine.log(of: "Quake", .id(quake.id)) && !byKey.isEmpty)
    for words in [["nothing"], ["id=1", "x=2"]] {
      let error = #expect(throws: StoreError.self) { _ = try store.engine.log(of: "Quake", .key(words)) }
      #expect(error?.code == .badRequest)
    }
    let never = #expect(throws: StoreError.self) { _ = try store.engine.log(of: "Quake", .key(["987654"])) }
    #expect(
      never?.reason == "there is no Quake with this key, and history knows of none", "\(never?.reason ?? "")")
  }

  @Test(arguments: Engine.keeping, 0..<1)
  func `a difference leads from the older answer to the newer one`(_ engine: Engine, _ seed: Int) throws {
    let (store, tokens) = try LawStore.history(engine, 40 + seed)
    for (older, newer) in zip(tokens, tokens.dropFirst()) + [(tokens[0], tokens[tokens.count - 1])] {
      for (request, _) in requests {
        var request = request
        request.limit = 6
        let (before, after) = (try rows(store, request, at: older), try rows(store, request, at: newer))
        let difference = try store.engine.difference(of: request, from: older, to: newer)
        let objects = before.map { ObjectID(entity: $0.entity, id: $0.id) }
        #expect(objects.applying(difference.objects)?.map(\.id) == after.map(\.id))
        for update in difference.updates {
          let old = before.first { $0.id == update.object.id }?.values.byName ?? [:]
          let new = after[update.offset].values.byName
          #expect(after[update.offset].id == update.object.id)
          #expect(Set(update.changed) == Set(new.keys.filter { new[$0] != old[$0] }))
        }
      }
    }
  }
}
