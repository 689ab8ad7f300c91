import Bolide
import Foundation
import StoreInterface
import TestServer
import Testing

/// A store in a file or on a server, and what other programs do to it.
final class KeptStore {
  enum Place: CaseIterable { case file, server }

  static let model = """
    bolide: 1
    name: quakes
    store: quakes.sqlite
    entity: Quake
    feed: full
    gone: delete
    max-missing: 100%
    key: id
    attributes:
      id:        integer64
      magnitude: double
      place:     { type: string, transient: true }
    link: { in: { to: { name: place } } }
    relationships: { in: { to-one: Region, inverse: quakes } }
    entities:
      Region:
        key: name
        attributes: { name: string, count: { derived: quakes.@count } }
        relationships: { quakes: { to-many: Quake, inverse: in } }

    """

  let engine: any StoreEngine
  private let place: Place
  private let pipeline: Pipeline
  private let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sqlite").path
  private let server: TestServer
  private let schema = "s\(UInt64.random(in: 0 ... .max))"

  init(_ place: Place, _ model: String = KeptStore.model) throws {
    self.place = place
    pipeline = try Pipeline(yaml: model, file: "quakes.yaml", directory: ".")
    server = try TestServer.shared.get()
    engine = try StoreAddress(place == .file ? file : server.address(schema: schema))
      .open(for: pipeline, lockWait: 10)
  }

  deinit {
    for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + end) }
  }

  /// Runs SQL as another program.
  func run(_ sql: String) throws {
    if place == .server { return _ = try server.psql("\(sql);", schema: schema) }
    let (process, errors) = (Process(), Pipe())
    process.standardError = errors
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sqlite3", "-bail", file, sql]
    try process.run()
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    if process.terminationStatus != 0 { throw Refusal(text: said) }
  }

  private struct Refusal: Error { let text: String }

  /// Has all rows of an entity stay as they are.
  func keep(_ entity: String = "Quake") throws {
    try run(
      place == .server
        ? """
        CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
        CREATE TRIGGER nothing BEFORE UPDATE OR DELETE ON "\(entity)" FOR EACH ROW EXECUTE FUNCTION nothing();
        """
        : ["UPDATE", "DELETE"].map {
          "CREATE TRIGGER no_\($0) BEFORE \($0) ON \(entity) BEGIN SELECT RAISE(IGNORE); END;"
        }.joined())
  }

  @discardableResult
  func take(_ records: String) throws -> ImportReport {
    try engine.run(pipeline, on: [.bytes(records.utf8, name: "feed")], options: ImportOptions())
  }

  func rows() throws -> [String] {
    var rows: [String] = []
    for entity in ["Quake", "Region"] {
      try engine.readRows(ObjectQuery(entity), at: nil) { rows.append("\($0.values.map(\.value.text))") }
    }
    return rows
  }

  /// Expects to be told that rows of an entity are kept, and that nothing is done.
  ///
  /// - Parameter isCommand: whether it is a command of Bolide's own, which says what to do.
  func expectKept(_ entity: String, isCommand: Bool = true, _ body: () throws -> Void) throws {
    let (before, token) = (try rows(), try engine.newestToken())
    let error = #expect(throws: (any Error).self) { try body() }
    let text =
      (error as? StoreError).map { "\($0.message). \($0.hint ?? "")" } ?? error.map { "\($0)" } ?? ""
    let said = "a trigger of another program keeps rows of \(entity) from being changed or deleted"
    #expect(
      isCommand
        ? text.hasSuffix(": \(said). Drop the trigger, or have it raise an error.") : text.contains(said),
      "\(text)")
    #expect(try rows() == before)
    #expect(try engine.newestToken() == token)
    try engine.verify { #expect($0.isTrue, "\($0)") }
  }
}
