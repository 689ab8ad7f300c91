import Bolide
import Foundation
import StoreInterface
import TestServer

/// Files of orders, and stores of both engines into which they are imported, several at a time.
final class OrderStores: Sendable {
  let folder: URL
  let pipeline: Pipeline
  /// A file that may skip inputs, a store on the server that may, and one that reads each.
  let stores: [any StoreEngine]
  let addresses: [StoreAddress]
  private let server: TestServer
  private let schemas: [String]

  private static let model = """
    bolide: 1
    name: orders
    store: orders.sqlite
    entity: Order
    key: id
    unique: code
    check: version IS NULL OR version < 90
    KEYS
    attributes:
      id:        string
      version:   integer32
      code:      string
      size:      { type: integer32, required: true }
      shopName:  { type: string, from: shop, transient: true }
      lineCount: { derived: lines.@count }
      isGone:    boolean
    link:
      shop: { to: { name: shopName } }
    entities:
      Shop:
        key: name
        attributes:
          name:  string
          total: { derived: orders.version.@sum }
        relationships:
          orders: { to-many: Order, inverse: shop, on-delete: nullify }
    children:
      lines:
        entity: Line
        inverse: order
        records: items
        key: [order, sku]
        attributes:
          sku:    string
          amount: { type: double, max: 90 }
    """

  /// - Parameters:
  ///   - keys: more lines of the pipeline's file.
  ///   - part: what is left out of it.
  init(_ keys: String = "", without part: String = "\0") throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "bolide-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    pipeline = try Self.pipeline(keys, replacing: part)
    server = try TestServer.shared.get()
    schemas = (0..<2).map { _ in "s\(UInt64.random(in: 0 ... .max))" }
    addresses = ([folder.appending(path: "orders.sqlite").path] + schemas.map(server.address(schema:))).map {
      StoreAddress($0)
    }
    stores = try addresses.map { [pipeline] in try $0.open(for: pipeline, lockWait: 10) }
  }

  /// The pipeline, with other keys or another name, or with something replaced.
  static func pipeline(
    _ keys: String = "", name: String = "orders", replacing part: String = "\0", with other: String = ""
  ) throws -> Pipeline {
    let text = model.replacing("KEYS", with: "max-rejects: 50%\n\(keys)")
      .replacing("name: orders", with: "name: \(name)").replacing(part, with: other)
    return try Pipeline(yaml: text, file: "orders.yaml", directory: ".")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: folder.appending(path: name))
  }

  /// Imports files.
  ///
  /// - Parameter store: by its place.
  func take(_ files: [String], into store: Int, _ options: ImportOptions) throws -> ImportReport {
    var options = options
    options.force = store == 2
    return try stores[store].run(pipeline, on: files.map(source), options: options)
  }

  func source(_ file: String) -> ImportSource { .file(folder.appending(path: file).path) }

  /// Runs SQL as another program.
  func write(sql: String, into store: Int) throws {
    if store > 0 { return _ = try server.psql(sql, schema: schemas[store - 1]) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "sqlite3", "-bail", "-cmd", ".timeout 20000", folder.appending(path: "orders.sqlite").path, sql,
    ]
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus != 0 { throw Failure(description: sql) }
  }

  /// A program that goes on while imports are at work on the server's first store.
  func otherProgram() throws -> OtherProgram { try OtherProgram(on: server, schema: schemas[0]) }

  /// Waits until the server shows something: as long as it takes, as the test has a time limit.
  func waitUntil(_ condition: String) throws {
    while try psql("SELECT \(condition)") != "t" { usleep(20_000) }
  }

  func psql(_ sql: String) throws -> String { try server.psql(sql, schema: schemas[0]) }

  struct Failure: Error, CustomStringConvertible { let description: String }

  /// Sees that nothing in a store is wrong.
  func verify(_ store: Int) throws {
    try stores[store].verify { if !$0.isTrue { throw Failure(description: "\($0)") } }
  }

  /// All rows of a store by their keys.
  func rows(of store: Int) throws -> [String] {
    var keys: [String: [Int64: String]] = [:]
    var rows: [String] = []
    for entity in ["Shop", "Order", "Line"] {
      try stores[store].readRows(ObjectQuery(entity), at: nil) { row in
        let values = row.values.map { property in
          if case .integer(let id) = property.value, let names = keys[property.name] {
            return names[id] ?? "?"
          }
          return property.value.text
        }
        keys[entity.lowercased(), default: [:]][row.id] = values.first
        rows.append("\(entity) \(row.values.map(\.name)) \(values)")
      }
    }
    return rows.sorted()
  }

  /// The kept rejected records, without what is of one engine.
  func rejects(of store: Int) throws -> [String] {
    var rejects: [String] = []
    try stores[store].readRejects(RejectFilter()) { kept in
      let reject = kept.reject
      rejects.append(
        "\(reject.input) \(reject.record) \(reject.code) \(reject.entity ?? "") \(kept.firstRun) \(kept.lastRun) \(kept.times)"
      )
    }
    return rejects.sorted()
  }
}
