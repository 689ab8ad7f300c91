/// By how many rows an entity grew over the newest part of history.
package struct RowTrend: Sendable, Hashable {
  /// The entity's name.
  package var entity: String
  /// The rows inserted less those deleted: a number for each step, the oldest first, and one for changes that are in no
  /// transaction yet.
  package var added: [Int64]

  package init(entity: String, added: [Int64]) {
    self.entity = entity
    self.added = added
  }

  /// How many rows there were before the first step and after each.
  ///
  /// - Parameter last: how many there are now.
  package func rows(now last: Int64) -> [Int64] {
    added.reversed().reduce(into: [last]) { rows, added in rows.append((rows.last ?? 0) &- added) }.reversed()
  }
}
