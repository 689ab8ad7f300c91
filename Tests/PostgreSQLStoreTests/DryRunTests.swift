import Bolide
import Foundation
import StoreInterface
import TestServer
import Testing

/// A trial of an import on a server: it says what one of a file says, and leaves nothing.
struct DryRunTests {
  private let server: TestServer
  private let schema = "s\(UInt64.random(in: 0 ... .max))"
  private var address: StoreAddress { StoreAddress(server.address(schema: schema)) }

  init() throws { server = try TestServer.shared.get() }

  private func pipeline(_ settings: String = "") throws -> Pipeline {
    try Pipeline(yaml: ServerStore.quakes + settings, file: "quakes.yaml", directory: ".")
  }

  private func importing(
    _ feed: String, _ pipeline: Pipeline, into store: StoreAddress, isAtomic: Bool = false
  ) throws -> ImportReport {
    var options = ImportOptions()
    (options.isAtomic, options.chunkRows) = (isAtomic, 2)
    return try store.open(for: pipeline, lockWait: 10).run(
      pipeline, on: [.bytes(feed.utf8, name: "feed")], options: options)
  }

  /// Everything in the schema, rows and definitions.
  private func dump() throws -> [Substring] {
    try server.dump(schema: schema).split(separator: "\n").filter {
      // Numbers that were given out stay so.
      !$0.contains("restrict") && !$0.contains("setval")
    }
  }

  @Test(arguments: [false, true])
  func `it counts what the import then does, as a file does, and leaves nothing`(isAtomic: Bool) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bolide-\(schema)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let stores = [StoreAddress(folder.appending(path: "quakes.sqlite").path(percentEncoded: false)), address]
    let plain = try pipeline(
      "feed: full\ngone: delete\nmax-missing: 100%\nmax-rejects: 100%\nhistory: { transactions: 1 }\n")
    // One that adds to the model.
    var grown = plain
    grown.model.entities[0].attributes.append(Attribute(name: "size", type: .integer64))
    grown.fields.append(Field("size"))
    let feeds = [
      [#"{"id": 1, "magnitude": 1, "place": "A"}"#, #"{"id": 2, "place": "B"}"#, #"{"id": 1, "depth": 1}"#],
      [#"{"id": 1, "magnitude": 2}"#, #"{"id": 3, "magnitude": "x"}"#, #"{"id": 4, "size": 1}"#],
      [#"{"id": 4, "place": "A", "size": 2}"#], [#"{"id": 5}"#],
    ]
    for (turn, records) in feeds.enumerated() {
      let feed = records.joined(separator: "\n")
      let before = turn == 0 ? [] : try dump()
      for pipeline in [grown, plain] {
        let trials = try stores.map { store in
          try store.trying(creation: .ifNew) {
            try importing(feed, pipeline, into: $0, isAtomic: isAtomic)
          }
        }
        for trial in trials { #expect(trial.isTrial && trial.progress.token == nil) }
        #expect(
          trials[1].progress.counts == trials[0].progress.counts && trials[0].progress.counts.read > 0
            || turn == 3)
        #expect(trials[1].progress.missing == trials[0].progress.missing)
        #expect(trials[1].progress.gone == trials[0].progress.gone)
        #expect(trials[1].firstRejects.map(\.record) == trials[0].firstRejects.map(\.record))
        let left = turn == 0 ? try server.psql("SELECT to_regnamespace('\(schema)')", schema: "public") : ""
        #expect(left == "")
      }
      if turn > 0 { #expect(try dump() == before) }
      let trial = try address.trying(creation: .ifNew) { try importing(feed, plain, into: $0) }
      let reports = try stores.map { try importing(feed, plain, into: $0) }
      for report in reports {
        #expect(report.progress.counts == trial.progress.counts && report.progress.token != nil)
      }
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `others read, and import other rows, while it is under way`() throws {
    let quakes = try pipeline()
    _ = try importing(#"{"id": 1, "magnitude": 1, "place": "A"}"#, quakes, into: address)
    let token = try address.open().newestToken()
    let report = try address.trying(creation: .never) { trial -> ImportReport in
      let report = try importing(#"{"id": 1, "magnitude": 5}"#, quakes, into: trial)
      var other = quakes
      other.name = "others"
      _ = try importing(#"{"id": 2, "magnitude": 3, "place": "B"}"#, other, into: address)
      let changes = try address.open().history(HistoryRequest(after: token)).flatMap(\.changes)
      let inserted = changes.filter { $0.kind == .insert }
      #expect(inserted.count == 2)
      return report
    }
    #expect(report.progress.counts.updated == 1)
    #expect(try server.psql(#"SELECT magnitude FROM "Quake" ORDER BY id"#, schema: schema) == "1\n3")
  }

  @Test func `a connection that is lost ends it, and nothing is left`() throws {
    let quakes = try pipeline()
    _ = try importing(#"{"id": 1, "magnitude": 1}"#, quakes, into: address)
    let before = try dump()
    let error = #expect(throws: ImportError.self) {
      try address.trying(creation: .never) { trial in
        let engine = try trial.open(for: quakes, lockWait: 10)
        try server.psql(
          """
          SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE state = 'idle in transaction'
          AND pid IN (SELECT pid FROM pg_locks WHERE relation = '"\(schema)".bolide_store'::regclass)
          """, schema: schema)
        return try engine.run(
          quakes, on: [.bytes(#"{"id": 1, "magnitude": 5}"#.utf8, name: "feed")], options: ImportOptions())
      }
    }
    #expect(error?.kind == .store(.unreachable))
    #expect(try dump() == before)
  }
}
