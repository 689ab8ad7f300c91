internal import ImportModel
internal import TypedRows

extension AttributeType {
  /// Whether a value in a stored form is one of the type. Another program may have switched off a file's rules.
  func holds(_ value: Value) -> Bool {
    switch (self, value) {
    case (_, .null): true
    case (.integer16, .integer(let number)): Int16(exactly: number) != nil
    case (.integer32, .integer(let number)): Int32(exactly: number) != nil
    case (.integer64, .integer), (.decimal, .integer): true
    case (.boolean, .integer(let number)): 0...1 ~= number
    case (.double, .real), (.float, .real), (.string, .text), (.json, .text), (.binary, .blob): true
    case (.date, .text(var text)), (.day, .text(var text)):
      text.withUTF8 { ($0.count == 10) == (self == .day) && CivilTime(stored: $0) != nil }
    case (.uuid, .text(var text)):
      text.withUTF8 { bytes in
        bytes.count == UUIDText.length
          && bytes.enumerated().allSatisfy { place, byte in
            [8, 13, 18, 23].contains(place)
              ? byte == UInt8(ascii: "-")
              : UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte
          }
      }
    default: false
    }
  }
}
