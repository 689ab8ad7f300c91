import Foundation
import GRDB
import Testing

import Bolide
@testable import FeedInference

/// A survey of small inputs, and what becomes of the pipeline that it writes.
struct InferenceRoundTrip {
  let text: String
  /// The lines of the text that are no comments, without their trailing ones.
  let settings: [String]

  private let pipeline: Pipeline
  private let inputs: [(bytes: [UInt8], name: String)]

  /// Surveys, loads the written pipeline, and checks that the input fits it.
  ///
  /// - Parameter rejected: so many records do not.
  init(_ input: String, named name: String = "feed.json", refusing rejected: Int = 0) throws {
    try self.init([(name, input)], refusing: rejected)
  }

  /// Surveys several inputs as one feed.
  init(_ inputs: [(name: String, text: String)], refusing rejected: Int = 0) throws {
    self.inputs = inputs.map { (Array($0.text.utf8), $0.name) }
    text = try PipelineInference(self.inputs).pipelineText
    settings = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let end = line.firstRange(of: "  # ")?.lowerBound ?? line.endIndex
      return line[..<end].trimmingCharacters(in: .whitespaces)
    }
    pipeline = try Pipeline(yaml: text, file: "new.yaml", directory: "")
    let problems = pipeline.problems()
    #expect(problems.isEmpty)
    let checks = try self.inputs.map { try FeedCheck(pipeline, bytes: $0.bytes, named: $0.name) }
    #expect(checks.reduce(0) { $0 + $1.rejected } == rejected)
    #expect(checks.flatMap(\.localTimes) == [])
    #expect(inputs.count > 1 || checks[0].absent.isEmpty)
  }

  /// How the input fits the written pipeline, with a line more.
  func check(adding line: String = "") throws -> FeedCheck {
    try FeedCheck(
      Pipeline(yaml: text + line, file: "new.yaml", directory: ""), bytes: inputs[0].bytes,
      named: "feed.json")
  }

  private var sources: [ImportSource] { inputs.map { .bytes($0.bytes, name: $0.name) } }

  /// What stands behind an attribute's name.
  func attribute(_ name: String) -> String? {
    let start = YAMLText.scalar(name) + ":"
    return settings.first { $0.hasPrefix(start) }?.dropFirst(start.count).trimmingCharacters(in: .whitespaces)
  }

  /// A column's values after an import into a new store, as SQLite writes them, in the order of the rows.
  func values(of column: String) async throws -> [String] {
    try await stored("ifnull(CAST(\(column) AS TEXT), 'null')") { try String.fetchAll($0, sql: $1) }
  }

  /// The same as numbers.
  func numbers(of column: String) async throws -> [Double?] {
    try await stored(column) { try Double?.fetchAll($0, sql: $1) }
  }

  private func stored<V: Sendable>(
    _ expression: String, _ fetch: @escaping @Sendable (Database, String) throws -> [V]
  ) async throws -> [V] {
    let sql = "SELECT \(expression) FROM \(pipeline.entity) ORDER BY bolide_id"
    return try await withStore { store, path in
      _ = try await store.run(pipeline, on: sources)
      return try await DatabaseQueue(path: path).read { db in try fetch(db, sql) }
    }
  }

  /// How many records an import inserts, and how many it reads.
  func imported() async throws -> (inserted: Int, read: Int) {
    try await withStore { store, _ in
      let counts = try await store.run(pipeline, on: sources).progress.counts
      return (counts.inserted, counts.read)
    }
  }

  private func withStore<R>(_ body: (Store, String) async throws -> R) async throws -> R {
    let directory = FileManager.default.temporaryDirectory.appending(path: "bolide-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appending(path: "new.sqlite").path
    return try await body(Store(path: path, for: pipeline), path)
  }
}
