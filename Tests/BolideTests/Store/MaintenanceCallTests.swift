import Bolide
import Foundation
import GRDB
import Testing

/// What the command-line tool does for a store's keeper, as calls.
@Suite struct MaintenanceCallTests {
  private let place: StorePlace
  private let path: String
  private let pipeline: Pipeline
  private static let feed = #"[{"id": "a", "depth": 7, "region": 1}, {"id": "b", "depth": "x"}]"#

  init() throws {
    place = try StorePlace()
    path = place.path("quakes.sqlite")
    pipeline = try Pipeline(yaml: StorePlace.linkedYAML())
  }

  private func imported() async throws -> (Store, ImportReport) {
    let store = try await Store(path: path, for: pipeline)
    return (store, try await store.run(pipeline, on: .bytes(Self.feed.utf8)))
  }

  @Test func `status, runs, log and the newest token`() async throws {
    let (store, report) = try await imported()
    let status = try await store.status()
    #expect(status.entities.map(\.entity) == ["Quake", "Region"] && status.entities.map(\.rows) == [1, 1])
    #expect(status.pipelines.map(\.state) == [.failed] && status.pipelines[0].openRejects == 1)
    #expect(status.token == report.token && status.changes == 2 && status.holder == nil)
    let other = try DatabaseQueue(path: path)
    try await other.write { try $0.execute(sql: "UPDATE Quake SET depth = 8") }
    let newest = try await store.newestToken()
    #expect(try await store.changes(HistoryRequest(after: report.token)).map(\.kind) == [.update])
    #expect(try await store.status().token == newest)
    _ = try await store.run(pipeline, on: .bytes(Self.feed.utf8))
    #expect(try await store.runs().map(\.run.number) == [2, 1])
    #expect(try await store.runs(of: "quakes", limit: 1).map(\.outcome) == ["too-many-refused"])
    #expect(try await store.runs(of: "others").isEmpty)
    #expect(try await store.log(of: "Quake", .key(["a"])).map(\.kind) == [.insert, .update, .update])
  }

  @Test func `a value that is not true is found and mended`() async throws {
    let (store, _) = try await imported()
    let other = try DatabaseQueue(path: path)
    try await other.write {
      try $0.execute(
        sql: """
          INSERT INTO bolide_deriving(entity, object) VALUES (0, 0); UPDATE Region SET count = 12;
          DELETE FROM bolide_deriving;
          """)
    }
    let wrong = ["Region 1 count: stored 12, true 1"]
    #expect(try await store.verify().map(\.description) == wrong)
    #expect(try await store.rebuild().map(\.description) == wrong)
    #expect(try await store.verify() == [])
  }

  @Test func `rejected records are listed and erased`() async throws {
    let (store, _) = try await imported()
    let kept = try await store.rejects()
    #expect(kept.map(\.reject.code) == ["not-a-number"])
    #expect(kept.map(\.pipeline) == ["quakes"] && kept.map(\.times) == [1])
    #expect(try await store.rejects(of: "others").isEmpty)
    #expect(try await store.rejects(run: 2).isEmpty)
    #expect(try await store.eraseRejects(of: "quakes") == 1)
    #expect(try await store.rejects().isEmpty)
  }

  @Test func `a migration is planned and done`() async throws {
    let (store, _) = try await imported()
    let wider = try Pipeline(yaml: StorePlace.linkedYAML("  twice: { type: integer64, value: depth * 2 }"))
    let plan = try await store.migrationPlan(for: wider)
    #expect(plan.contains { $0.kind == .change } && !plan.contains { $0.kind == .conflict })
    #expect(try await store.migrate(to: wider) == plan)
    #expect(try await store.migrationPlan(for: wider).allSatisfy { $0.kind != .change })
    #expect(try await store.schemaText().contains(#""twice" INTEGER"#))
    let dropped = try await store.migrate(to: pipeline, dropping: ["Quake.twice"])
    #expect(dropped.map(\.kind) == [.drop])
    let error = await #expect(throws: StoreError.self) {
      try await store.migrationPlan(for: pipeline, dropping: ["Quake.twice"])
    }
    #expect(error?.code == .badRequest)
  }

  @Test func `a backup and a snapshot are files of their own`() async throws {
    let (store, report) = try await imported()
    #expect(try await store.backUp(to: place.path("copy.sqlite")) == report.token)
    let copy = try await Store(path: place.path("copy.sqlite"), isReadOnly: true)
    #expect(try await copy.fetch(ObjectQuery("Quake")) == store.fetch(ObjectQuery("Quake")))
    let snapshot = try await store.writeSnapshot(of: ["Quake"], to: place.path("rows.sqlite"))
    #expect(snapshot.counts.map(\.rows) == [1])
    let rows = try DatabaseQueue(path: place.path("rows.sqlite"))
    #expect(try await rows.read { try String.fetchAll($0, sql: "SELECT id FROM Quake") } == ["a"])
  }

  @Test func `a trial says what an import would do and does nothing`() async throws {
    let (store, first) = try await imported()
    let more = Self.feed.replacing("\"a\"", with: "\"c\"")
    let trial = try await store.tryRun(pipeline, on: [.bytes(more.utf8)])
    #expect(trial.isTrial && trial.token == nil && trial.progress.counts.inserted == 1)
    #expect(try await store.newestToken() == first.token)
    let report = try await store.run(pipeline, on: .bytes(more.utf8))
    #expect(report.progress.counts == trial.progress.counts)
  }

  @Test func `a pipeline from text says what is wrong with it`() {
    let error = #expect(throws: PipelineError.self) {
      try Pipeline(yaml: "bolide: 1\nentity: Quake\nkey: ids\nattributes: { id: string }", named: "mine.yaml")
    }
    #expect(error?.problems.first?.description.hasPrefix("mine.yaml:3:6: ") == true)
  }
}
