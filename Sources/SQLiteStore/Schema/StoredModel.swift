internal import Foundation
package import GRDB
package import ImportModel
internal import RowExpressions
internal import SQLiteAccess
internal import StoreInterface
internal import Synchronization

/// What a store keeps of its model: the model itself, the names before, and what was dropped.
///
/// A row of `bolide_model`. Its JSON is the model's, with keys of its own beside it.
package struct StoredModel: Codable, Sendable {
  /// A property that was dropped, as history still knows it.
  package struct Dropped: Codable, Equatable, Sendable {
    let property: Int64
    let entity: Int64
    let name: String
    /// Nil for a relationship.
    let type: AttributeType?
    let isDerived: Bool
  }

  private var entities: [Entity] = []
  private var were: [Rename]?
  private var gone: [Dropped]?
  private var indexedBy: [DeclaredIndex]?

  private enum CodingKeys: String, CodingKey {
    case entities
    case were = "renames"
    case gone = "dropped"
    case indexedBy = "indexes"
  }

  package init(_ model: Model = Model()) { entities = model.entities }

  package var model: Model {
    get { Model(entities: entities) }
    set { entities = newValue.entities }
  }

  /// The names that present things had before, under their present entity's name.
  var renames: [Rename] {
    get { were ?? [] }
    set { were = newValue.isEmpty ? nil : newValue }
  }

  /// The properties of present entities that were dropped.
  var dropped: [Dropped] {
    get { gone ?? [] }
    set { gone = newValue.isEmpty ? nil : newValue }
  }

  /// The indexes that pipelines declare.
  var indexes: [DeclaredIndex] {
    get { indexedBy ?? [] }
    set { indexedBy = newValue.isEmpty ? nil : newValue }
  }

  /// The newest one; empty in a file without one.
  ///
  /// - Parameter schema: which of the connection's files; nil for the first that has one.
  package init(_ db: Database, schema: String? = nil) throws {
    let table = (schema.map { $0 + "." } ?? "") + "bolide_model"
    let newest = "SELECT model FROM \(table) ORDER BY version DESC LIMIT 1"
    guard case .text(let text) = try db.value(newest) else { return }
    self = try Self.sound(text)
  }

  /// Reads a model, and sees that it is one that a pipeline could have: names and filters of it become SQL.
  private static func sound(_ text: String) throws -> StoredModel {
    if let known = soundModels.withLock({ $0[text] }) { return known }
    let stored = try decode(Self.self, text)
    let pipeline = Pipeline(name: "model", entity: "", model: stored.model, fields: [])
    // A filter is compiled with the names of a model that is sound.
    if let problem = stored.model.problems().first ?? pipeline.filterProblems().first {
      throw StoreError.unsoundModel(problem.message)
    }
    soundModels.withLock {
      if $0.count >= 16 { $0.removeAll() }
      $0[text] = stored
    }
    return stored
  }

  /// Models that were found to be sound, by their text: a command reads its store's a dozen times.
  private static let soundModels = Mutex<[String: StoredModel]>([:])

  /// Keeps it as the model's newest version.
  func write(_ db: Database) throws {
    try db.run(
      "INSERT INTO bolide_model(since, model) VALUES (?, ?)", .text(timestamp()), .text(try Self.encode(self))
    )
  }

  /// The names that an entity's properties have, or had before they were dropped or renamed.
  func names(of entity: String) -> Set<String> {
    let present =
      model.entity(named: entity).map { $0.attributes.map(\.name) + $0.relationships.map(\.name) } ?? []
    let before = renames.filter { $0.entity == entity }.map(\.was)
    return Set(present + before + dropped.map(\.name))
  }

  /// The model as it was in one version; nil where there is none.
  static func version(_ version: Int64, _ db: Database) throws -> Model? {
    guard case .text(let text) = try db.value("SELECT model FROM bolide_model WHERE version = \(version)")
    else {
      return nil
    }
    return try decode(Model.self, text)
  }

  /// All versions of the model but the newest, the oldest first.
  static func earlier(_ db: Database) throws -> [Model] {
    let rows = try RawStatement(db, "SELECT model FROM bolide_model ORDER BY version")
    var models: [Model] = []
    while try rows.step() { models.append(try decode(Model.self, rows.string(0) ?? "")) }
    return models.dropLast()
  }

  /// A text for the store's own tables.
  static func encode(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  static func decode<Kind: Decodable>(_ kind: Kind.Type, _ text: String) throws -> Kind {
    do {
      return try JSONDecoder().decode(kind, from: Data(text.utf8))
    } catch {
      throw StoreError.unreadableModel
    }
  }
}
