/// Turns what stands for true and false into a boolean.
///
/// Taken are `true` and `false` in lower case, in upper case and with one capital, and `1` and `0`. Words
/// such as `yes` or `N` mean different things in different feeds and are rejected; an expression can say what
/// they mean.
package enum BooleanText {
  /// The boolean of a text or of a JSON number.
  package static func value(_ bytes: UnsafeBufferPointer<UInt8>) throws(ConversionFailure) -> Bool {
    switch bytes.count {
    case 1 where bytes[0] == UInt8(ascii: "1"): return true
    case 1 where bytes[0] == UInt8(ascii: "0"): return false
    case 4 where isWord(bytes, "true"): return true
    case 5 where isWord(bytes, "false"): return false
    default: throw .notABoolean
    }
  }

  /// The boolean of a whole number: 1 or 0.
  static func value(_ number: Int64) throws(ConversionFailure) -> Bool {
    guard number == 0 || number == 1 else { throw .notABoolean }
    return number == 1
  }

  /// Whether the text is a lower-case word, that word in upper case, or with one capital.
  private static func isWord(_ bytes: UnsafeBufferPointer<UInt8>, _ word: StaticString) -> Bool {
    let isUpper = bytes[1] & 0x20 == 0
    for index in 1..<bytes.count
    where bytes[index] != (isUpper ? word.utf8Start[index] & 0xDF : word.utf8Start[index]) {
      return false
    }
    let capital = word.utf8Start[0] & 0xDF
    return bytes[0] == capital || (bytes[0] == word.utf8Start[0] && !isUpper)
  }
}
