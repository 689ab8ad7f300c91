import Bolide
import Foundation
import GRDB
import Synchronization
import Testing

/// The examples of the page `InSwift.md`, each run in surroundings of its own.
/// One at a time: tests that wait would hold hundreds of stores open, and beside so many files no process can be started.
@Suite(.serialized) struct LibraryPageTests {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  let file = root.appending(path: "pipelines/fireballs.yaml").path
  let place: StorePlace
  let path: String

  init() throws {
    place = try StorePlace()
    path = place.path("fireballs.sqlite")
  }

  static let feed =
    #"[{"date": "2026-05-12 03:14:07", "impact-e": "0.1"}, {"date": "2026-04-01 23:59:35"}]"#

  @Test func `every example of the page stands here`() throws {
    func lines(_ text: some StringProtocol) -> [String] {
      text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    let page = try String(
      contentsOf: Self.root.appending(path: "Sources/Bolide/Documentation.docc/InSwift.md"), encoding: .utf8)
    let here = try ["LibraryPageTests.swift", "LibraryPageTests+Following.swift"].map {
      let file = Self.root.appending(path: "Tests/BolideTests/\($0)")
      return lines(try String(contentsOf: file, encoding: .utf8)).joined(separator: "\n")
    }.joined()
    let examples = page.matches(of: #/```swift\n((?s:.*?))```/#)
    #expect(examples.count == 22)
    for example in examples {
      #expect(here.contains("\n" + lines(example.1).joined(separator: "\n") + "\n"), "\(example.1)")
    }
  }

  @Test func `a name can be qualified with the library's own`() {
    #expect(Bolide.Model(entities: []).entities.isEmpty && Bolide.Field("id") == Field("id"))
  }

  @Test func `opening`() async throws {
    do {
      let pipeline = try Pipeline(path: file)
      let store = try await Store(path: path, for: pipeline)
      #expect(try await store.count(ObjectQuery("Fireball")) == 0)
    }
    do {
      let store = try await Store(path: path, isReadOnly: true)
      let newest = try await store.newestToken()
      try await store.close()
      #expect(newest.description.hasPrefix("b1-"))
    }
    let quakes = Pipeline(
      name: "quakes", entity: "Quake",
      model: Model(entities: [
        Entity(
          name: "Quake", key: ["id"],
          attributes: [
            Attribute(name: "id", type: .string, isRequired: true), Attribute(name: "depth", type: .double),
          ])
      ]),
      fields: [Field("id"), Field("depth", from: .path("depth_km"))])
    let trial = try await Store(inMemoryFor: quakes)
    _ = try await trial.run(quakes, on: .bytes(#"{"id": "a", "depth_km": 7}"#.utf8))
    #expect(try await trial.fetch(ObjectQuery("Quake", where: "depth = 7")).count == 1)
  }

  @Test func `a pipeline for a feed`() async throws {
    let feed = place.path("fireballs.json")
    try Self.feed.write(toFile: feed, atomically: true, encoding: .utf8)
    let inference = try await PipelineInference(of: [.file(feed)])
    let drafted = try Pipeline(yaml: inference.pipelineText)
    let check = try await drafted.check(.file(feed))
    print(check.read, check.rejected, check.absent.map(\.attribute), check.unusedKeys)
    #expect(check.read == 2 && check.rejected == 0 && check.absent.isEmpty)
    #expect(inference.storeName == "fireballs.sqlite")
  }

  @Test func `importing`() async throws {
    let pipeline = try Pipeline(path: file)
    let store = try await Store(path: path, for: pipeline)
    let feed = #"[{"date": "2026-05-12 03:14:07", "impact-e": "0.1"}, {"date": "2026-04-01 23:59:35"}]"#
    let report = try await store.run(pipeline, on: .bytes(feed.utf8))
    print(report.progress.counts.inserted, report.token?.description ?? "nothing changed")
    for reject in report.firstRejects { print(reject.record, reject.code, reject.message) }
    #expect(report.progress.counts.inserted == 2)
  }

  @Test func `importing a sequence`() async throws {
    let pipeline = try Pipeline(path: file)
    let store = try await Store(inMemoryFor: pipeline)
    let body = AsyncStream<ArraySlice<UInt8>> { stream in
      let bytes = Array((Self.feed.dropLast() + #", {"date": null}]"#).utf8)
      stream.yield(bytes[..<20])
      stream.yield(bytes[20...])
      stream.finish()
    }
    var options = ImportOptions()
    options.rejectLimit = .percent(1)
    let report = try await store.run(pipeline, on: body, named: "upload", options: options)
    #expect(report.verdict == .tooManyRejected)
    #expect(report.firstRejects.map(\.input) == ["upload"])
  }

  @Test func `importing with progress`() async throws {
    let pipeline = try Pipeline(path: file)
    let store = try await Store(inMemoryFor: pipeline)
    let body = AsyncStream<[UInt8]> { stream in
      stream.yield(Array(Self.feed.utf8))
      stream.finish()
    }
    let run = store.importing(pipeline, on: body)
    for try await progress in run {
      print(progress.read, "records,", progress.rejected, "rejected")
    }
    let report = try await run.report
    #expect(report.progress.counts.inserted == 2)
  }

  @Test func `importing single bytes`() async throws {
    let pipeline = try Pipeline(path: file)
    let store = try await Store(inMemoryFor: pipeline)
    let feed = Self.feed
    let body = AsyncStream<UInt8> { stream in
      for byte in feed.utf8 { stream.yield(byte) }
      stream.finish()
    }
    let report = try await store.run(pipeline, on: body)
    #expect(report.verdict == .allLanded && report.progress.counts.inserted == 2)
  }

  @Test(arguments: ["missing.json", "cut.json"]) func `an import that ends early`(feed: String) async throws {
    let pipeline = try Pipeline(path: file)
    let store = try await Store(inMemoryFor: pipeline)
    let feed = place.path(feed)
    try Data(Self.feed.utf8.dropLast(3)).write(to: place.url("cut.json"))
    let said = Mutex("")
    func print(_ items: Any...) { said.withLock { $0 = items.map { "\($0)" }.joined(separator: " ") } }
    do {
      _ = try await store.run(pipeline, on: .file(feed))
    } catch let error where error.kind == .noInput {
      print("nothing to import: \(error.message)")
    } catch {
      print(error.code, error.message, error.report?.progress.counts.read ?? 0)
    }
    let expected = feed.hasSuffix("missing.json") ? "nothing to import: " : "input-ends "
    #expect(said.withLock(\.self).hasPrefix(expected), "\(said.withLock(\.self))")
  }

  @Test func `fetching`() async throws {
    let pipeline = try Pipeline(path: file)
    let store = try await Store(inMemoryFor: pipeline)
    _ = try await store.run(pipeline, on: .bytes(Self.feed.utf8))
    let (year, least) = (2026, 0.05)
    var request = ObjectQuery(
      "Fireball", where: "group.year = \(year) AND impactEnergy > \(least)",
      sort: [.init("impactEnergy", ascending: false)], limit: 10)
    request.related = ["group"]
    for row in try await store.fetch(request) {
      print(row.id, row.key, row["impactEnergy"] ?? .null, row.related("group")?.values ?? [])
    }
    let count = try await store.count(request)
    #expect(count == 1)

    let (groups, fireballs) = try await store.pinned { generation in
      let groups = try await generation.fetch(ObjectQuery("FireballGroup"))
      return (groups, try await generation.fetch(ObjectQuery("Fireball")))
    }
    #expect(groups.count == 1 && fireballs.count == 2)
  }

  @Test func `typed rows`() async throws {
    let pipeline = try Pipeline(path: file)
    let store = try await Store(inMemoryFor: pipeline)
    _ = try await store.run(pipeline, on: .bytes(Self.feed.utf8))
    var request = ObjectQuery("Fireball", sort: [.init("date")])
    request.related = ["group"]
    struct Fireball: Decodable, Sendable {
      struct Group: Decodable, Sendable {
        var year: Int
      }
      var date: Date
      var impactEnergy: Double?
      var group: Group?
    }
    let fireballs = try await store.fetch(request, as: Fireball.self)
    let since = Date.now.addingTimeInterval(-30 * 86_400)
    let recent = try await store.fetch(ObjectQuery("Fireball", where: "date > \(since)"))
    let energies = recent.map { $0["impactEnergy", as: Double.self] ?? 0 }
    #expect(fireballs.map(\.impactEnergy) == [nil, 0.1] && fireballs.map(\.group?.year) == [2026, 2026])
    #expect(fireballs.map(\.date.timeIntervalSince1970) == [1_775_087_975, 1_778_555_647])
    #expect(energies.count == recent.count)
    let uploaded = Mutex<[Date]>([])
    @Sendable func upload(_ fireball: Fireball) async throws {
      uploaded.withLock { $0.append(fireball.date) }
    }
    for try await fireball in store.rows(of: request, as: Fireball.self) {
      try await upload(fireball)
    }
    #expect(uploaded.withLock(\.self) == fireballs.map(\.date))
  }

  @Test func `writing`() async throws {
    let pipeline = try Pipeline(path: file)
    let store = try await Store(inMemoryFor: pipeline)
    try await store.insert("FireballGroup", ["year": 2026])
    let options = EditOptions(author: "app")
    let (fireball, _) = try await store.upsert(
      "Fireball", ["date": Date.now, "impactEnergy": 0.3, "energy": nil],
      links: ["group": ["year": 2026]], options: options)
    try await store.update(
      "Fireball", where: "bolide_id = \(fireball.id)", set: ["impactEnergy": 0.4], options: options)
    #expect(
      try await store.count(ObjectQuery("Fireball", where: "impactEnergy = 0.4 AND group.year = 2026")) == 1)
  }

  @Test func `linking and deleting`() async throws {
    let pipeline = try Pipeline(path: file)
    let store = try await Store(inMemoryFor: pipeline)
    let feed = Self.feed.replacing("2026-04-01", with: "2025-04-01")
    _ = try await store.run(pipeline, on: .bytes(feed.utf8))
    let options = EditOptions(author: "app")
    let linked = try await store.link(
      "Fireball", "group", where: "date = \("2026-05-12T03:14:07Z")", to: ["year": 2025],
      options: options)
    let trial = try await store.delete(
      "FireballGroup", where: "fireballCount = 0", options: EditOptions(author: "app", isTrial: true))
    #expect(linked.counts.map(\.entity) == ["Fireball", "FireballGroup"])
    #expect(linked.counts.map(\.updated) == [1, 2])
    #expect(trial.counts.map(\.deleted) == [1] && trial.token == nil)
  }

  @Test func `keeping a store`() async throws {
    let pipeline = try Pipeline(path: file)
    let store = try await Store(inMemoryFor: pipeline)
    func problems(of feed: String) async throws -> [String] {
      let trial = try await store.tryRun(pipeline, on: [.file(feed)])
      guard trial.verdict == .allLanded else { return trial.firstRejects.map(\.message) }
      _ = try await store.run(pipeline, on: .file(feed))
      let late = try await store.status().pipelines.filter { $0.state != .ok }
      let findings = try await store.verify()
      return late.map(\.name) + findings.map(\.description)
    }
    try Data(Self.feed.utf8).write(to: place.url("feed.json"))
    #expect(try await problems(of: place.path("feed.json")) == [])
    #expect(try await store.count(ObjectQuery("Fireball")) == 2)
    try Data(#"[{"date": null}]"#.utf8).write(to: place.url("bad.json"))
    #expect(try await problems(of: place.path("bad.json")) == ["date is part of the key and is null"])
    #expect(try await store.runs().count == 1)
  }

  @Test func `beside an app that uses GRDB`() async throws {
    let pipeline = try Pipeline(path: file)
    let store = try await Store(inMemoryFor: pipeline)
    func notify(_ app: DatabasePool, of store: Store, after saved: HistoryToken?) async throws {
      for try await transaction in store.transactions(after: saved) {
        let entities = Set(transaction.changes.map(\.entity))
        try await app.write { db in
          for entity in entities { try db.notifyChanges(in: Table(entity)) }
        }
      }
    }
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    let app = try DatabasePool(path: store.path, configuration: configuration)
    let observation = ValueObservation.tracking {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM Fireball") ?? 0
    }
    let (counted, counts) = AsyncStream<Int>.makeStream()
    let seen = Task {
      for try await count in observation.values(in: app) { counts.yield(count) }
    }
    var count = counted.makeAsyncIterator()
    #expect(await count.next() == 0)
    let following = Task {
      do {
        try await notify(app, of: store, after: nil)
      } catch is CancellationError {
      } catch {
        Issue.record(error)
      }
      counts.finish()
    }
    _ = try await store.run(pipeline, on: .bytes(Self.feed.utf8))
    // Without a notification the pool would never know.
    var last: Int?
    while last != 2, let seen = await count.next() { last = seen }
    #expect(last == 2)
    following.cancel()
    seen.cancel()
  }
}
