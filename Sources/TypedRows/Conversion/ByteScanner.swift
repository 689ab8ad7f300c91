/// Reads a short text from its start to its end, one byte at a time.
struct ByteScanner {
  private let bytes: UnsafeBufferPointer<UInt8>
  private(set) var index = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  /// Whether nothing is left.
  var isAtEnd: Bool { index == bytes.count }

  /// The next byte; 0 at the end, which no text that is read here holds.
  var next: UInt8 { index < bytes.count ? bytes[index] : 0 }

  /// Steps over the next byte when it is this one.
  mutating func skip(_ byte: UInt8) -> Bool {
    guard index < bytes.count, bytes[index] == byte else { return false }
    index += 1
    return true
  }

  /// Steps over an ASCII letter, in either case.
  mutating func skip(letter: UInt8) -> Bool {
    guard index < bytes.count, bytes[index] | 0x20 == letter else { return false }
    index += 1
    return true
  }

  /// Takes the next byte as an ASCII letter in lower case; 0 at the end.
  mutating func takeLetter() -> UInt8 {
    guard index < bytes.count else { return 0 }
    index += 1
    return bytes[index - 1] | 0x20
  }

  /// Steps over lower-case ASCII letters that the text has in any case, all of them or none.
  mutating func skip(word: StaticString) -> Bool {
    let end = index + word.utf8CodeUnitCount
    guard end <= bytes.count else { return false }
    for offset in 0..<word.utf8CodeUnitCount where bytes[index + offset] | 0x20 != word.utf8Start[offset] {
      return false
    }
    index = end
    return true
  }

  /// Reads a number of at most `maximum` digits; nil, at the same place, when there are fewer than `minimum`
  /// or more.
  mutating func digits(from minimum: Int, to maximum: Int) -> Int? {
    var number = 0
    var end = index
    while end < bytes.count, bytes[end].isDigit {
      guard end - index < maximum else { return nil }
      number = number * 10 + Int(bytes[end] &- UInt8(ascii: "0"))
      end += 1
    }
    guard end - index >= minimum else { return nil }
    index = end
    return number
  }

  /// How many digits come next.
  var digitCount: Int {
    var end = index
    while end < bytes.count, bytes[end].isDigit { end += 1 }
    return end - index
  }

  /// Reads just so many digits, at most 18, whatever follows them.
  mutating func digits(_ count: Int) -> Int? {
    guard index + count <= bytes.count else { return nil }
    var number = 0
    for place in index..<index + count {
      guard bytes[place].isDigit else { return nil }
      number = number * 10 + Int(bytes[place] &- UInt8(ascii: "0"))
    }
    index += count
    return number
  }

  /// Reads the digits of a fraction, any number of them, as millionths.
  ///
  /// - Returns: what they make, and whether there is more than zeros behind it; nil where there is no digit.
  mutating func millionths() -> (number: Int, hasRest: Bool)? {
    var number = 0
    var unit = 1_000_000
    var hasRest = false
    let start = index
    while index < bytes.count, bytes[index].isDigit {
      let digit = Int(bytes[index] &- UInt8(ascii: "0"))
      unit /= 10
      number += digit * unit
      hasRest = hasRest || unit == 0 && digit != 0
      index += 1
    }
    return index == start ? nil : (number, hasRest)
  }
}

extension UInt8 {
  /// Whether the byte is an ASCII digit.
  package var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }
}
