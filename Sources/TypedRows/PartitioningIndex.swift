extension RandomAccessCollection {
  /// The index of the first element that satisfies a condition, which all behind it do and none before it; the end for none.
  ///
  /// - Complexity: O(log count).
  package func partitioningIndex(where belongsBehind: (Element) -> Bool) -> Index {
    var (low, count) = (startIndex, count)
    while count > 0 {
      let half = count / 2
      let middle = index(low, offsetBy: half)
      if belongsBehind(self[middle]) {
        count = half
      } else {
        low = index(after: middle)
        count -= half + 1
      }
    }
    return low
  }
}
