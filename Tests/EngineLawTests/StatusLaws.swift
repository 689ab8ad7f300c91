import Bolide
import StoreInterface
import Testing

/// What a store says of its pipelines.
struct StatusLaws {
  private func pipeline(_ store: LawStore) throws -> PipelineStatus {
    try #require(try store.engine.status().pipelines.first)
  }

  /// A replay has no input of its own: it neither makes a bad run good nor a good one bad.
  @Test(arguments: Engine.keeping, [false, true])
  func `a replay is not the last run`(_ engine: Engine, _ isGood: Bool) throws {
    let store = try LawStore(engine, LawStore.quakes, "max-rejects: 100%")
    let end = isGood ? #"{"id": 2}"# : #"{"id": 2"#
    _ = try? store.take([#"{"id": 1, "magnitude": "high"}"#, end])
    let before = try pipeline(store)
    #expect(before.state == (isGood ? .ok : .failed))
    // After a good run it rejects once more, and that is too much for it.
    let value = isGood ? "magnitude: double" : "magnitude: { type: double, value: \"1.0\" }"
    let mended = try Pipeline(
      yaml: LawStore.quakes.replacing("magnitude: double", with: value), file: "law.yaml", directory: ".")
    _ = try? store.engine.replay(mended, options: ImportOptions())
    let after = try pipeline(store)
    #expect(try store.engine.runs(of: nil, limit: 9).count == 2)
    #expect(after.state == before.state && after.lastRun?.number == before.lastRun?.number)
    #expect(after.lastGoodRun?.number == before.lastGoodRun?.number)
  }

  @Test(arguments: Engine.keeping)
  func `rows that a full feed has no more are told`(_ engine: Engine) throws {
    let store = try LawStore(engine, LawStore.quakes, "feed: full")
    #expect(try store.engine.status().pipelines.isEmpty)
    try store.take((1...4).map { "{\"id\": \($0)}" }, settings: "feed: full")
    #expect(try pipeline(store).missing == RowShare(0, of: 4))
    try store.take((1...3).map { "{\"id\": \($0)}" }, settings: "feed: full")
    var status = try pipeline(store)
    #expect(status.missing == RowShare(1, of: 4))
    status.maximumMissing = 0.1
    #expect(status.state == .missing)
  }

  @Test(arguments: Engine.keeping)
  func `of a full feed that brought no row nothing is missing`(_ engine: Engine) throws {
    let store = try LawStore(engine, LawStore.quakes, "feed: full\nmax-rejects: 1\n")
    try store.take([#"{"id": 1, "magnitude": "x"}"#], settings: "feed: full\nmax-rejects: 1\n")
    let missing = try pipeline(store).missing
    #expect(missing?.count == 0, "\(String(describing: missing))")
  }

  @Test(arguments: Engine.keeping)
  func `of a feed that is not full nothing is missing`(_ engine: Engine) throws {
    let store = try LawStore(engine)
    try store.take([#"{"id": 1}"#])
    #expect(try pipeline(store).missing == nil)
  }

  /// Its owner has null, which everybody is told of: the import, whoever asks, and the check.
  @Test(arguments: Engine.keeping, [false, true])
  func `a sum beyond the range of its type is named`(_ engine: Engine, isReal: Bool) throws {
    let (attribute, value) =
      isReal ? ("magnitude", "1e308") : ("modified", "9000000000000000000")
    let model = LawStore.quakes.replacing("magnitude.@sum", with: "\(attribute).@sum")
    let store = try LawStore(engine, model)
    let said =
      "Region 1 total: null, as the sum is beyond the range of \(isReal ? "a double" : "64 bits")"
    let records = (1...3).map { #"{"id": \#($0), "\#(attribute)": \#(value), "place": "A"}"# }
    let first = try store.take([records[0]])
    #expect(first.progress.nullTotals == NullTotals())
    let report = try store.take(Array(records.dropFirst()))
    #expect(report.progress.nullTotals.count == 1)
    #expect(report.progress.nullTotals.named.map(\.description) == [said])
    #expect(try store.engine.status().nullTotals == report.progress.nullTotals)
    // An import that has not made one is not told again.
    #expect(
      try store.take([#"{"id": 9, "\#(attribute)": 1, "place": "B"}"#]).progress.nullTotals == NullTotals())
    var found: [Finding] = []
    try store.engine.verify { found.append($0) }
    #expect(found.map(\.description) == [said] && found.allSatisfy(\.isTrue))
    let two = ObjectQuery("Quake", where: .init(text: "id > 1", values: []))
    _ = try store.engine.deleteObjects(two, EditOptions())
    #expect(try store.engine.status().nullTotals == NullTotals())
  }

  @Test(arguments: Engine.keeping)
  func `an import that makes a sum null tells of all that are`(_ engine: Engine) throws {
    let store = try LawStore(engine)
    for (number, place) in ["A", "B"].enumerated() {
      let report = try store.take(
        (1...2).map { #"{"id": \#($0 + number * 2), "magnitude": 1e308, "place": "\#(place)"}"# })
      #expect(report.progress.nullTotals.count == number + 1)
      #expect(try store.engine.status().nullTotals == report.progress.nullTotals)
    }
  }
}
