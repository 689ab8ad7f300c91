import Bolide
import Foundation
import PlainEngine
import StoreInterface
import TestServer
import Testing

/// The engines that are held to the laws. A new one is a case here, and no law changes.
enum Engine: CaseIterable, CustomTestStringConvertible {
  case sqlite, postgreSQL, plain

  /// Those that implement everything.
  static let whole: [Engine] = [.sqlite]
  /// Those that keep rejected records and know full feeds.
  static let keeping: [Engine] = [.sqlite, .postgreSQL]

  var testDescription: String { "\(self)" }

  func make(_ pipeline: Pipeline) throws -> any StoreEngine {
    switch self {
    case .sqlite: try StoreAddress.inMemory(for: pipeline)
    case .postgreSQL:
      try StoreAddress(TestServer.shared.get().freshAddress()).open(for: pipeline, lockWait: 10)
    case .plain: try PlainEngine(for: pipeline)
    }
  }
}

/// A store of an engine's, filled through the import loop and looked at through the seam alone.
struct LawStore {
  let engine: any StoreEngine
  private let pipeline: Pipeline

  /// - Parameter settings: lines behind the model, such as `merge: ignore`.
  init(_ kind: Engine, _ model: String = LawStore.quakes, _ settings: String = "") throws {
    pipeline = try Pipeline(yaml: model + settings, file: "law.yaml", directory: ".")
    engine = try kind.make(pipeline)
  }

  /// An event with what can be derived, and a link.
  static let quakes = """
    bolide: 1
    name: law
    store: law.sqlite
    entity: Quake
    key: id
    attributes:
      id:        integer64
      code:      string
      magnitude: double
      depth:     { type: decimal, scale: 2 }
      kind:      { type: string, default: quake }
      grade:     { type: integer16, required: true, default: 1 }
      modified:  integer64
      seen:      { type: integer64, volatile: true }
      place:     { type: string, transient: true }
      region:    { derived: in.name }
      touched:   { type: date, derived: now() }
    link:
      in: { to: { name: place } }
    relationships:
      in: { to-one: Region, inverse: quakes }
    entities:
      Region:
        key: name
        attributes:
          name:    string
          plain:   { derived: canonical:(name) }
          count:   { derived: quakes.@count }
          total:   { derived: quakes.magnitude.@sum }
          largest: { derived: quakes.magnitude.@max }
          strong:  { derived: quakes.@count, where: "magnitude > 5.0" }
        relationships: { quakes: { to-many: Quake, inverse: in } }

    """

  /// Imports records, with a setting for this run only.
  @discardableResult
  func take(
    _ records: [String], settings: String? = nil, chunkRows: Int? = nil, isAtomic: Bool = false
  ) throws -> ImportReport {
    let pipeline = try settings.map {
      try Pipeline(yaml: LawStore.quakes + $0, file: "law.yaml", directory: ".")
    }
    var options = ImportOptions()
    (options.chunkRows, options.isAtomic, options.force) = (chunkRows, isAtomic, true)
    let input = ImportSource.bytes(records.joined(separator: "\n").utf8, name: "feed")
    return try engine.run(pipeline ?? self.pipeline, on: [input], options: options)
  }

  /// An entity's objects by their keys' texts, or as they were at a token.
  func rows(_ entity: String = "Quake", at token: HistoryToken? = nil) throws -> [String: [String: Value]] {
    var rows: [String: [String: Value]] = [:]
    try engine.readRows(ObjectQuery(entity), at: token) { row in
      rows[row.key.text] = row.values.byName
    }
    return rows
  }

  /// The objects that meet a predicate.
  func ids(_ entity: String, _ predicate: String, _ values: [Value] = []) throws -> [Int64] {
    var ids: [Int64] = []
    try engine.readRows(ObjectQuery(entity, where: .init(text: predicate, values: values)), at: nil) {
      ids.append($0.id)
    }
    return ids
  }

