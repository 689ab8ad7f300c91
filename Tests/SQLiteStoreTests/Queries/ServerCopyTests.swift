import Bolide
import Foundation
import ImportModel
import SQLiteMaintenance
import TestServer
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Objects that are copied from a server, into one, and from one to another: as from file to file.
@Suite(.serialized) struct ServerCopyTests {
  let server: TestServer

  init() throws { server = try TestServer.shared.get() }

  /// A file's objects on the server, with their ids.
  func moved(_ file: any StoreEngine) throws -> any StoreEngine {
    let address = StoreAddress(server.freshAddress())
    _ = try address.copyAll(of: file, author: "move", isTrial: false)
    return try address.open()
  }

  /// A store's objects in a file of their own.
  private func duplicate(_ file: SQLiteEngine, in temporary: TemporaryStore) throws -> any StoreEngine {
    let path = temporary.folder.appendingPathComponent("copy.sqlite").path
    try file.copy(to: path)
    return try StoreAddress(path).open()
  }

  /// What a store has, and what is new in it behind a token.
  private func state(_ store: Store, after token: HistoryToken?) async throws -> [String] {
    var lines: [String] = []
    for entity in try store.engine.model().entities {
      for row in try await store.fetch(ObjectQuery(entity.name)).sorted(by: { $0.id < $1.id }) {
        let values = row.values.filter { $0.name != "touched" }.map { "\($0.name) \($0.value)" }
        lines.append("\(entity.name) \(row.id) \(values)")
      }
    }
    guard let token else { return lines }
    var request = HistoryRequest(after: token)
    let transactions = try await store.history(request)
    lines += transactions.map { "\($0.author ?? "nobody") \($0.pipeline ?? "by hand")" }
    request.isNet = true
    for change in try await store.history(request).flatMap(\.changes) {
      let previous = change.previous.map { "\($0.name)=\($0.value)" }.sorted()
      lines.append("\(change.kind) \(change.entity) \(change.id) \(change.key.map(\.value)) \(previous)")
    }
    return lines
  }

  @Test(arguments: 0..<4 * LongRun.seeds)
  func `from and into a server objects come as they come from file to file`(seed: Int) async throws {
    var dice = Dice(seed)
    let (here, there) = (try TemporaryStore(), try TemporaryStore())
    let file = try here.open(Graph.pipeline)
    try Graph.fill(here, &dice)
    try file.assignPendingChanges()
    let sources: [any StoreEngine] = [file, try moved(file)]
    let request = ObjectQuery("Node", where: .init(text: "size = \(dice.int(0...3))"))
    var targets: [any StoreEngine]
    if seed % 4 == 0 {
      // New stores.
      let paths =
        ["a", "b"].map { there.folder.appendingPathComponent($0).path }
        + [server.freshAddress(), server.freshAddress()]
      targets = try zip(paths, sources + sources).map { path, source in
        try StoreAddress.openOrCreate(
          path, forCopiesOf: source, request, isTrial: false, trustsSchema: false)
      }
    } else {
      let target = try there.open(Graph.pipeline)
      try Graph.fill(there, &dice)
      try target.assignPendingChanges()
      targets = [
        target, try duplicate(target, in: there), try moved(target), try moved(target),
      ]
    }
    var outcomes: [(report: [CopyReport.Count], state: [String])] = []
    for (source, target) in zip(sources + sources, targets.map { Store($0) }) {
      let before = try await target.newestToken()
      let report = try target.engine.copyObjects(request, from: source, EditOptions(author: "anna"))
      let state = try await state(target, after: before)
      #expect((report.token == nil) == report.counts.allSatisfy { $0.inserted + $0.updated == 0 })
      #expect(try await target.verify().isEmpty)
      outcomes.append((report.counts, state))
      // A second time there is nothing to do.
      let again = try target.engine.copyObjects(request, from: source, EditOptions())
      #expect(again.token == nil && again.counts.allSatisfy { $0.inserted == 0 && $0.updated == 0 })
      #expect(again.counts.map(\.unchanged) == report.counts.map { $0.inserted + $0.updated + $0.unchanged })
    }
    #expect(seed != 1 || outcomes[0].report.count > 2)
    for outcome in outcomes.dropFirst() {
      #expect(outcome.report == outcomes[0].report, "seed \(seed)")
      #expect(outcome.state == outcomes[0].state, "seed \(seed)")
    }
  }

