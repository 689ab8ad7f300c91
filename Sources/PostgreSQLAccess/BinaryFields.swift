/// Values in the server's binary form, one behind the other: the elements of an array, or the fields of rows that are copied.
///
///     │ length │ bytes │ length │ bytes │ …
///
/// All numbers are big-endian; a length has four bytes, and that of a null is -1, without bytes behind it.
package struct BinaryFields {
  package private(set) var bytes: [UInt8]
  /// How many values there are.
  private(set) var count: Int32 = 0
  private(set) var hasNull = false

  /// - Parameters:
  ///   - head: bytes before the first value, to be written later.
  ///   - capacity: for so many values there is room without growing.
  package init(head: Int = 0, capacity: Int = 0) {
    bytes = Array(repeating: 0, count: head)
    bytes.reserveCapacity(head + capacity * 12)
  }

  package mutating func appendNull() {
    write(Int32(-1))
    (count, hasNull) = (count + 1, true)
  }

  /// Appends a whole number of a type's width.
  package mutating func append(_ value: Int64, _ type: Parameter.ElementType = .integer64) {
    switch type {
    case .integer16: append(fixed: Int16(truncatingIfNeeded: value))
    case .integer32, .day: append(fixed: Int32(truncatingIfNeeded: value))
    default: append(fixed: value)
    }
  }

  package mutating func append(_ value: Double) { append(fixed: value.bitPattern) }

  package mutating func append(_ value: Bool) { append(fixed: UInt8(value ? 1 : 0)) }

  package mutating func append(_ value: UnsafeBufferPointer<UInt8>) {
    write(Int32(truncatingIfNeeded: value.count))
    bytes.append(contentsOf: value)
    count += 1
  }

  package mutating func append(utf8 value: String) {
    var value = value
    value.withUTF8 { append($0) }
  }

  /// Appends a decimal (PostgreSQL's `numeric_recv`): digits of 10,000, the largest first, of which `weight` + 1 stand before the
  /// point; zeros at both ends are left out.
  ///
  ///     │ digits │ weight │ sign │ decimals │ digit │ digit │ …          two bytes each
  ///
  /// - Parameter units: the value by 10^-decimals.
  package mutating func append(units: Int64, decimals: Int) {
    let groups = (decimals + 3) / 4
    var rest = UInt128(units.magnitude)
    for _ in decimals..<groups * 4 { rest *= 10 }
    // The smallest digit first; 64 bits and three more decimals are at most six.
    withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 8) { digits in
      var (end, zeros) = (0, 0)
      while rest > 0 {
        digits[end] = UInt16(truncatingIfNeeded: rest % 10_000)
        if zeros == end, digits[end] == 0 { zeros += 1 }
        (end, rest) = (end + 1, rest / 10_000)
      }
      write(Int32(truncatingIfNeeded: 8 + 2 * (end - zeros)))
      write(UInt16(truncatingIfNeeded: end - zeros))
      write(Int16(truncatingIfNeeded: end == 0 ? 0 : end - groups - 1))
      write(units < 0 ? UInt16(0x4000) : 0)
      write(UInt16(truncatingIfNeeded: decimals))
      for place in stride(from: end - 1, through: zeros, by: -1) { write(digits[place]) }
    }
    count += 1
  }

  private mutating func append(fixed value: some FixedWidthInteger) {
    write(Int32(truncatingIfNeeded: value.bitWidth / 8))
    write(value)
    count += 1
  }

  /// Writes a number that is no value: of a head, or of fields in a row.
  mutating func write(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func write(bytes more: [UInt8]) { bytes += more }

  /// The bytes behind a head that is written now.
  func with(head: [Int32]) -> [UInt8] {
    var bytes = bytes
    bytes.withUnsafeMutableBytes { bytes in
      for (place, number) in head.enumerated() {
        bytes.storeBytes(of: number.bigEndian, toByteOffset: place * 4, as: Int32.self)
      }
    }
    return bytes
  }

  /// Forgets what was written; the room stays.
  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }
}