  /// What a deleted object was: its change leaves out what was null.
  func object(_ change: HistoryChange) -> [String: Value] {
    guard let entity = pipeline.model.entity(named: change.entity) else { return [:] }
    let names =
      entity.attributes.filter { !$0.isTransient }.map(\.name) + entity.toOneRelationships.map(\.name)
    return Dictionary(names.map { ($0, .null) }) { first, _ in first }.merging(change.previous.byName) { $1 }
  }

  /// Everything, by what identifies an object in the store.
  func state(at token: HistoryToken? = nil) throws -> [ObjectID: [String: Value]] {
    var state: [ObjectID: [String: Value]] = [:]
    for entity in ["Quake", "Region"] {
      try engine.readRows(ObjectQuery(entity), at: token) { row in
        state[ObjectID(entity: entity, id: row.id)] = row.values.byName
      }
    }
    return state
  }
}

extension LawStore {
  /// A store with a history by chance, and the token of each of its states.
  static func history(_ engine: Engine, _ seed: Int) throws -> (LawStore, [HistoryToken]) {
    var chance = Chance(seed)
    let store = try LawStore(engine, LawStore.quakes, chance.settings() + "max-rejects: 100%\n")
    var tokens = [try store.engine.newestToken()]
    for _ in 0..<5 {
      try store.take(chance.feed(), chunkRows: 1 + chance.below(8), isAtomic: chance.below(3) == 0)
      let token = try store.engine.newestToken()
      if token != tokens.last { tokens.append(token) }
    }
    if Engine.keeping.contains(engine) {
      for rows in [12, 6] {
        try store.take((0..<rows).map { "{\"id\": \($0)}" }, settings: "feed: full")
        tokens.append(try store.engine.newestToken())
      }
      _ = try store.engine.deleteMissing(of: nil, noMoreThan: 1)
      tokens.append(try store.engine.newestToken())
    }
    return (store, tokens)
  }
}

extension [HistoryChange.Property] {
  var byName: [String: Value] { Dictionary(map { ($0.name, $0.value) }) { first, _ in first } }

  var text: String { map { "\($0.value.plain)" }.joined(separator: " ") }
}

extension Value {
  /// The value without its kind.
  var plain: String {
    switch self {
    case .null: "null"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): text
    case .blob(let bytes): "\(bytes)"
    }
  }
}

/// Numbers by chance, the same for a seed.
struct Chance: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: Int) { state = UInt64(truncatingIfNeeded: seed) &* 0x9e37_79b9_7f4a_7c15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state &* 0x2545_f491_4f6c_dd1d
  }

  mutating func below(_ end: Int) -> Int { Int.random(in: 0..<end, using: &self) }

  /// A feed of quakes whose keys come again, within it and in the next one.
  mutating func feed() -> [String] {
    (0...below(12)).map { _ in
      var parts = ["\"id\": \(below(15))"]
      func maybe(_ part: @autoclosure () -> String) { parts.append(part()) }
      if below(3) > 0 { maybe("\"magnitude\": \(below(4) == 0 ? "null" : "\(Double(below(90)) / 10)")") }
      if below(4) == 0 { maybe("\"code\": \"c\(below(12))\"") }
      if below(2) == 0 { maybe("\"depth\": \(below(5000)).\(10 + below(90))") }
      if below(3) == 0 { maybe("\"kind\": \(below(3) == 0 ? "null" : "\"blast\"")") }
      if below(2) == 0 { maybe("\"place\": \"Régiön \(below(4))\"") }
      if below(2) == 0 { maybe("\"seen\": \(below(9))") }
      if below(12) == 0 { maybe("\"grade\": null") }
      maybe("\"modified\": \(below(6))")
      return "{\(parts.joined(separator: ", "))}"
    }
  }

  /// How an import by chance is set.
  mutating func settings() -> String {
    let merge = ["update", "update-non-null", "ignore", "{ update-if-newer: modified }"][below(4)]
    let repeated = ["last", "first", "reject"][below(3)]
    return "merge: \(merge)\n" + (merge.hasPrefix("{") ? "" : "repeated-key: \(repeated)\n")
  }
}
