import Bolide
import StoreInterface
import TestServer
import Testing

/// A store on a server takes from a pipeline that has changed what a file takes, refuses what it refuses, and tells the same of it.
struct MigrationDifferences {
  @Test(arguments: ModelChange.taken)
  func `a server migrates as a file does`(_ change: ModelChange) throws {
    try expectSame { try MigratedStore($0, change).outcome(imports: false) }
  }

  @Test(arguments: ModelChange.taken.enumerated().filter { [1, 5, 9].contains($0.offset) }.map(\.element))
  func `an import migrates a server as it does a file`(_ change: ModelChange) throws {
    try expectSame { try MigratedStore($0, change).outcome(imports: true) }
  }

  @Test func `a server refuses what a file refuses, and stays as it is`() throws {
    try expectSame { engine in
      let store = try MigratedStore(engine, ModelChange("nothing", []))
      let token = try store.fill()
      let before = try store.look(since: token)
      let lines = try ModelChange.refused.flatMap(store.refusal)
      #expect(try store.look(since: token) == before)
      return lines
    }
  }

  private func expectSame(_ outcome: (Engine) throws -> [String]) throws {
    let (file, server) = (try outcome(.sqlite), try outcome(.postgreSQL))
    for (server, file) in zip(server, file) { #expect(server == file) }
    #expect(server.count == file.count)
    #expect(file.count > 10)
  }
}

/// A store before and behind a migration.
struct MigratedStore {
  private let engine: any StoreEngine
  private let old: Pipeline
  private let new: Pipeline
  private let change: ModelChange

  init(_ kind: Engine, _ change: ModelChange) throws {
    (old, new) = try change.pipelines()
    self.change = change
    engine = try kind.make(old)
  }

  private static func record(_ id: Int, _ rest: String) -> String { "{\"id\": \(id), \(rest)}" }

