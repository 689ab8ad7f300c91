internal import Foundation
package import GRDB
internal import ImportModel
package import ModelMerging
internal import RowExpressions
internal import SQLiteAccess
internal import StoreInterface
internal import Synchronization

/// A row of `bolide_model`.
extension ModelRecord {
  /// The newest one; empty in a file without one.
  ///
  /// - Parameter schema: which of the connection's files; nil for the first that has one.
  package init(_ db: Database, schema: String? = nil) throws {
    let table = (schema.map { $0 + "." } ?? "") + "bolide_model"
    let newest = "SELECT model FROM \(table) ORDER BY version DESC LIMIT 1"
    guard case .text(let text) = try db.value(newest) else {
      self.init()
      return
    }
    self = try Self.sound(text)
  }

  /// Reads a model, and sees that it is one that a pipeline could have: names and filters of it become SQL.
  private static func sound(_ text: String) throws -> ModelRecord {
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
  private static let soundModels = Mutex<[String: ModelRecord]>([:])

  /// Keeps it as the model's newest version.
  func write(_ db: Database) throws {
    try db.run(
      "INSERT INTO bolide_model(since, model) VALUES (?, ?)", .text(timestamp()), .text(try Self.encode(self))
    )
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