  // MARK: Values

  static let people = """
    bolide: 1
    name: people
    store: people.sqlite
    entity: Person
    key: [name, born]
    attributes:
      name:   string
      born:   day
      small:  integer16
      middle: integer32
      large:  integer64
      pay:    { type: decimal, scale: 4 }
      real:   double
      half:   float
      flag:   boolean
      at:     { type: date, precision: ms }
      on:     date
      uid:    uuid
      data:   binary
      note:   json
      badge:  string
      plain:  { derived: canonical:(name) }
      street: { derived: home.street }
      touched: { type: date, derived: now() }
    unique: [[badge]]
    relationships:
      home: { to-one: House, inverse: people }
    entities:
      House:
        key: street
        attributes:
          street: string
          count:  { derived: people.@count }
          pay:    { derived: people.pay.@sum }
          total:  { derived: people.real.@sum }
        relationships: { people: { to-many: Person, inverse: home } }

    """

  /// Two stores of people in files, and a new one on the server.
  func peopleStores(
    _ change: (String) -> String = { $0 }
  ) async throws -> (file: Store, other: Store, server: Store) {
    let pipeline = try Pipeline(yaml: Self.people, file: "people.yaml", directory: ".")
    let changed = try Pipeline(yaml: change(Self.people), file: "people.yaml", directory: ".")
    let stores = [
      try StoreAddress.inMemory(for: pipeline), try StoreAddress.inMemory(for: changed),
      try StoreAddress(server.freshAddress()).open(for: changed, lockWait: 10),
    ].map { Store($0) }
    return (stores[0], stores[1], stores[2])
  }

  func fill(_ store: Store) async throws {
    try await store.insert("House", ["street": "Elm 'ä' \"1\""])
    try await store.insert(
      "Person",
      [
        "name": "Ánna", "born": "0001-01-01", "small": -32768, "middle": 2_147_483_647, "large": Int.min,
        "pay": Decimal(string: "-12.3456"), "real": 1.7976931348623157e308, "half": 0.1, "flag": true,
        "at": Date(timeIntervalSince1970: -1.5), "on": "9999-12-31T23:59:59Z",
        "uid": "00000000-0000-4000-8000-0000000000A1", "data": Value.blob([0, 255]),
        "note": #"{"b": [1, 2.50], "a": "\u0000"}"#, "badge": "",
      ], links: ["home": ["street": "Elm 'ä' \"1\""]])
    for number in 1...5 {
      try await store.insert(
        "Person",
        [
          "name": "p\(number)", "born": "2000-01-0\(number)", "badge": "\(number)", "real": 0.1,
          "pay": 10.1,
        ], links: ["home": ["street": "Elm 'ä' \"1\""]])
    }
  }

