/// The rows of an input as `bolide_input` keeps them: for each list the number of ranges, and for each range how far its first id
/// is behind the one before, and its last one behind its first. Numbers have seven bits a byte, the lowest first, and one more
/// bit where another byte follows.
struct InputRanges {
  var lists: [[ClosedRange<Int64>]]

  init(_ lists: [[ClosedRange<Int64>]]) { self.lists = lists }

  /// Reads what `bytes` has written; nil for anything else.
  init?(_ bytes: some Collection<UInt8>) {
    var rest = bytes[...]
    func next() -> UInt64? {
      var number: UInt64 = 0
      for shift in stride(from: 0, to: 70, by: 7) {
        guard let byte = rest.popFirst() else { return nil }
        number |= UInt64(byte & 127) << UInt64(shift)
        if byte < 128 { return number }
      }
      return nil
    }
    lists = []
    while !rest.isEmpty {
      // A range has two bytes at least.
      guard let count = next(), count <= UInt64(rest.count) else { return nil }
      var ranges: [ClosedRange<Int64>] = []
      ranges.reserveCapacity(Int(count))
      var last: Int64 = 0
      for _ in 0..<count {
        guard let distance = next(), let length = next() else { return nil }
        let first = last &+ Int64(bitPattern: distance)
        last = first &+ Int64(bitPattern: length)
        guard first <= last else { return nil }
        ranges.append(first...last)
      }
      lists.append(ranges)
    }
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    func append(_ number: UInt64) {
      var number = number
      while number > 127 {
        bytes.append(UInt8(number & 127) | 128)
        number >>= 7
      }
      bytes.append(UInt8(number))
    }
    for ranges in lists {
      append(UInt64(ranges.count))
      var last: Int64 = 0
      for range in ranges {
        append(UInt64(bitPattern: range.lowerBound &- last))
        append(UInt64(bitPattern: range.upperBound &- range.lowerBound))
        last = range.upperBound
      }
    }
    return bytes
  }
}
