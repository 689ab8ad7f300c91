/// Goes through JSON text that a reader has passed already, so that nothing in it can be wrong.
package struct JSONCursor {
  /// A value, or the beginning of one.
  package enum Item {
    case null
    case boolean(UnsafeBufferPointer<UInt8>)
    /// A number's text.
    case number(UnsafeBufferPointer<UInt8>)
    /// A string's content, escapes not resolved.
    case string(UnsafeBufferPointer<UInt8>)
    /// The cursor stands behind the bracket.
    case object
    /// The cursor stands behind the bracket.
    case array
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private var index = 0

  package init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  /// The value here.
  package mutating func item() -> Item {
    skipSpace()
    switch current {
    case UInt8(ascii: "\""): return .string(string())
    case UInt8(ascii: "{"):
      index += 1
      return .object
    case UInt8(ascii: "["):
      index += 1
      return .array
    case UInt8(ascii: "n"):
      _ = word()
      return .null
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean(word())
    default: return .number(word())
    }
  }

  /// The next key of the object that the cursor is in, with the colon passed; nil, behind the bracket, at its end.
  package mutating func key() -> UnsafeBufferPointer<UInt8>? {
    guard goesOn(before: UInt8(ascii: "}")) else { return nil }
    let key = string()
    skipSpace()
    index += 1
    return key
  }

  /// Passes a value.
  ///
  /// - Returns: its text.
  mutating func passValue() -> Slice<UnsafeBufferPointer<UInt8>> {
    skipSpace()
    let start = index
    switch item() {
    case .object, .array: leave()
    default: break
    }
    return bytes[start..<index]
  }

  /// Whether another element follows in the array that the cursor is in; if not, it stands behind the bracket.
  package mutating func hasElement() -> Bool { goesOn(before: UInt8(ascii: "]")) }

  /// Passes the rest of the object or array that the cursor is in.
  package mutating func leave() {
    var depth = 1
    while depth > 0, index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        _ = string()
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
      index += 1
    }
  }

  private var current: UInt8 { index < bytes.count ? bytes[index] : 0 }

  private mutating func goesOn(before end: UInt8) -> Bool {
    skipSpace()
    if current == UInt8(ascii: ",") {
      index += 1
      skipSpace()
    }
    guard index < bytes.count, current != end else {
      index += 1
      return false
    }
    return true
  }

  private mutating func skipSpace() {
    while index < bytes.count, bytes[index] <= 0x20 { index += 1 }
  }

  /// The content of the string that begins here.
  private mutating func string() -> UnsafeBufferPointer<UInt8> {
    index += 1
    let start = index
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    let end = min(index, bytes.count)
    index += 1
    return UnsafeBufferPointer(rebasing: bytes[start..<end])
  }

  /// A number, `true`, `false` or `null`.
  private mutating func word() -> UnsafeBufferPointer<UInt8> {
    let start = index
    while index < bytes.count, bytes[index] > 0x20, bytes[index] != UInt8(ascii: ","),
      bytes[index] != UInt8(ascii: "]"), bytes[index] != UInt8(ascii: "}")
    { index += 1 }
    return UnsafeBufferPointer(rebasing: bytes[start..<index])
  }
}
