internal import ImportModel

// Where an import stops at the first rejected record or child.
extension Chunk {
  /// Leaves out everything behind the first rejection, as if the input had ended there. Sorts and folds the records anew.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  package func cutAfterFirstReject() -> Bool {
    guard let first = allRejects.first else { return false }
    let list = first.entity.flatMap { name in children.firstIndex { $0.layout.entity.name == name } }
    let cut = Place(row: first.parent ?? first.rowsBefore, list: list ?? -1, number: first.child)
    recordsRead -= lastRecord - first.record
    lastRecord = first.record
    rejects.removeAll { $0.record > first.record }
    // The record of a rejected child lands.
    keepRows { row in row < cut.row || (list != nil && row == cut.row) }
    for (list, child) in children.enumerated() {
      child.keepRows { row in
        let lineage = child.lineage[row]
        return Place(row: Int(lineage.parent), list: list, number: Int(lineage.number)).isBefore(cut)
      }
      child.rejects.removeAll {
        cut.isBefore(Place(row: $0.parent ?? 0, list: list, number: $0.child))
      }
      child.recordsRead = child.order.count + child.rejects.rejectedCount
    }
    sortAndFold()
    return true
  }

  private func keepRows(_ isKept: (Int) -> Bool) {
    order = (order + foldedRows).filter { isKept(Int($0)) }.sorted()
    foldedRows.removeAll()
    (duplicates, superseded) = (0, 0)
  }

  /// A place in the order in which records and their children are read.
  private struct Place {
    var row: Int
    var list: Int
    var number: Int

    func isBefore(_ other: Place) -> Bool {
      (row, list, number) < (other.row, other.list, other.number)
    }
  }
}