  @Test func `values of each type go to a server, to another and back, and are the same`() async throws {
    let (file, other, first) = try await peopleStores()
    let (_, _, second) = try await peopleStores()
    try await fill(file)
    let all = ObjectQuery("Person")
    func people(_ store: Store) async throws -> [String] { try await state(store, after: nil) }
    for (from, to) in [(file, first), (first, second), (second, other)] {
      let report = try to.engine.copyObjects(all, from: from.engine, EditOptions())
      #expect(report.counts.map(\.inserted) == [6, 1])
      #expect(try await people(to) == people(file))
      #expect(try await to.verify().isEmpty)
    }
    // Each of the values is found to be another one, and then the same.
    for values: ObjectValues in [
      ["small": 1], ["pay": Decimal(string: "-12.3455")], ["real": 2], ["flag": nil],
      ["data": Value.blob([0])],
      ["note": #"{"b": [1, 2.5], "a": "\u0000"}"#], ["at": Date(timeIntervalSince1970: -1.501)], ["uid": nil],
    ] {
      try await file.update("Person", where: "badge = ''", set: values)
      for expected in [[0, 1], [0, 0]] {
        let report = try await file.copy("Person", where: .all, into: first)
        #expect([report.counts[0].inserted, report.counts[0].updated] == expected, "\(values)")
      }
    }
    #expect(try await people(first) == people(file))
  }

  // MARK: What is left

  @Test func `a trial leaves nothing, nor does one of a store that would be new`() async throws {
    let (file, _, target) = try await peopleStores()
    try await fill(file)
    let trial = EditOptions(isTrial: true)
    let before = try await target.newestToken()
    let report = try await file.copy("Person", where: .all, into: target, options: trial)
    #expect(report.counts.map(\.inserted) == [6, 1] && report.token == nil)
    #expect(try await target.count(ObjectQuery("Person")) == 0)
    let address = server.freshAddress()
    let pipeline = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).yaml").path
    try Self.people.replacing("people.sqlite", with: "\"\(address)\"")
      .write(toFile: pipeline, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: pipeline) }
    for path in [address, pipeline] {
      for source in [file.engine, try moved(file.engine)] {
        let new = try StoreAddress.openOrCreate(
          path, forCopiesOf: source, ObjectQuery("Person"), isTrial: true, trustsSchema: false)
        let report = try new.copyObjects(ObjectQuery("Person"), from: source, trial)
        #expect(report.counts.map(\.inserted) == [6, 1] && report.token == nil)
      }
    }
    #expect(try StoreAddress(address).openIfThere() == nil)
    #expect(try await target.newestToken() == before)
    // Then in earnest, by the pipeline.
    let new = try StoreAddress.openOrCreate(
      pipeline, forCopiesOf: file.engine, ObjectQuery("Person"), isTrial: false, trustsSchema: false)
    #expect(try new.copyObjects(ObjectQuery("Person"), from: file.engine, EditOptions()).token != nil)
    #expect(try await Store(new).verify().isEmpty)
  }

  @Test func `who may only read a server's store copies from it, and not into it`() async throws {
    let (file, _, _) = try await peopleStores()
    try await fill(file)
    let full = try moved(file.engine)
    let schema = String(full.path.split(separator: "#")[1])
    let role = "reader_\(UInt32.random(in: 0 ... .max))"
    try server.psql(
      """
      CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA \(schema) TO \(role);
      GRANT SELECT ON ALL TABLES IN SCHEMA \(schema) TO \(role);
      """, schema: schema)
    let reader = try StoreAddress(full.path.replacing("postgres@", with: "\(role)@")).open()
    let new = try StoreAddress.openOrCreate(
      server.freshAddress(), forCopiesOf: reader, ObjectQuery("Person"), isTrial: false, trustsSchema: false)
    let report = try new.copyObjects(ObjectQuery("Person"), from: reader, EditOptions())
    #expect(report.counts.map(\.inserted) == [6, 1])
    let error = #expect(throws: StoreError.self) {
      try reader.copyObjects(ObjectQuery("Person"), from: file.engine, EditOptions())
    }
    #expect(error?.code == .readOnly)
    #expect(error?.message == "\(reader.path): this user may not do that: permission denied for table House")
  }

  @Test func `a copy waits for other writers as long as it is told, and then leaves nothing`() async throws {
    let (file, _, target) = try await peopleStores()
    try await fill(file)
    let schema = String(target.path.split(separator: "#")[1])
    let other = try OtherProgram(on: server, schema: schema)
    try other.send("BEGIN; INSERT INTO \"House\"(street) VALUES ('Oak');")
    let held =
      "SELECT count(*) FROM pg_locks WHERE relation = '\"House\"'::regclass AND mode = 'RowExclusiveLock'"
    while try server.psql(held, schema: schema) == "0" { usleep(10_000) }
    let error = await #expect(throws: StoreError.self) {
      try await file.copy(
        "Person", where: .all, into: target, options: EditOptions(lockWait: .milliseconds(100)))
    }
    #expect(error?.code == .busy && error?.message == "\(target.path): another program holds a lock")
    try other.send("COMMIT;")
    #expect(try other.end())
    let report = try await file.copy("Person", where: .all, into: target)
    #expect(report.counts.map(\.inserted) == [6, 1])
    // What the other has written has a number of its own before.
    let authors = try await target.history(HistoryRequest()).map(\.author)
    #expect(authors == [nil, "bolide"])
  }

  @Test func `a chain of objects is copied to its end, and a circle once`() async throws {
    let here = try TemporaryStore()
    let file = try here.open(Graph.pipeline)
    let count = 500
    try here.shell(
      """
      INSERT INTO Owner(name)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) SELECT i FROM n;
      INSERT INTO Node(code, size, owner_id, next_id) SELECT 'n' || bolide_id, 1, bolide_id, NULL FROM Owner;
      UPDATE Node SET next_id = nullif(bolide_id % \(count) + 1, 0);
      """)
    let source = try moved(file)
    let new = try StoreAddress.openOrCreate(
      server.freshAddress(), forCopiesOf: source, ObjectQuery("Node"), isTrial: false, trustsSchema: false)
    let report = try new.copyObjects(
      ObjectQuery("Node", where: "code = 'n1'"), from: source, EditOptions())
    #expect(report.counts.map(\.inserted) == [count, count])
    #expect(try await Store(new).verify().isEmpty)
  }

  @Test(.timeLimit(.minutes(5)), arguments: [true, false])
  func `a connection that is lost on the way leaves nothing, or all`(_ isOfTarget: Bool) async throws {
    let proxy = try FaultProxy(to: server)
    defer { proxy.end() }
    let (file, _, _) = try await peopleStores()
    try await fill(file)
    let onServer = try moved(file.engine)
    func through(_ engine: any StoreEngine) throws -> any StoreEngine {
      try StoreAddress(proxy.address(schema: String(engine.path.split(separator: "#")[1]))).open()
    }
    func target() throws -> any StoreEngine {
      try StoreAddress.openOrCreate(
        server.freshAddress(), forCopiesOf: file.engine, ObjectQuery("Person"), isTrial: false,
        trustsSchema: false)
    }
    /// Whether all has come; nil where it ended with an error.
    func copy(_ fault: FaultProxy.Fault?, at number: Int) async throws -> (isAll: Bool, isTold: Bool) {
      let other = try target()
      let (from, to) = try isOfTarget ? (file.engine, through(other)) : (through(onServer), other)
      proxy.arm(fault, at: number)
      var isTold = false
      do {
        _ = try to.copyObjects(ObjectQuery("Person"), from: from, EditOptions())
      } catch let error as StoreError {
        #expect(error.code == .unreachable, "\(error)")
        #expect(error.file == (isOfTarget ? to : from).path)
        isTold = true
      }
      let store = Store(other)
      let counts = [
        try await store.count(ObjectQuery("Person")), try await store.count(ObjectQuery("House")),
      ]
      #expect(counts == [0, 0] || counts == [6, 1], "statement \(number): \(counts)")
      #expect(try await store.verify().isEmpty)
      return (counts == [6, 1], isTold)
    }
    #expect(try await copy(nil, at: 0) == (true, false))
    let count = proxy.count
    #expect(count > (isOfTarget ? 40 : 8))
    let step = LongRun.hasEveryStatement ? 1 : isOfTarget ? 17 : 3
    for number in Array(stride(from: 2, to: count, by: step)) + [count] {
      for fault in [FaultProxy.Fault.before, .after] {
        let outcome = try await copy(fault, at: number)
        // The last statement is the commit, of which only the answer was lost; a source has given all before its end.
        #expect(outcome.isAll != outcome.isTold || number == count, "\(number) of \(count)")
      }
    }
  }
}
