// A page of an `ObjectSet`: its words, as a store keeps them.
extension [UInt64] {
  /// From the bytes that the store keeps; a page that is cut is filled up.
  package init(_ bytes: some Collection<UInt8>) {
    self.init(repeating: 0, count: ObjectSet.pageWords)
    for (index, byte) in bytes.prefix(8 * ObjectSet.pageWords).enumerated() {
      self[index / 8] |= UInt64(byte) << UInt64(index % 8 * 8)
    }
  }

  /// The bytes that the store keeps, those of the lowest ids first.
  package var bytes: [UInt8] {
    flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) } }
  }

  /// The ids that are there.
  package func ids(_ page: Int64) -> [Int64] {
    var ids: [Int64] = []
    for (index, word) in enumerated() {
      var rest = word
      while rest != 0 {
        ids.append(page << ObjectSet.pageBits + Int64(index * 64 + rest.trailingZeroBitCount))
        rest &= rest - 1
      }
    }
    return ids
  }

  package mutating func insert(_ id: Int64) { self[Int(id & 4095) >> 6] |= 1 << UInt64(id & 63) }

  package mutating func remove(_ id: Int64) { self[Int(id & 4095) >> 6] &= ~(1 << UInt64(id & 63)) }
}
