internal import ChunkMerging
package import GRDB
internal import ImportModel
internal import SQLiteAccess
package import StoreInterface
internal import TypedRows

/// Keeps which objects the complete runs of a full feed saw, so that the store can say which are missing.
///
///     a complete run sees S:      missing = (missing + last) - S,      last = S
///     another one meets S:        missing = missing - S,               last = last + what was missing and is in S
///
/// Rows that the pipeline never brought are in neither.
package struct PresenceTracker {
  private let pipeline: String
  /// What was not seen although it came.
  var rejected = RejectedOfRun()

  init(pipeline: String) {
    self.pipeline = pipeline
  }

  /// Writes what a run saw that has read its input to the end, inside the caller's transaction.
  ///
  /// - Parameters:
  ///   - records: the objects that the records met.
  ///   - children: the same of their children, and of the links that the pipeline owns; none where not all are known.
  /// - Returns: how many rows are missing now; nil when the run is not complete.
  /// - Complexity: O(ids / 4,096), O(missing) to find those that somebody has deleted, and where records were rejected a
  ///   look at each row that may be missing.
  func write(
    _ db: Database, run: Int64, _ records: (ChunkLayout, ObjectSet), children: [(ChunkLayout, ObjectSet)]
  ) throws -> Int? {
    guard rejected.knowsKeys else { return nil }
    for (place, (layout, seen)) in ([records] + children).enumerated() {
      var seen = seen
      try bits(db, layout, &seen, areRecords: place == 0).complete(seen)
      let note = try RawStatement(
        db,
        """
        INSERT INTO bolide_complete(pipeline, entity, run) VALUES (?1, ?2, ?3)
        ON CONFLICT DO UPDATE SET run = excluded.run
        """)
      note.bind(pipeline, at: 1)
      note.bind(layout.entity.name, at: 2)
      note.bind(run, at: 3)
      try note.run()
    }
    return try Self.missing(db, pipeline: pipeline)?.count
  }

  /// Writes what a run met that may not have seen all, inside the caller's transaction.
  ///
  /// - Parameter records: their entity's name: those that were rejected count, too.
  func meet(_ db: Database, _ met: [(ChunkLayout, ObjectSet)], records: String) throws {
    for (layout, seen) in met {
      var seen = seen
      try bits(db, layout, &seen, areRecords: layout.entity.name == records).meet(seen)
    }
  }

  /// The rows that are missing by what a run has seen, of each entity that its records bring, children before their parents;
  /// and those of the records that were missing and are not.
  ///
  /// - Returns: nil when the run is not complete.
  func gone(
    _ db: Database, _ records: (ChunkLayout, ObjectSet), children: [(ChunkLayout, ObjectSet)]
  ) throws -> (gone: [GoneRows.Rows], returned: [Int64])? {
    guard rejected.knowsKeys else { return nil }
    var gone: [GoneRows.Rows] = []
    var returned: [Int64] = []
    for (place, (layout, seen)) in ([records] + children).enumerated() {
      var seen = seen
      let bits = try bits(db, layout, &seen, areRecords: place == 0)
      if place == 0 { returned = try bits.missing().filter(seen.contains) }
      let rows = GoneRows.Rows(
        entity: layout.entity, ids: try bits.missing(behind: seen), seen: seen.count)
      gone.insert(rows, at: 0)
    }
    return (gone, returned)
  }

  /// Of the records' rows that the last complete run saw and that are there: how many this run has not met.
  ///
  /// - Returns: nil where no complete run is known, or the key of a rejected record is not.
  func missingOfLast(
    _ db: Database, _ records: (layout: ChunkLayout, seen: ObjectSet)
  ) throws -> RowShare? {
    guard rejected.knowsKeys else { return nil }
    var seen = records.seen
    let last = try bits(db, records.layout, &seen, areRecords: true).lastUnseen(by: seen)
    return last.total == 0 ? nil : last
  }

  /// How many rows of a pipeline are missing, of these and those that its last complete run saw; nil when no complete run of it
  /// is known.
  package static func missing(_ db: Database, pipeline: String) throws -> RowShare? {
    let entities = try RawStatement(
      db,
      "SELECT entity FROM bolide_complete WHERE pipeline = ? AND entity IN (SELECT name FROM bolide_entity)")
    entities.bind(pipeline, at: 1)
    var share: RowShare?
    while try entities.step() {
      let bits = try PresenceBitmap(db, pipeline: pipeline, entity: entities.string(0) ?? "")
      let missing = try bits.missingCount()
      let before = share ?? RowShare(0, of: 0)
      share = RowShare(before.count + missing, of: before.total + missing + (try bits.lastCount()))
    }
    return share
  }

  /// The two sets of an entity; to what a run has seen of the records' are added the rejected ones.
  private func bits(
    _ db: Database, _ layout: ChunkLayout, _ seen: inout ObjectSet, areRecords: Bool
  ) throws -> PresenceBitmap {
    let bits = try PresenceBitmap(db, pipeline: pipeline, entity: layout.entity.name)
    if areRecords, !rejected.keys.isEmpty { try addRejected(db, layout, bits, to: &seen) }
    return bits
  }

  /// Adds the rows that rejected records mean: of those that were not seen, the ones with their keys.
  private func addRejected(
    _ db: Database, _ layout: ChunkLayout, _ bits: PresenceBitmap, to seen: inout ObjectSet
  ) throws {
    let key = layout.keyColumns.map { quoted(layout.columns[$0].name) }.joined(separator: ", ")
    let row = try RawStatement(
      db, "SELECT \(key) FROM \(quoted(layout.entity.name)) WHERE bolide_id = ?")
    for id in try bits.unseen(by: seen) {
      row.bind(id, at: 1)
      if try row.step(), rejected.keys.contains(Chunk.keyDigest(row, layout)) { seen.insert(id) }
      row.reset()
    }
  }
}
