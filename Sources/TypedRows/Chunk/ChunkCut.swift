internal import ImportModel

// Where an import stops at the first rejected record or child.
extension Chunk {
  /// Leaves out everything behind the first rejection, as if the input had ended there. Sorts and folds the records anew.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  package func cutAfterFirstReject() -> Bool {
    guard let first = rejectsInOrder.first else { return false }
    let list = first.entity.flatMap { name in children.firstIndex { $0.layout.entity.name == name } }
    // Places in the order in which records and their children are read; what holds a rejected child comes before it.
    let cut = [first.parent ?? first.rowsBefore] + (list.map { way(to: first, $0) } ?? [])
    recordsRead -= lastRecord - first.record
    lastRecord = first.record
    rejects.removeAll { $0.record > first.record }
    keepRows { [$0].lexicographicallyPrecedes(cut) }
    for (list, child) in children.enumerated() {
      child.keepRows { row in
        let lineage = child.lineage[row]
        return ([Int(lineage.record)] + way(lineage, list)).lexicographicallyPrecedes(cut)
      }
      child.rejects.removeAll {
        cut.lexicographicallyPrecedes([$0.parent ?? 0] + way(to: $0, list))
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
}
