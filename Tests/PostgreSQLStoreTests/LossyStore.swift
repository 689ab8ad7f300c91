import Bolide
import Foundation
import StoreInterface
import TestServer
import Testing

/// A store behind a proxy that loses connections, on a server of its own, and imports of one shape: each of a batch of keys, so
/// that every one of them can be compared with the one that nothing has happened to.
struct LossyStore {
  let server: TestServer
  let proxy: FaultProxy
  let schema = "lossy"
  let pipeline: Pipeline
  /// Connected without the proxy.
  let engine: any StoreEngine

  /// - Parameter server: nil for one of its own.
  init() throws {
    server = try TestServer()
    proxy = try FaultProxy(to: server)
    pipeline = try Pipeline(yaml: ServerStore.quakes, file: "quakes.yaml", directory: ".")
    engine = try StoreAddress(server.address(schema: schema)).open(for: pipeline, lockWait: 10)
  }

  /// What a batch's store has before: three records that stay, and three that change.
  private func before(_ batch: Int) -> [String] {
    (1...6).map { #"{"id": \#(batch)0\#($0), "magnitude": \#($0), "place": "b\#(batch)-A"}"# }
  }

  /// A chunk without a change, one of changes and a rejected record, and one of new rows.
  private func after(_ batch: Int) -> [String] {
    Array(before(batch)[..<3]) + [
      #"{"id": \#(batch)04, "magnitude": 7, "place": "b\#(batch)-B"}"#,
      #"{"id": \#(batch)05, "magnitude": "x"}"#,
      #"{"id": \#(batch)06, "magnitude": 0.1, "code": "c"}"#,
    ] + (7...9).map { #"{"id": \#(batch)0\#($0), "magnitude": 0.\#($0), "place": "b\#(batch)-C"}"# }
  }

  /// Makes what a batch begins with.
  func prepare(_ batch: Int) throws { _ = try take(before(batch), batch, ImportOptions(), engine) }

  /// Imports a batch.
  @discardableResult
  func take(
    _ batch: Int, isAtomic: Bool = false, _ options: ImportOptions = ImportOptions(),
    through engine: any StoreEngine
  ) throws -> ImportReport {
    var options = options
    options.isAtomic = isAtomic
    return try take(after(batch), batch, options, engine)
  }

  private func take(
    _ records: [String], _ batch: Int, _ options: ImportOptions, _ engine: any StoreEngine
  ) throws -> ImportReport {
    var options = options
    (options.force, options.chunkRows) = (true, 3)
    options.rejectLimit = .count(9)
    return try engine.run(
      pipeline, on: [.bytes(records.joined(separator: "\n").utf8, name: "batch \(batch)")], options: options)
  }

  /// The statements of an import of batch 100, to which nothing happens.
  func statements(of engine: any StoreEngine) throws -> Int {
    try prepare(100)
    proxy.arm(nil)
    try take(100, through: engine)
    return proxy.count
  }

  /// A session of another's, through the proxy.
  func open() throws -> any StoreEngine { try StoreAddress(proxy.address(schema: schema)).open() }

  /// Everything that a batch has left behind a token, with names that are the same for all batches.
  func state(of batch: Int, after token: HistoryToken) throws -> [String] {
    let rows = try server.psql(
      """
      SELECT q.id, q.code, q.magnitude, q.region FROM "Quake" AS q WHERE q.id / 100 = \(batch) ORDER BY q.id;
      SELECT name, plain, "count", total, mean, largest, strong FROM "Region" WHERE name LIKE 'b\(batch)-%' ORDER BY name;
      SELECT code, times, record, read_since IS NULL, first_run = last_run FROM bolide_reject WHERE input = 'batch \(batch)';
      SELECT outcome, read, inserted, updated, unchanged, rejected, chunks, bytes FROM bolide_run
        WHERE input = 'batch \(batch)' AND outcome = 'ok' ORDER BY run;
      """, schema: schema
    ).split(separator: "\n").map(String.init)
    let history = try engine.history(HistoryRequest(after: token)).flatMap { transaction in
      ["transaction"]
        + transaction.changes.map { change in
          "\(change.kind) \(change.entity) \(change.key.map { "\($0.value.text)" })"
            + " \(change.previous.filter { $0.name != "touched" && $0.name != "in" }.map { "\($0.name) \($0.value.text)" })"
        }
    }
    return (rows + history).map { $0.replacing("\(batch)0", with: "#").replacing("b\(batch)-", with: "") }
  }
}
