import Bolide
import StoreInterface
import Testing

/// What an engine has to do that refuses nothing.
struct WholeLaws {
  @Test(arguments: Engine.keeping)
  func `rejected records are kept, and land when the pipeline takes them`(_ engine: Engine) throws {
    let store = try LawStore(engine, LawStore.quakes, "max-rejects: 100%")
    let feed = [#"{"id": 1, "magnitude": "high"}"#, #"{"id": 2}"#, #"{"id": 3, "grade": null}"#]
    #expect(try store.take(feed).progress.counts.rejected == 2)
    var kept: [Int] = []
    try store.engine.readRejects(RejectFilter()) { kept.append($0.reject.record) }
    #expect(kept == [1, 3])
    let mended = try Pipeline(
      yaml: LawStore.quakes.replacing(
        "magnitude: double", with: "magnitude: { type: double, value: \"CAST(place AS real)\" }"),
      file: "law.yaml", directory: ".")
    let report = try store.engine.replay(mended, options: ImportOptions())
    #expect(report.progress.counts.inserted == 1 && report.progress.counts.rejected == 1)
    #expect(try store.rows().keys.sorted() == ["1", "2"])
    #expect(try store.engine.keptRejectCount(pipeline: "law") == 1)
    #expect(try store.engine.eraseRejects(RejectFilter(), lockWait: 1) == 1)
  }

  @Test(arguments: Engine.keeping)
  func `a full feed names the rows that it has no more, and they can be deleted`(_ engine: Engine) throws {
    let store = try LawStore(engine, LawStore.quakes, "feed: full")
    try store.take((1...4).map { "{\"id\": \($0)}" }, settings: "feed: full")
    try store.take((1...3).map { "{\"id\": \($0)}" }, settings: "feed: full")
    var keys: [String] = []
    let missing = try store.engine.readMissing(of: nil) { keys.append($0.key.text) }
    #expect(keys == ["4"] && missing.count == 1 && missing.seen == 3)
    let refused = #expect(throws: StoreError.self) {
      try store.engine.deleteMissing(of: nil, noMoreThan: 0.05)
    }
    #expect(refused?.code == .guarded)
    _ = try store.engine.deleteMissing(of: nil, noMoreThan: 0.5)
    #expect(try store.rows().keys.sorted() == ["1", "2", "3"])
  }

  @Test(arguments: Engine.keeping)
  func `of a transaction that is read in part, pruning leaves the rest`(_ engine: Engine) throws {
    let store = try LawStore(engine)
    try store.take((1...4).map { "{\"id\": \($0)}" })
    var page = HistoryRequest(from: .beginning)
    page.limit = 2
    let part = try #require(try store.engine.history(page).last?.token)
    try #require(part.inside != nil)
    _ = try store.engine.prune(.before(.token(part)))
    #expect(try store.engine.history(HistoryRequest(after: part)).flatMap(\.changes).count == 2)
    _ = try store.engine.prune(.before(.token(store.engine.newestToken())))
    let gone = #expect(throws: StoreError.self) { try store.engine.history(HistoryRequest(after: part)) }
    #expect(gone?.code == .tokenExpired)
  }

  @Test(arguments: Engine.keeping)
  func `a migration adds what is new, and drops only what is named`(_ engine: Engine) throws {
    let store = try LawStore(engine)
    try store.take([#"{"id": 1, "magnitude": 1}"#])
    let grown = LawStore.quakes.replacing("  code:      string\n", with: "  title: string\n")
    let pipeline = try Pipeline(yaml: grown, file: "law.yaml", directory: ".")
    let plan = try store.engine.migrationPlan(for: pipeline, dropping: [])
    #expect(!plan.isEmpty)
    _ = try store.engine.migrate(pipeline, dropping: [], lockWait: 1) { _ in }
    #expect(try store.rows()["1"]?["title"] == .null && store.rows()["1"]?["code"] == .null)
    _ = try store.engine.migrate(pipeline, dropping: ["Quake.code"], lockWait: 1) { _ in }
    #expect(try store.rows()["1"]?["code"] == nil && store.rows()["1"]?["magnitude"] == .real(1))
    var wrong: [String] = []
    try store.engine.verify { if !$0.isTrue { wrong.append($0.description) } }
    #expect(wrong.isEmpty)
  }

  @Test(arguments: Engine.whole)
  func `a pinned state stays while imports go on`(_ engine: Engine) throws {
    let store = try LawStore(engine)
    try store.take([#"{"id": 1}"#])
    let pin = try store.engine.pinState(at: nil)
    try store.take([#"{"id": 2}"#])
    #expect(try pin.count(ObjectQuery("Quake")) == 1)
    #expect(try store.engine.readCount(ObjectQuery("Quake"), at: nil) == 2)
    #expect(pin.token < (try store.engine.newestToken()))
  }
}

/// What an engine does not implement.
struct PartialEngineTests {
  @Test func `an engine refuses by its name what it does not implement`() throws {
    let engine = try LawStore(.plain).engine
    let error = #expect(throws: StoreError.self) { try engine.verify { _ in } }
    #expect(error?.code == .unsupported)
    #expect(error?.message == "plain: plain stores do not support verifying")
  }

  @Test func `a setting that an engine does not implement ends the import before a record is read`() throws {
    let store = try LawStore(.plain)
    let error = #expect(throws: ImportError.self) { try store.take([#"{"id": 1}"#], settings: "feed: full") }
    #expect(error?.kind == .store(.unsupported))
    #expect(try store.rows().isEmpty)
  }
}
