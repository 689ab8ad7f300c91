package import GRDB
package import ImportModel
internal import SQLiteAccess
package import TypedRows

/// Takes out what was rejected of some objects.
package struct RejectErasure {
  private let db: Database
  /// The key of the digests by which rejected records know their keys.
  package let digestKey: SipHash.Key
  private let texts: RejectTexts

  package init(_ db: Database) throws {
    self.db = db
    digestKey = try SipHash.Key(db)
    texts = try RejectTexts(db, key: digestKey)
  }

  /// Takes out rejected records, and children of records, that have one of some keys of an entity.
  ///
  /// Of pipelines that have read no record of the entity, an equal key is another object's.
  /// - Parameter keys: their digests.
  /// - Returns: how many there were.
  package func remove(_ keys: [Int64], of entity: Entity) throws -> Int {
    let delete = try RawStatement(
      db,
      """
      DELETE FROM bolide_reject WHERE key IN (SELECT value FROM json_each(?2)) AND \(Self.mayBeOf)
      RETURNING text, around
      """)
    delete.bind(entity.name, at: 1)
    delete.bind(keys.json, at: 2)
    return try texts.removeTexts(of: delete)
  }

  /// The rejected records that may be an entity's, or contain one of its objects: their key could not be read, or is that of
  /// an object that it was linked to.
  ///
  /// - Parameter owners: the digests of such objects' keys.
  package func unclear(_ owners: [Int64], of entity: Entity) throws -> Set<Int64> {
    let rows = try RawStatement(
      db,
      """
      SELECT reject FROM bolide_reject WHERE (key IS NULL OR key IN (SELECT value FROM json_each(?2)))
      AND text IS NOT NULL AND \(Self.mayBeOf)
      """)
    rows.bind(entity.name, at: 1)
    rows.bind(owners.json, at: 2)
    var rejects: Set<Int64> = []
    while try rows.step() { rejects.insert(rows.integer(0)) }
    return rejects
  }

  /// Whether a reject's pipeline has read the entity, as far as its runs have noted what they read.
  private static let mayBeOf = """
    (SELECT count(*) = 0 OR total(f.entity = ?1 COLLATE NOCASE) > 0 FROM bolide_run AS r
    JOIN bolide_run_field AS f USING (run) WHERE r.pipeline = bolide_reject.pipeline)
    """
}

extension Collection<Int64> {
  /// `[1,2]`, for SQLite's `json_each`.
  package var json: String { "[\(map(String.init).joined(separator: ","))]" }
}
