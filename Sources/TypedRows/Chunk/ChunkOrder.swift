internal import ImportModel

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

extension Chunk {
  /// Makes a chunk that is read ready to be applied.
  package func sortToApply() { if layout.partCount > 1 { sortForBytes() } else { sortAndFold() } }

  /// Puts the rows into the key's order and folds rows of the same key into one.
  ///
  /// Sorted keys turn random writes to the unique index into runs. Of rows with one key the last counts; what it
  /// does not mention, it takes from the one before, as if both had been applied in turn. Where it takes
  /// the table to say which row counts, nothing is folded here and rows of one key keep the input's order: see
  /// `MergePolicyFilter`.
  ///
  /// - Complexity: O(n) when the rows come in order or in reverse order, O(n log n) otherwise.
  package func sortAndFold() { sort(folding: layout.foldsEarly) }

  /// Puts the rows into the key's order, those of one key in the input's.
  ///
  /// - Parameter folds: whether rows of the same key become one.
  package func sort(folding folds: Bool) {
    flushBatch()
    guard order.count > 1 else { return }
    var ascending = true
    var descending = true
    for place in order.indices.dropFirst() {
      let comparison = compareKeys(Int(order[place - 1]), Int(order[place]))
      // Equal keys keep the input's order, so only a strictly falling run may be turned round.
      if comparison >= 0 { ascending = false }
      if comparison <= 0 { descending = false }
      if !ascending && !descending { return sortMixed(folds) }
    }
    if descending { order.reverse() }
  }

  private func sortMixed(_ folds: Bool) {
    var keys = order.map { SortKey(self, $0) }
    keys.sort { left, right in
      if let isLess = left.isLess(right) { return isLess }
      let comparison = compareKeys(Int(left.row), Int(right.row))
      return comparison < 0 || (comparison == 0 && left.row < right.row)
    }
    guard folds else {
      for place in order.indices { order[place] = keys[place].row }
      return
    }
    var kept = 0
    order[0] = keys[0].row
    for place in 1..<keys.count {
      let earlier = order[kept]
      let later = keys[place].row
      if keys[place - 1].isLess(keys[place]) == nil, compareKeys(Int(earlier), Int(later)) == 0 {
        countRepeat(Int(earlier), Int(later))
        fold(Int(earlier), into: Int(later))
        foldedRows.append(earlier)
      } else {
        kept += 1
      }
      order[kept] = later
    }
    order.removeLast(order.count - kept - 1)
  }

  /// Counts one of two rows of the same key, before anything of one goes into the other: superseded where the later one,
  /// applied behind the earlier, would change it.
  package func countRepeat(_ earlier: Int, _ row: Int) {
    let isEqual = layout.repeatColumns.allSatisfy { column in
      let later = state(column, row)
      if layout.isSilent(later) { return true }
      return switch (state(column, earlier), later) {
      case (.absent, .null), (.null, .null): true
      case (.value, .value): isSame(column, earlier, row)
      default: false
      }
    }
    if isEqual { duplicates += 1 } else { superseded += 1 }
  }

  private func isSame(_ column: Int, _ left: Int, _ right: Int) -> Bool {
    compare(column, left, right) == 0
      || layout.columns[column].attribute.type == .json
        && layout.sameJSON(bytes(column, left), bytes(column, right))
  }

  /// Gives a row what it does not mention itself and an earlier one of the same key does.
  package func fold(_ earlier: Int, into later: Int) {
    for column in 0..<layout.keptCount where layout.isSilent(state(column, later)) {
      set(state(column, earlier), cell(column, earlier), column, later)
    }
    foldLinks(earlier, later)
    if layout.holdsChildren { noteLater(earlier, later) }
  }

  private func noteLater(_ earlier: Int, _ later: Int) {
    let isOneRecord = layout.isChildren && lineage[earlier].record == lineage[later].record
    if !isOneRecord || laterRows.contains(Int32(earlier)) { laterRows.insert(Int32(later)) }
  }

  /// Applied in turn, the earlier row would have made the link for new rows, and a later null would have left it.
  private func foldLinks(_ earlier: Int, _ later: Int) {
    for owner in layout.owners {
      let hasOwner = owner.columns.allSatisfy { state($0, later) == .value }
      guard owner.timing == .insert || !hasOwner else { continue }
      for column in owner.columns { set(state(column, earlier), cell(column, earlier), column, later) }
    }
  }

  /// The order that SQLite's BINARY collation and number comparison give: negative, 0 or positive.
  package func compareKeys(_ left: Int, _ right: Int) -> Int {
    for column in layout.keyColumns {
      let comparison = compare(column, left, right)
      if comparison != 0 { return comparison }
    }
    return 0
  }

  /// The same for the values of one column.
  package func compare(_ column: Int, _ left: Int, _ right: Int) -> Int {
    switch layout.storages[column] {
    case .integer: ordering(integer(column, left), integer(column, right))
    case .real: ordering(real(column, left), real(column, right))
    case .text, .blob: ordering(bytes(column, left), bytes(column, right))
    }
  }
}

/// Which of two numbers comes first: negative, 0 or positive.
@inlinable
public func ordering<Number: Comparable>(_ left: Number, _ right: Number) -> Int {
  left < right ? -1 : (left == right ? 0 : 1)
}

/// Which of two texts or blobs comes first, byte by byte: negative, 0 or positive.
package func ordering(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
  guard let first = left.baseAddress, let second = right.baseAddress else {
    return left.count - right.count
  }
  let common = Int(memcmp(first, second, min(left.count, right.count)))
  return common != 0 ? common : left.count - right.count
}
