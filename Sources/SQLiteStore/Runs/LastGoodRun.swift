internal import ChunkMerging
internal import GRDB
internal import ImportModel
internal import ModelMerging
internal import SQLiteAccess
internal import StoreInterface
internal import TypedRows

/// The state that a pipeline's last good run left, or a revert of one after it, as far back as history goes.
struct LastGoodRun {
  /// The version of the model that it had.
  private let model: Int64
  /// The newest transaction of it.
  private let transaction: Int64
  private let pipeline: String

  /// - Returns: nil where no run was good.
  init?(_ db: Database, pipeline: String) throws {
    let row = try RawStatement(
      db,
      """
      SELECT model, max(
        ifnull(last_transaction, before),
        ifnull((SELECT max(reverted) FROM bolide_run WHERE pipeline = ?1), 0)) FROM bolide_run
      WHERE pipeline = ?1 AND outcome = ?2 AND reverted IS NULL ORDER BY run DESC LIMIT 1
      """)
    row.bind(pipeline, at: 1)
    row.bind(RunOutcome.good, at: 2)
    defer { row.reset() }
    guard try row.step() else { return nil }
    self.pipeline = pipeline
    model = row.integer(0)
    transaction = row.integer(1)
  }

  /// Of a run's rows that were there then: how many have other values now in what the pipeline gives them. Rows that only
  /// others have changed since do not count.
  ///
  /// - Parameter seen: the rows that the run has met.
  /// - Complexity: O(n log n) in the changes since then.
  func changed(_ db: Database, _ layout: ChunkLayout, _ seen: ObjectSet) throws -> RowShare {
    let present = try ModelRecord(db).model
    let numbers = try PropertyNumbers(db, model: present, creating: false)
    let reader = try EntityReader(db, layout.entity, numbers, HistoryRequest(), readsRows: true)
    let old = try ModelRecord.version(model, db)?.entity(named: layout.entity.name)
    let compared = Set(
      (layout.columns.map(\.name) + layout.owners.map(\.relationship.name)).filter {
        old?.has(property: $0) == true
      })
    let start = try HistoryPositions(db).lastChange(through: transaction)
    let touched = try touched(db, reader.number, after: start)
    var (changed, new) = (0, 0)
    try NetChanges(
      db, HistoryRequest(), [reader.number: reader], after: start, through: .max, transaction: 0,
      tellsWidened: false
    ).read { change in
      guard seen.contains(change.id) else { return }
      switch change.kind {
      case .insert: new += 1
      case .update where touched.contains(change.id):
        changed += change.previous.contains { compared.contains($0.name) } ? 1 : 0
      case .update, .delete: break
      }
    }
    return RowShare(changed, of: seen.count - new)
  }

  /// The objects that the pipeline's runs have updated since then, also in the transaction that is open.
  private func touched(_ db: Database, _ entity: Int64, after start: Int64) throws -> ObjectSet {
    let others = try RawStatement(
      db,
      """
      SELECT first_change, last_change FROM bolide_transaction WHERE number > \(transaction)
      AND ifnull(run, 0) NOT IN (SELECT run FROM bolide_run WHERE pipeline = ?) ORDER BY number
      """)
    others.bind(pipeline, at: 1)
    let updates = try RawStatement(
      db,
      """
      SELECT change, first FROM bolide_change WHERE change > \(start) AND entity = \(entity) AND kind = 1
      ORDER BY change
      """)
    var ids = ObjectSet()
    var hasOthers = try others.step()
    defer { others.reset() }
    while try updates.step() {
      while hasOthers, others.integer(1) < updates.integer(0) { hasOthers = try others.step() }
      if !hasOthers || updates.integer(0) < others.integer(0) { ids.insert(updates.integer(1)) }
    }
    return ids
  }
}
