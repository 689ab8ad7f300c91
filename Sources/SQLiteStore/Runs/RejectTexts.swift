internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import StoreInterface
internal import TypedRows

/// The texts of rejected records and of what they stood in: `bolide_reject_text`. Equal ones are one.
final class RejectTexts {
  /// A text that is in the table.
  struct Kept {
    let text: String
    let id: Int64
    let digest: Int64
  }

  private let database: Database
  private let key: SipHash.Key
  private let find: RawStatement
  private let insert: RawStatement
  private let remove: RawStatement

  init(_ db: Database, key: SipHash.Key) throws {
    database = db
    self.key = key
    find = try RawStatement(db, "SELECT id FROM bolide_reject_text WHERE digest = ? AND text = ?")
    insert = try RawStatement(
      db, "INSERT INTO bolide_reject_text(digest, text) VALUES (?, ?) RETURNING id")
    remove = try RawStatement(
      db,
      """
      DELETE FROM bolide_reject_text WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM bolide_reject WHERE text = ?1)
      AND NOT EXISTS (SELECT 1 FROM bolide_reject WHERE around = ?1)
      """)
  }

  /// Puts a text into the table, unless it is there.
  ///
  /// - Parameter last: the one that was put there last, which it often is.
  func keep(_ text: String?, last: Kept?) throws -> Kept? {
    guard let text else { return nil }
    if let last, last.text == text { return last }
    var hash = SipHash(key)
    hash.add(part: text)
    let digest = hash.value
    for statement in [find, insert] {
      statement.bind(digest, at: 1)
      statement.bind(text, at: 2)
      defer { statement.reset() }
      if try statement.step() { return Kept(text: text, id: statement.integer(0), digest: digest) }
    }
    return nil
  }

  /// Runs a statement that deletes rejected records, and takes their texts out of the table where no other one has them.
  ///
  /// SQLite writes noughts over what is deleted meanwhile: they may hold what nobody is to find in the file.
  /// - Parameters:
  ///   - deletion: `DELETE … RETURNING text, around`, its parameters bound.
  ///   - replacing: called in between; what it writes keeps its texts.
  /// - Returns: how many rejected records there were.
  @discardableResult
  func removeTexts(of deletion: RawStatement, replacing: () throws -> Void = {}) throws -> Int {
    let usual = try database.integer("PRAGMA secure_delete")
    try database.run("PRAGMA secure_delete = ON")
    var count = 0
    var ids: Set<Int64> = []
    while try deletion.step() {
      count += 1
      for column: Int32 in 0...1 where !deletion.isNull(column) { ids.insert(deletion.integer(column)) }
    }
    try replacing()
    for id in ids {
      remove.bind(id, at: 1)
      try remove.run()
    }
    try database.run("PRAGMA secure_delete = \(usual)")
    return count
  }
}

extension SipHash.Key {
  /// The key of a store's digests.
  init(_ db: Database) throws {
    guard case .blob(let bytes) = try db.value("SELECT digest_key FROM bolide_store") else {
      throw StoreError.noName
    }
    self.init(bytes)
  }
}
