internal import ImportModel

/// Whose child a row is: the row of its record, and its number in that record's array, from 1.
package struct ParentReference: Sendable, Hashable {
  package var parent: Int32
  package var number: Int32

  package init(parent: Int, number: Int) {
    self.parent = Int32(truncatingIfNeeded: parent)
    self.number = Int32(truncatingIfNeeded: number)
  }
}

// Chunks of children. They are filled beside the chunk of their records, and travel with it.
extension Chunk {
  /// Ends the row of a child and makes it part of the chunk.
  ///
  /// - Parameters:
  ///   - parent: its record's row.
  ///   - number: its number in its array, from 1.
  ///   - text: its record's text, for a reject that may yet come; nil when it is not to be kept.
  package func commitChild(
    of parent: Int, number: Int, _ position: RecordPosition, text: UnsafeBufferPointer<UInt8>?
  ) {
    lineage.append(ParentReference(parent: parent, number: number))
    memory.pointee.endChild(
      position, text: text.map { UnsafeBufferPointer(rebasing: $0.prefix(layout.rejectBounds.text + 1)) })
  }

  /// All rejected records and children, in the input's order.
  package var allRejects: [RejectedRecord] {
    let lists = [rejects] + children.map(\.rejects)
    return lists.enumerated().flatMap { list, rejects in rejects.map { (list, $0) } }
      .sorted { ($0.1.record, $0.0, $0.1.child) < ($1.1.record, $1.0, $1.1.child) }.map(\.1)
  }

  /// The rows that are applied: the records' and their children's, one list after the other.
  package var orders: [[Int32]] {
    get { [order] + children.map(\.order) }
    set {
      order = newValue[0]
      for (child, order) in zip(children, newValue.dropFirst()) {
        // Nothing is folded before it is applied.
        (child.order, child.foldedRows, child.duplicates, child.superseded) = (order, [], 0, 0)
      }
    }
  }

  /// How many records and children were rejected.
  package var rejectCount: Int { children.reduce(rejects.rejectedCount) { $0 + $1.rejects.rejectedCount } }

  /// Leaves out children whose record is not applied, as if they had not been read.
  package func leaveOutChildren(of isGone: (Int) throws -> Bool) rethrows {
    try leaveOut { try isGone(Int(lineage[$0].parent)) }
    let before = rejects.rejectedCount
    try rejects.removeAll { try $0.parent.map(isGone) ?? false }
    recordsRead -= before - rejects.rejectedCount
  }

  /// Takes children out of those that are applied.
  ///
  /// - Returns: how many there were.
  package func setAside(_ isSetAside: (Int) -> Bool) -> Int {
    let before = order.count
    order.removeAll { isSetAside(Int(lineage[Int($0)].parent)) }
    return before - order.count
  }
}

extension RejectedRecord {
  /// Says whose child was rejected.
  package mutating func place(_ lineage: ParentReference, _ entity: String) {
    (self.entity, child, parent) = (entity, Int(lineage.number), Int(lineage.parent))
  }
}
