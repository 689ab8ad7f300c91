internal import ChunkMerging
internal import GRDB
internal import ImportModel
package import StoreInterface
internal import TypedRows

// What an import asks and does at its input's end: whether it is like the inputs before, and what it has no more.
extension SQLiteImport {
  package func missingOfLastRun() throws -> RowShare? {
    try looking { try seenLog?.missingOfLast($0, (layout, writer.memory.seen)) }
  }

  package func changedSinceLastGoodRun() throws -> RowShare? {
    try looking { try LastGoodRun($0, pipeline: pipeline.name)?.changed($0, layout, writer.memory.seen) }
  }

  package func goneRows() throws -> [(entity: String, share: RowShare)] {
    let found = try looking { db in try gone(db) }
    var rows: [(entity: String, share: RowShare)] = []
    for one in found?.gone ?? [] {
      rows.append((one.entity.name, RowShare(one.ids.count, of: one.ids.count + one.seen)))
    }
    return rows
  }

  private func gone(_ db: Database) throws -> (gone: [GoneRows.Rows], returned: [Int64])? {
    try seenLog?.gone(db, (layout, writer.memory.seen), children: seenChildren)
  }

  package func treatGone() throws {
    func treat(_ db: Database) throws {
      guard let found = try gone(db) else { return }
      let rows = GoneRows(policy: pipeline.gone, entity: layout.entity)
      try writer.triggering {
        progress.gone = try rows.treat(db, gone: found.gone, returned: found.returned, now: clock.now())
      }
    }
    if let open { return try treat(open) }
    try writing { db in
      clock.advance()
      try transact(db) {
        try treat(db)
        return true
      }
    }
  }

  /// Writes what the run saw; nil where the feed is not full, or the run is not complete.
  ///
  /// - Parameter isComplete: the input was read to its end.
  func missingNow(_ db: Database, isComplete: Bool) throws -> Int? {
    guard let seenLog else { return nil }
    let records = (layout, writer.memory.seen)
    let isComplete = isComplete && seenLog.rejected.knowsKeys
    let known = isComplete ? [records] + seenChildren : []
    // A marked row stays so until a complete run sees it.
    let met = (pipeline.gone.marks ? [] : [records]) + children.flatMap(\.seen)
    try seenLog.meet(
      db, met.filter { one in !known.contains { $0.0.entity.name == one.0.entity.name } },
      records: layout.entity.name)
    return isComplete ? try seenLog.write(db, run: run, records, children: seenChildren) : nil
  }

  /// What the records' children met; nothing where one of them was not read, or met no row.
  private var seenChildren: [(ChunkLayout, ObjectSet)] {
    guard seenLog?.rejected.knowsChildren == true, progress.childrenMetTheirRows else { return [] }
    return children.flatMap(\.seen)
  }

  /// On the connection that has the run's changes, also those of an open transaction.
  func looking<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try open.map(body) ?? writing(body)
  }
}
