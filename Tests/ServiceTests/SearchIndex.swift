import Bolide

/// Another system that is to have what the store has; here it only counts.
actor SearchIndex {
  struct Unreachable: Error {}

  private(set) var ids: Set<Int64> = []
  private(set) var applied = 0
  /// Whether it answers.
  var isUp = true

  func turn(on isUp: Bool) { self.isUp = isUp }

  func apply(_ changes: [HistoryChange]) throws {
    guard isUp else { throw Unreachable() }
    for change in changes where change.entity == "Fireball" {
      applied += 1
      if change.kind == .delete { ids.remove(change.id) } else { ids.insert(change.id) }
    }
  }

  func clear() { ids = [] }

  func put(_ row: Snapshot.Row) {
    if row.entity == "Fireball" { ids.insert(row.id) }
  }
}
