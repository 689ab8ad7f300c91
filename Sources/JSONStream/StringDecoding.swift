/// JSON strings' content -> UTF-8.
package enum StringDecoding {
  /// Resolves the escapes of `count` bytes between two quotes.
  ///
  /// The escapes were validated before.
  ///
  /// A surrogate escape without its other half stands for no character; U+FFFD is written in its place, and the
  /// caller is told, for it must not pass that off as the value.
  ///
  /// - Returns: Bytes written, never more than `count`, and the offset of the first unpaired surrogate.
  package static func decode(
    _ bytes: UnsafePointer<UInt8>, count: Int, into target: UnsafeMutablePointer<UInt8>
  ) -> (count: Int, unpaired: Int?) {
    var i = 0
    var written = 0
    var unpaired: Int?
    while i < count {
      let byte = bytes[i]
      guard byte == UInt8(ascii: "\\") else {
        target[written] = byte
        written += 1
        i += 1
        continue
      }
      let escape = bytes[i + 1]
      guard escape == UInt8(ascii: "u") else {
        target[written] = plain(escape)
        written += 1
        i += 2
        continue
      }
      var scalar = unit(bytes, i + 2)
      let start = i
      i += 6
      if scalar & 0xfc00 == 0xd800, i + 6 <= count, bytes[i] == UInt8(ascii: "\\"),
        bytes[i + 1] == UInt8(ascii: "u")
      {
        let low = unit(bytes, i + 2)
        if low & 0xfc00 == 0xdc00 {
          scalar = 0x10000 + (scalar & 0x3ff) << 10 + low & 0x3ff
          i += 6
        }
      }
      if scalar & 0xffff_f800 == 0xd800 {
        if unpaired == nil { unpaired = start }
        scalar = 0xfffd
      }
      written += encode(scalar, into: target + written)
    }
    return (written, unpaired)
  }

  /// A string's content as a `String`, for what is read once an input: names and keys.
  static func string(_ bytes: UnsafePointer<UInt8>, count: Int) -> String {
    String(
      unsafeUninitializedCapacity: count,
      initializingUTF8With: { buffer in
        guard let target = buffer.baseAddress else { return 0 }
        return decode(bytes, count: count, into: target).count
      })
  }

  private static func plain(_ escape: UInt8) -> UInt8 {
    switch escape {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0c
    case UInt8(ascii: "n"): 0x0a
    case UInt8(ascii: "r"): 0x0d
    case UInt8(ascii: "t"): 0x09
    default: escape
    }
  }

  private static func unit(_ bytes: UnsafePointer<UInt8>, _ start: Int) -> UInt32 {
    var value: UInt32 = 0
    for i in start..<start + 4 { value = value << 4 | (Scalar.hexDigit(bytes[i]) ?? 0) }
    return value
  }

  private static func encode(_ scalar: UInt32, into target: UnsafeMutablePointer<UInt8>) -> Int {
    func continuation(_ shift: UInt32) -> UInt8 { UInt8(0x80 | scalar >> shift & 0x3f) }
    switch scalar {
    case 0..<0x80:
      target[0] = UInt8(scalar)
      return 1
    case 0x80..<0x800:
      target[0] = UInt8(0xc0 | scalar >> 6)
      target[1] = continuation(0)
      return 2
    case 0x800..<0x10000:
      target[0] = UInt8(0xe0 | scalar >> 12)
      target[1] = continuation(6)
      target[2] = continuation(0)
      return 3
    default:
      target[0] = UInt8(0xf0 | scalar >> 18)
      target[1] = continuation(12)
      target[2] = continuation(6)
      target[3] = continuation(0)
      return 4
    }
  }
}