  private static let first = [
    record(
      1,
      #""code": "Añ", "felt": 3, "count": 40, "size": 0.1, "depth": 1.25, "seen": "2026-01-01T00:00:01Z", "place": "P", "tags": ["a", "b"], "parts": [{"number": 1, "note": "n"}, {"number": 2}]"#
    ),
    record(
      2, #""code": "B", "felt": 1, "count": 2, "depth": 700, "place": "P", "tags": ["b"], "kind": "blast""#),
    record(3, #""felt": 2, "size": 2.5, "depth": -3.5, "seen": "2025-12-31T23:59:59Z", "place": "Q""#),
    record(4, #""code": "D", "count": 9, "tags": ["a"], "parts": [{"number": 1}]"#),
  ]
  private static let second = [
    record(
      1,
      #""code": "A", "felt": 4, "count": 41, "size": 1.5, "depth": 2.5, "seen": "2026-02-01T00:00:01Z", "place": "Q", "tags": ["a"], "parts": [{"number": 1, "note": "m"}]"#
    ),
    record(
      2,
      #""code": "B", "felt": null, "count": 3, "depth": 7.75, "seen": "2026-03-01T00:00:00Z", "place": "P""#),
    record(3, #""felt": 2, "size": 2.5, "depth": -3.5, "place": "Q""#),
  ]
  private static let third = [
    record(
      1,
      #""code": "C", "felt": 5, "count": 41, "size": 1.75, "depth": 2.5, "seen": "2026-02-01T00:00:02Z", "place": "P", "tags": ["a", "c"], "parts": [{"number": 3, "note": "o"}]"#
    ),
    record(5, #""code": "E", "felt": 6, "depth": 0.01, "place": "R""#),
  ]

  private func take(_ records: [String], _ pipeline: Pipeline) throws -> String {
    var options = ImportOptions()
    options.force = true
    let input = ImportSource.bytes(records.joined(separator: "\n").utf8, name: "feed")
    let counts = try engine.run(pipeline, on: [input], options: options).progress.counts
    return "\(counts)"
  }

  /// What is told, line by line.
  ///
  /// - Parameter imports: whether an import migrates, instead of the command.
  func outcome(imports: Bool) throws -> [String] {
    var lines: [String] = []
    let token = try fill()
    try engine.addReader("mirror", from: .token(token))
    if !imports {
      lines += tell("plan") { try engine.migrationPlan(for: new, dropping: change.drops).map(Self.line) }
      let unchanged = try engine.newestToken()
      #expect(unchanged == token)
      lines += tell("step") { try migrate(new, change.drops) }
      lines += try look(since: token)
      lines += tell("again") { try migrate(new, []) }
    }
    lines += tell("import") { [try take(Self.third, new)] }
    lines += try look(since: token)
    lines += tell("older") { [try take(Self.third, old)] }
    lines += tell("readers") {
      try engine.namedReaders().map { "\($0.name) \($0.state) \($0.transactionsBehind)" }
    }
    return lines
  }

  /// Gives the store rows and a history.
  func fill() throws -> HistoryToken {
    _ = try take(Self.first, old)
    _ = try take(Self.second, old)
    _ = try engine.deleteMissing(of: nil, noMoreThan: 1)
    return try engine.newestToken()
  }

  /// What is told of a change that is none to this store.
  func refusal(_ change: ModelChange) throws -> [String] {
    let (token, new) = (try engine.newestToken(), try change.pipelines().1)
    let lines =
      tell("plan") { try engine.migrationPlan(for: new, dropping: change.drops).map(Self.line) }
      + tell("step") { try migrate(new, change.drops) }
      + (change.drops.isEmpty ? tell("import") { [try take(Self.third, new)] } : [])
    #expect(try engine.newestToken() == token, "\(change)")
    #expect(!lines.contains { $0.hasPrefix("step: change") }, "\(change)")
    return lines
  }

  private func migrate(_ pipeline: Pipeline, _ drops: [String]) throws -> [String] {
    try engine.migrate(pipeline, dropping: drops, lockWait: 1) { _ in }.map(Self.line)
  }

  private func tell(_ what: String, _ body: () throws -> [String]) -> [String] {
    do {
      return try body().map { "\(what): \($0)" }
    } catch {
      return ["\(what): \(Self.sentence(error))"]
    }
  }

  /// Everything that a reader can ask for.
  func look(since token: HistoryToken) throws -> [String] {
    var lines: [String] = []
    let model = try engine.model()
    lines.append("model: \(model.entities)")
    for entity in model.entities {
      var rows: [String] = []
      try engine.readRows(ObjectQuery(entity.name), at: nil) {
        rows.append("\($0.key.text): \($0.values.shown)")
      }
      lines += rows.sorted().map { "row of \(entity.name): \($0)" }
    }
    for (start, isNet) in [
      (HistoryRequest.Start.token(token), false), (.token(token), true), (.beginning, false),
    ] {
      var request = HistoryRequest()
      (request.start, request.isNet) = (start, isNet)
      lines += tell("history") { try engine.history(request).flatMap(Self.lines) }
    }
    try engine.verify { lines.append("verify: \($0.description)") }
    return lines
  }

  /// A transaction in lines: one an object.
  private static func lines(_ transaction: HistoryTransaction) -> [String] {
    var changes: [String: [HistoryChange]] = [:]
    for change in transaction.changes {
      changes["\(change.entity) \(change.key.text)", default: []].append(change)
    }
    let objects = changes.sorted { $0.key < $1.key }.map { name, changes in
      let previous = changes.flatMap(\.previous).reduce(into: [HistoryChange.Property]()) { known, one in
        if !known.contains(where: { $0.name == one.name }) { known.append(one) }
      }
      let isDerived = changes.allSatisfy(\.isDerived)
      return "  \(changes.map(\.kind.rawValue)[0]) \(name)\(isDerived ? ", derived" : ""): \(previous.shown)"
    }
    return ["transaction of \(transaction.author ?? "nobody"), \(transaction.widened)"] + objects
  }

  private static func line(_ step: MigrationStep) -> String {
    "\(step.kind) \(step.description) \(step.drop ?? "")"
  }

  private static func sentence(_ error: any Error) -> String {
    switch error {
    case let error as StoreError:
      "\(error.code): \(error.reason.replacing(/b1-[0-9a-z-]+/, with: "TOKEN")) (\(error.hint ?? ""))"
    case let error as ImportError: "\(error.code): \(error.reason) (\(error.hint ?? ""))"
    default: "\(error)"
    }
  }
}

extension [HistoryChange.Property] {
  /// In the order of their names.
  fileprivate var shown: String {
    sorted { $0.name < $1.name }.map { "\($0.name) = \($0.value) (\($0.type.map { "\($0)" } ?? "link"))" }
      .joined(separator: ", ")
  }
}
