/// The first row of a chunk with each key: a table of row numbers, found by the keys' hashes.
///
///     slot      0     1     2     3  …          as many as a power of two, at most half of them taken
///     row    [ -1 |  17 |  -1 |   4 ]           -1: free; a key stands at its hash, or in the next free slot
///     hash   [  0 |  …  |   0 |  …  ]
package struct DistinctKeys {
  private var rows = [Int32](repeating: -1, count: leastSlots)
  private var hashes = [Int](repeating: 0, count: leastSlots)
  private var count = 0

  private static let leastSlots = 1024

  package init() {}

  /// The first row that has the same key; nil for the first one itself, which is remembered.
  ///
  /// - Parameters:
  ///   - hash: the key's.
  ///   - isSame: whether a row has the same key.
  package mutating func first(like row: Int, _ hash: Int, isSame: (Int) -> Bool) -> Int? {
    var slot = hash & (rows.count - 1)
    while rows[slot] >= 0 {
      if hashes[slot] == hash, isSame(Int(rows[slot])) { return Int(rows[slot]) }
      slot = (slot + 1) & (rows.count - 1)
    }
    (rows[slot], hashes[slot]) = (Int32(row), hash)
    count += 1
    if count * 2 > rows.count { grow() }
    return nil
  }

  private mutating func grow() {
    let (oldRows, oldHashes) = (rows, hashes)
    rows = [Int32](repeating: -1, count: oldRows.count * 2)
    hashes = [Int](repeating: 0, count: oldRows.count * 2)
    for (old, row) in oldRows.enumerated() where row >= 0 {
      var slot = oldHashes[old] & (rows.count - 1)
      while rows[slot] >= 0 { slot = (slot + 1) & (rows.count - 1) }
      (rows[slot], hashes[slot]) = (row, oldHashes[old])
    }
  }
}
