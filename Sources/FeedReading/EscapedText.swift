/// Resolves the escapes of JSON strings, into memory that is used again.
package struct EscapedText {
  private var decoded: [UInt8] = []

  package init() {}

  /// Lends a string's content with its escapes resolved.
  ///
  /// - Returns: what `body` returns; nil when half of a surrogate pair stands alone.
  package mutating func withContent<R>(
    of text: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> R
  ) -> R? {
    guard text.contains(UInt8(ascii: "\\")) else { return body(text) }
    guard decode(text) else { return nil }
    return decoded.withUnsafeBufferPointer { body($0) }
  }

  private mutating func decode(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    decoded.removeAll(keepingCapacity: true)
    var index = 0
    while index < text.count {
      guard text[index] == UInt8(ascii: "\\"), index + 1 < text.count else {
        decoded.append(text[index])
        index += 1
        continue
      }
      let letter = text[index + 1]
      index += 2
      guard letter == UInt8(ascii: "u") else {
        decoded.append(Self.plain(letter))
        continue
      }
      guard let scalar = Self.scalar(text, &index) else { return false }
      decoded.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
    return true
  }

  private static func plain(_ letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0c
    case UInt8(ascii: "n"): 0x0a
    case UInt8(ascii: "r"): 0x0d
    case UInt8(ascii: "t"): 0x09
    default: letter
    }
  }

  /// The character whose digits begin at `index`, which moves behind them, over the second half of a pair too.
  private static func scalar(_ text: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> Unicode.Scalar? {
    guard let unit = unit(text, at: index) else { return nil }
    index += 4
    guard unit & 0xfc00 == 0xd800 else { return Unicode.Scalar(unit) }
    guard index + 1 < text.count, text[index] == UInt8(ascii: "\\"), text[index + 1] == UInt8(ascii: "u"),
      let low = self.unit(text, at: index + 2), low & 0xfc00 == 0xdc00
    else { return nil }
    index += 6
    return Unicode.Scalar(0x10000 + (unit & 0x3ff) << 10 + low & 0x3ff)
  }

  private static func unit(_ text: UnsafeBufferPointer<UInt8>, at start: Int) -> UInt32? {
    guard start + 4 <= text.count else { return nil }
    return UInt32(String(decoding: text[start..<start + 4], as: UTF8.self), radix: 16)
  }
}
