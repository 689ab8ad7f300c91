/// Turns a UUID into its stored form, 36 bytes of lower-case text.
package enum UUIDText {
  /// The bytes that `write` writes.
  package static let length = 36

  /// Writes the stored form of a UUID.
  ///
  /// Taken are 32 hexadecimal digits of any case, all four hyphens or none, with a pair of braces around or
  /// not.
  ///
  /// - Parameter output: Room for `length` bytes. Nothing in it has a meaning after a failure.
  package static func write(
    _ bytes: UnsafeBufferPointer<UInt8>, to output: UnsafeMutablePointer<UInt8>
  ) throws(ConversionFailure) {
    var index = 0
    var end = bytes.count
    if bytes.first == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "}"), end >= 2 {
      index += 1
      end -= 1
    }
    let hasHyphens = end - index == length
    guard hasHyphens || end - index == length - 4 else { throw .notAUUID }
    for place in 0..<length {
      if place == 8 || place == 13 || place == 18 || place == 23 {
        output[place] = UInt8(ascii: "-")
        guard hasHyphens else { continue }
        guard bytes[index] == UInt8(ascii: "-") else { throw .notAUUID }
      } else {
        // Only letters have this bit clear in upper case; digits have it set.
        let digit = bytes[index] | 0x20
        guard bytes[index].isDigit || UInt8(ascii: "a")...UInt8(ascii: "f") ~= digit else { throw .notAUUID }
        output[place] = digit
      }
      index += 1
    }
  }
}
