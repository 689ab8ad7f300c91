/// How many rows an entity had over the newest part of history.
package struct RowTrend: Sendable, Hashable {
  /// The entity's name.
  package var entity: String
  /// The oldest count first; the last one is now's.
  package var rows: [Int64]

  package init(entity: String, rows: [Int64]) {
    self.entity = entity
    self.rows = rows
  }
}
