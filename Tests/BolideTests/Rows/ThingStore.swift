import Bolide
import Foundation

/// A store with an attribute of each type, a to-one relationship, and a fetched property.
enum ThingStore {
  static let yaml = """
    bolide: 1
    store: things.sqlite
    entity: Thing
    key: id
    attributes:
      id:      string
      small:   integer16
      middle:  integer32
      large:   integer64
      real:    double
      single:  float
      price:   { type: decimal, scale: 2 }
      tiny:    { type: decimal, scale: 18 }
      flag:    boolean
      at:      date
      millis:  { type: date, precision: ms }
      micros:  { type: date, precision: us }
      day:     day
      uuid:    uuid
      bytes:   binary
      note:    json
      quality: string
      place:   { type: string, transient: true }
    link:
      group: { to: { name: place } }
    fetched:
      twins: { entity: Thing, where: "small = $FETCH_SOURCE.small", sort: [id] }
    entities:
      Group:
        key: name
        attributes: { name: string, count: { derived: things.@count } }
        relationships: { things: { to-many: Thing, inverse: group, on-delete: nullify } }
    """

  static func pipeline() throws -> Pipeline { try Pipeline(yaml: yaml, file: "things.yaml", directory: "") }

  /// A store with records that are written as JSON.
  static func holding(_ records: [String]) async throws -> Store {
    let pipeline = try pipeline()
    let store = try await Store(inMemoryFor: pipeline)
    _ = try await store.run(pipeline, on: .bytes("[\(records.joined(separator: ","))]".utf8))
    return store
  }
}

/// A thing as a program reads it.
struct Thing: Decodable, Equatable, Sendable {
  struct Group: Decodable, Equatable, Sendable {
    var name: String
    var count: Int
  }
  enum Quality: String, Decodable, Sendable, CaseIterable {
    case good, bad
  }

  var id: String
  var small: Int16?
  var middle: Int32?
  var large: Int64?
  var real: Double?
  var single: Float?
  var price: Decimal?
  var tiny: Decimal?
  var flag: Bool?
  var at: Date?
  var millis: Date?
  var micros: Date?
  var day: Date?
  var uuid: UUID?
  var bytes: Data?
  var note: String?
  var quality: Quality?
  var group: Group?
}

extension Decimal {
  /// A number without an exponent.
  init(text: String) {
    self = Decimal(string: text) ?? .nan
  }
}
