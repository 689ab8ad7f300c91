internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import StoreInterface
internal import TypedRows

/// The state that a pipeline's last good run left, or a revert of one after it, as far back as history goes.
struct LastGoodRun {
  /// The version of the model that it had.
  private let model: Int64
  /// The newest transaction of it.
  private let transaction: Int64

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
    model = row.integer(0)
    transaction = row.integer(1)
  }

  /// Of a run's rows that were there then: how many have other values now in what the pipeline gives them.
  ///
  /// - Parameter seen: the rows that the run has met.
  /// - Complexity: O(n log n) in the changes since then.
  func changed(_ db: Database, _ layout: ChunkLayout, _ seen: ObjectSet) throws -> RowShare {
    let present = try StoredModel(db).model
    let numbers = try PropertyNumbers(db, model: present, creating: false)
    let reader = try EntityReader(db, layout.entity, numbers, HistoryRequest(), readsRows: true)
    let old = try StoredModel.version(model, db)?.entity(named: layout.entity.name)
    let compared = Set(
      (layout.columns.map(\.name) + layout.owners.map(\.relationship.name)).filter {
        old?.has(property: $0) == true
      })
    var (changed, new) = (0, 0)
    try NetChanges(
      db, HistoryRequest(), [reader.number: reader], after: lastChange(db), through: .max, transaction: 0
    ).read { change in
      guard seen.contains(change.id) else { return }
      switch change.kind {
      case .insert: new += 1
      case .update: changed += change.previous.contains { compared.contains($0.name) } ? 1 : 0
      case .delete: break
      }
    }
    return RowShare(changed, of: seen.count - new)
  }

  /// The last change before the state; where that was pruned, before the oldest one that is kept.
  private func lastChange(_ db: Database) throws -> Int64 {
    try db.number(
      """
      SELECT max(
        ifnull((SELECT last_change FROM bolide_transaction WHERE number <= \(transaction)
          ORDER BY number DESC LIMIT 1), 0),
        ifnull((SELECT max(last_change) FROM bolide_pruned), 0))
      """)
  }
}
