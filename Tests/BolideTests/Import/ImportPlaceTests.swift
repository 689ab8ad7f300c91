import Bolide
import Foundation
import GRDB
import Synchronization

/// A folder of a test's own for a store of quakes, gone with the test.
final class StorePlace: Sendable {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "bolide-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  func url(_ name: String) -> URL { folder.appending(path: name) }

  func path(_ name: String) -> String { url(name).path(percentEncoded: false) }

  /// The quakes in the store, a text each.
  func rows() throws -> [String] {
    try texts("SELECT id || '|' || ifnull(magnitude, '') FROM Quake ORDER BY id")
  }

  /// The texts that a query of one column gives.
  func texts(_ sql: String) throws -> [String] {
    var configuration = Configuration()
    configuration.readonly = true
    // An import that has just ended may still be closing its connection.
    configuration.busyMode = .timeout(5)
    let queue = try DatabaseQueue(path: path("quakes.sqlite"), configuration: configuration)
    return try queue.read { try String.fetchAll($0, sql: sql) }
  }

  static let yaml = """
    bolide: 1
    store: quakes.sqlite
    entity: Quake
    key: id
    attributes:
      id:        string
      magnitude: double
    """

  /// Quakes, each linked to its region, which counts them.
  ///
  /// - Parameter more: further attributes of quakes, indented by two.
  static func linkedYAML(_ more: String = "") -> String {
    """
    bolide: 1
    name: quakes
    entity: Quake
    key: id
    attributes:
      id: string
      depth: integer64
      number: { type: integer16, from: region, transient: true }
    \(more)
    link:
      region: { to: { number: number } }
    entities:
      Region:
        key: number
        attributes:
          number: integer16
          count: { derived: quakes.@count }
        relationships:
          quakes: { to-many: Quake, inverse: region, on-delete: nullify }
    """
  }

  /// The quakes of `yaml`, built in code.
  static let pipeline = Pipeline(
    name: "quakes", entity: "Quake",
    model: Model(entities: [
      Entity(
        name: "Quake", key: ["id"],
        attributes: [
          Attribute(name: "id", type: .string, isRequired: true), Attribute(name: "magnitude", type: .double),
        ])
    ]),
    fields: [Field("id"), Field("magnitude")])
}

/// Numbers that a callback has seen.
final class Seen: Sendable {
  private let list = Mutex<[Int]>([])

  func add(_ number: Int) { list.withLock { $0.append(number) } }

  var numbers: [Int] { list.withLock { $0 } }
}
