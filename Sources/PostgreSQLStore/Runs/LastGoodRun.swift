internal import ChunkMerging
internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface
internal import TypedRows

/// The state that a pipeline's last good run left, or a revert of one after it, as far back as history goes.
struct LastGoodRun {
  private let connection: PostgreSQLConnection
  private let stored: StoredModel
  private let pipeline: String
  /// The version of the model that it had.
  private let model: Int64
  /// The newest transaction of it.
  private let number: Int64

  /// - Returns: nil where no run was good.
  init?(_ connection: PostgreSQLConnection, _ stored: StoredModel, pipeline: String) throws {
    let row = try connection.run(
      """
      SELECT model, greatest(
        coalesce(last_number, before), (SELECT max(reverted) FROM bolide_run WHERE pipeline = $1)) FROM bolide_run
      WHERE pipeline = $1 AND outcome = $2 AND reverted IS NULL ORDER BY run DESC LIMIT 1
      """, [.text(pipeline), .text(RunOutcome.good)])
    guard row.count == 1 else { return nil }
    (self.connection, self.stored, self.pipeline) = (connection, stored, pipeline)
    (model, number) = (row.integer(0, 0), row.integer(0, 1))
  }

  /// Of a run's rows that were there then: how many have other values now in what the pipeline gives them. Rows that only
  /// others have changed since do not count.
  ///
  /// - Parameter seen: the rows that the run has met.
  /// - Complexity: O(n log n) in the changes since then.
  func changed(_ layout: ChunkLayout, _ seen: ObjectSet) throws -> RowShare {
    let old = try StoredModel.version(model, connection)?.entity(named: layout.entity.name)
    let compared = Set(
      (layout.columns.map(\.name) + layout.owners.map(\.relationship.name)).filter {
        old?.has(property: $0) == true
      })
    let touched = try touched(layout.entity)
    let found = try NetChanges(connection, stored).compare(
      layout.entity, after: number, seen.contains, touched: touched.contains, compared)
    return RowShare(found.changed, of: seen.count - found.new)
  }

  /// The objects that the pipeline's runs have updated since then, also in the transaction that is open.
  private func touched(_ entity: Entity) throws -> ObjectSet {
    let rows = try connection.run(
      """
      SELECT c.id FROM bolide_change AS c JOIN (
        SELECT id FROM bolide_transaction WHERE number > \(number) AND run IN (SELECT run FROM bolide_run WHERE pipeline = $1)
        UNION ALL SELECT \(SystemTables.ownTransaction(stored.schema))) AS t ON t.id = c.transaction
      WHERE c.entity = \(stored.number(of: entity)) AND c.kind = 2
      """, [.text(pipeline)])
    var ids = ObjectSet()
    for row in 0..<rows.count { ids.insert(rows.integer(row, 0)) }
    return ids
  }
}
