/// Turns base64 into the bytes that it stands for.
///
/// Taken are the standard and the URL alphabet, not both in one text, with or without padding. Anything else
/// is rejected, line ends too, and so are bits that a shorter text would not have: two texts never give the
/// same bytes but for alphabet and padding.
enum Base64Text {
  /// The number of bytes that a text gives, if all its characters are base64.
  static func decodedCount(_ text: UnsafeBufferPointer<UInt8>) throws(ConversionFailure) -> Int {
    try digitCount(text) * 3 / 4
  }

  /// Decodes a text.
  ///
  /// - Parameter output: Room for `decodedCount` bytes. Nothing in it has a meaning after a failure.
  static func decode(
    _ text: UnsafeBufferPointer<UInt8>, to output: UnsafeMutablePointer<UInt8>
  ) throws(ConversionFailure) {
    let digits = try digitCount(text)
    var isStandard = false
    var isForURLs = false
    var bits: UInt32 = 0
    var bitCount = 0
    var written = 0
    for index in 0..<digits {
      guard let value = value(of: text[index]) else { throw .notBase64 }
      switch text[index] {
      case UInt8(ascii: "+"), UInt8(ascii: "/"): isStandard = true
      case UInt8(ascii: "-"), UInt8(ascii: "_"): isForURLs = true
      default: break
      }
      bits = bits << 6 | value
      bitCount += 6
      guard bitCount >= 8 else { continue }
      bitCount -= 8
      output[written] = UInt8(truncatingIfNeeded: bits >> bitCount)
      written += 1
    }
    guard !(isStandard && isForURLs), bits & (1 << bitCount - 1) == 0 else { throw .notBase64 }
  }

  /// The number of characters before the padding, checked against the padding's length.
  private static func digitCount(_ text: UnsafeBufferPointer<UInt8>) throws(ConversionFailure) -> Int {
    var count = text.count
    while count > 0, text.count - count < 2, text[count - 1] == UInt8(ascii: "=") { count -= 1 }
    let isPadded = count < text.count
    guard count % 4 != 1, !isPadded || text.count % 4 == 0 else { throw .notBase64 }
    return count
  }

  private static func value(of character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
