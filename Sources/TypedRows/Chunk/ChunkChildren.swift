internal import ImportModel

/// Whose child a row is: the row of what holds its array, in a chunk of its own, and its number in that array, from 1.
package struct ParentReference: Sendable, Hashable {
  package var parent: Int32
  package var number: Int32
  /// The row of the record; of a record's own array the same as `parent`.
  package var record: Int32

  package init(parent: Int, number: Int, record: Int) {
    self.parent = Int32(truncatingIfNeeded: parent)
    self.number = Int32(truncatingIfNeeded: number)
    self.record = Int32(truncatingIfNeeded: record)
  }

  /// As if the record itself held the array.
  package var inRecord: ParentReference {
    ParentReference(parent: Int(record), number: Int(number), record: Int(record))
  }
}

// Chunks of children. They are filled beside the chunk of their records, and travel with it.
extension Chunk {
  /// Ends the row of a child and makes it part of the chunk.
  ///
  /// - Parameter text: its record's text, for a reject that may yet come; nil when it is not to be kept.
  package func commitChild(
    _ lineage: ParentReference, _ position: RecordPosition, text: UnsafeBufferPointer<UInt8>?
  ) {
    self.lineage.append(lineage)
    memory.pointee.endChild(
      position, text: text.map { UnsafeBufferPointer(rebasing: $0.prefix(layout.rejectBounds.text + 1)) })
  }

  /// All rejected records and children, in the inputs' order, as they stood in their inputs.
  package var allRejects: [RejectedRecord] { rejectsInOrder.map(placed) }

  /// Their records' numbers, as the chunk numbers them.
  package var rejectNumbers: [Int] { rejectsInOrder.map(\.record) }

  /// The same, numbered as the chunk's records are.
  var rejectsInOrder: [RejectedRecord] {
    if children.isEmpty { return rejects.sorted { $0.record < $1.record } }
    var placed = rejects.map { (place: [$0.record], reject: $0) }
    for list in children.indices {
      placed += children[list].rejects.map { ([$0.record] + way(to: $0, list), $0) }
    }
    return placed.sorted { $0.place.lexicographicallyPrecedes($1.place) }.map(\.reject)
  }

  /// The way from its record to a rejected child.
  func way(to reject: RejectedRecord, _ list: Int) -> [Int] {
    way(ParentReference(parent: reject.holder ?? 0, number: reject.child, record: 0), list)
  }

  /// The way from its record to a child: a list and a number in it, and so on. One that is read later comes later.
  func way(_ lineage: ParentReference, _ list: Int) -> [Int] {
    let last = [list, Int(lineage.number)]
    guard let holder = layout.children[list].within else { return last }
    return way(children[holder].lineage[Int(lineage.parent)], holder) + last
  }

  /// The rows that are applied: the records' and their children's, one list after the other.
  package var orders: [[Int32]] {
    get { [order] + children.map(\.order) }
    set {
      order = newValue[0]
      for (child, order) in zip(children, newValue.dropFirst()) {
        // Nothing is folded before it is applied.
        (child.order, child.foldedRows, child.duplicates, child.superseded) = (order, [], 0, 0)
        child.laterRows = []
      }
    }
  }

  /// How many records and children were rejected.
  package var rejectCount: Int { children.reduce(rejects.rejectedCount) { $0 + $1.rejects.rejectedCount } }

  /// Leaves out children whose record, or whatever else holds them, is not applied, as if they had not been read.
  package func leaveOutChildren(of isGone: (Int) throws -> Bool) rethrows {
    try leaveOut { try isGone(Int(lineage[$0].parent)) }
    let before = rejects.rejectedCount
    try rejects.removeAll { try $0.holder.map(isGone) ?? false }
    recordsRead -= before - rejects.rejectedCount
  }

  /// Takes children out of those that are applied.
  package func setAside(_ isSetAside: (Int) -> Bool) {
    order.removeAll { isSetAside(Int(lineage[Int($0)].parent)) }
  }

  /// The rows that something of these holds.
  package func rows(heldBy holders: Set<Int>) -> [Int] {
    holders.isEmpty ? [] : order.lazy.map(Int.init).filter { holders.contains(Int(self.lineage[$0].parent)) }
  }
}

extension RejectedRecord {
  /// Says whose child was rejected.
  package mutating func place(_ lineage: ParentReference, _ entity: String) {
    (self.entity, child, parent) = (entity, Int(lineage.number), Int(lineage.record))
    holder = Int(lineage.parent)
  }
}
