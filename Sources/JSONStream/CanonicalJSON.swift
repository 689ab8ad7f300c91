/// A JSON value's text in one form: no blanks, an object's keys in the order of their bytes, strings with as few escapes as
/// can be, numbers as they are spelt.
///
/// Two texts of one form say the same. Keys that stand twice in an object keep their order.
package struct CanonicalJSON {
  /// The text, and behind it what no token goes on with: the grammar's functions look a few bytes ahead.
  private let bytes: UnsafePointer<UInt8>
  private let count: Int
  private var place = 0
  private var text: [UInt8] = []

  /// How deep arrays and objects may lie within each other.
  private static let deepest = ReaderLimits().depth

  /// The canonical text; nil where the bytes are no JSON value, or one that is deeper than a record may be.
  ///
  /// - Complexity: O(n log n) time, O(n) memory.
  package static func text(of bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    (Array(bytes) + [UInt8](repeating: 0x20, count: 8)).withUnsafeBufferPointer { padded in
      guard let start = padded.baseAddress else { return nil }
      var value = CanonicalJSON(bytes: start, count: bytes.count)
      guard value.takeValue(depth: 0) else { return nil }
      value.skipBlanks()
      return value.place == value.count ? value.text : nil
    }
  }

  /// Whether two texts say the same.
  package static func areEqual(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>)
    -> Bool
  {
    guard let text = text(of: left) else { return left.elementsEqual(right) }
    return text == self.text(of: right)
  }

  private init(bytes: UnsafePointer<UInt8>, count: Int) {
    self.bytes = bytes
    self.count = count
    text.reserveCapacity(count)
  }

  // MARK: Values

  private mutating func takeValue(depth: Int) -> Bool {
    skipBlanks()
    guard place < count else { return false }
    switch bytes[place] {
    case UInt8(ascii: "{"): return depth < Self.deepest && takeObject(depth: depth + 1)
    case UInt8(ascii: "["): return depth < Self.deepest && takeArray(depth: depth + 1)
    case UInt8(ascii: "\""): return takeString()
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return take(through: Scalar.number(bytes, place).end)
    default: return take(through: place + Scalar.word(bytes, place))
    }
  }

  /// Takes bytes as they are; false for none.
  private mutating func take(through end: Int) -> Bool {
    guard end > place, end <= count else { return false }
    text.append(contentsOf: UnsafeBufferPointer(start: bytes + place, count: end - place))
    place = end
    return true
  }

  private mutating func takeArray(depth: Int) -> Bool {
    text.append(UInt8(ascii: "["))
    place += 1
    if !skip(UInt8(ascii: "]")) {
      repeat {
        if text.last != UInt8(ascii: "[") { text.append(UInt8(ascii: ",")) }
        guard takeValue(depth: depth) else { return false }
      } while skip(UInt8(ascii: ","))
      guard skip(UInt8(ascii: "]")) else { return false }
    }
    text.append(UInt8(ascii: "]"))
    return true
  }

  private mutating func takeObject(depth: Int) -> Bool {
    var members: [(key: [UInt8], member: [UInt8])] = []
    place += 1
    let start = text.count
    if !skip(UInt8(ascii: "}")) {
      repeat {
        skipBlanks()
        guard place < count, bytes[place] == UInt8(ascii: "\""), takeString() else { return false }
        let key = Array(text[start...])
        text.append(UInt8(ascii: ":"))
        guard skip(UInt8(ascii: ":")), takeValue(depth: depth) else { return false }
        members.append((key, Array(text[start...])))
        text.removeSubrange(start...)
      } while skip(UInt8(ascii: ","))
      guard skip(UInt8(ascii: "}")) else { return false }
    }
    // The sort is stable.
    members.sort { $0.key.lexicographicallyPrecedes($1.key) }
    text.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text.append(contentsOf: member.member)
    }
    text.append(UInt8(ascii: "}"))
    return true
  }

  // MARK: Strings

  private mutating func takeString() -> Bool {
    let start = place + 1
    var end = start
    var hasEscapes = false
    while end < count, bytes[end] != UInt8(ascii: "\"") {
      guard bytes[end] >= 0x20 else { return false }
      if bytes[end] == UInt8(ascii: "\\") {
        hasEscapes = true
        let length = Scalar.escape(bytes, end)
        guard length > 0 else { return false }
        end += length
      } else {
        end += 1
      }
    }
    guard end < count else { return false }
    guard hasEscapes else { return take(through: end + 1) }
    var decoded: (count: Int, unpaired: Int?) = (0, nil)
    let content = [UInt8](unsafeUninitializedCapacity: end - start) { buffer, written in
      guard let target = buffer.baseAddress else { return }
      decoded = StringDecoding.decode(bytes + start, count: end - start, into: target)
      written = decoded.count
    }
    // Half a character has no other spelling.
    if decoded.unpaired != nil { return take(through: end + 1) }
    place = end + 1
    text.append(UInt8(ascii: "\""))
    for byte in content { append(byte) }
    text.append(UInt8(ascii: "\""))
    return true
  }

  private mutating func append(_ byte: UInt8) {
    if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
      text.append(UInt8(ascii: "\\"))
    } else if byte < 0x20 {
      let digits = Array("0123456789abcdef".utf8)
      text.append(contentsOf: "\\u00".utf8)
      text.append(digits[Int(byte >> 4)])
      return text.append(digits[Int(byte & 15)])
    }
    text.append(byte)
  }

  // MARK: Blanks

  private mutating func skipBlanks() {
    while place < count, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[place]) { place += 1 }
  }

  /// Steps over a byte and the blanks before it, if it comes next.
  private mutating func skip(_ byte: UInt8) -> Bool {
    skipBlanks()
    guard place < count, bytes[place] == byte else { return false }
    place += 1
    return true
  }
}
