internal import ImportModel

/// The beginning of a row's key as 16 bytes whose order as a number is the key's order.
///
/// Rows lie far apart in a large chunk; sorting compares these instead, and looks at the rows only where two are equal.
///
///     high, low    integer: with its sign bit turned round     real: its bits, ordered
///                  text, blob: the first bytes, then zeros; nothing after it, as its length is not known here
package struct SortKey {
  private(set) var high: UInt64 = 0
  private(set) var low: UInt64 = 0
  let row: Int32

  init(_ chunk: Chunk, _ row: Int32) {
    self.row = row
    var free = 16
    for column in chunk.layout.keyColumns where free > 0 {
      switch chunk.layout.storages[column] {
      case .integer:
        add(Self.word(chunk.integer(column, Int(row))), &free)
      case .real:
        add(Self.word(chunk.real(column, Int(row))), &free)
      case .text, .blob:
        let bytes = chunk.bytes(column, Int(row))
        add(Self.word(bytes, from: 0), &free)
        if free > 0 { add(Self.word(bytes, from: 8), &free) }
        return
      }
    }
  }

  /// Whether this key comes first; nil when the beginnings are equal.
  func isLess(_ other: SortKey) -> Bool? {
    if high != other.high { return high < other.high }
    return low != other.low ? low < other.low : nil
  }

  private mutating func add(_ word: UInt64, _ free: inout Int) {
    if free == 16 { high = word } else { low = word }
    free -= 8
  }

  static func word(_ value: Int64) -> UInt64 { UInt64(bitPattern: value) ^ 1 << 63 }

  static func word(_ value: Double) -> UInt64 {
    // Minus nought becomes nought.
    let bits = (value + 0).bitPattern
    return bits >> 63 == 0 ? bits ^ 1 << 63 : ~bits
  }

  /// Eight bytes as a number, the first one highest; noughts behind the end.
  package static func word(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> UInt64 {
    if start + 8 <= bytes.count {
      return UInt64(
        bigEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: start, as: UInt64.self))
    }
    var word: UInt64 = 0
    for index in start..<start + 8 { word = word << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0) }
    return word
  }
}
