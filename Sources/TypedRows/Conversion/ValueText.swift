package import ImportModel

extension Value {
  /// Reads a value that a person writes as text: a default, a limit, an allowed value, a part of a key.
  ///
  /// Only the stored form is accepted, so that a text means the same in every place; decimals and booleans are written
  /// as people write them.
  ///
  /// Nil for any other text: `writtenForm` of the type is what is expected.
  package init?(_ text: String, as type: AttributeType) {
    let value: Value? =
      switch type {
      case .integer16: Int16(text).map { .integer(Int64($0)) }
      case .integer32: Int32(text).map { .integer(Int64($0)) }
      case .integer64: Int64(text).map { .integer($0) }
      case .double: Double(number: text).map { .real($0) }
      case .float: Double(number: text).map { Double(Float($0)) }.flatMap { $0.isFinite ? .real($0) : nil }
      case .decimal(let scale): Int64(units: text, scale: scale).map { .integer($0) }
      case .boolean: ["true": 1, "false": 0][text].map { .integer($0) }
      case .string: .text(text)
      case .date(let precision):
        text.inStoredForm(ofLength: DateText.Form(precision: precision, cutsFractions: false).length) {
          try DateText.write($0, as: DateText.Form(precision: precision, cutsFractions: false), to: $1)
        }
      case .day:
        text.inStoredForm(ofLength: DayText.length) { try DayText.write($0, to: $1) }
      case .uuid:
        text.inStoredForm(ofLength: UUIDText.length) { try UUIDText.write($0, to: $1) }
      case .binary, .json: nil
      }
    guard let value else { return nil }
    self = value
  }
}

extension Int64 {
  /// The units of a decimal number without an exponent: `1.5` is 150 at scale 2.
  fileprivate init?(units text: String, scale: Int) {
    var text = text
    guard !text.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }),
      let units = try? text.withUTF8({ try DecimalText.units($0, scale: scale) })
    else { return nil }
    self = units
  }
}

extension String {
  /// The text, where it is its own stored form of `length` bytes.
  fileprivate func inStoredForm(
    ofLength length: Int,
    _ write: (UnsafeBufferPointer<UInt8>, UnsafeMutablePointer<UInt8>) throws -> Void
  ) -> Value? {
    var text = self
    let isStored = text.withUTF8 { bytes in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { output in
        guard bytes.count == length, let start = output.baseAddress else { return false }
        do {
          try write(bytes, start)
        } catch {
          return false
        }
        return bytes.elementsEqual(output)
      }
    }
    return isStored ? .text(self) : nil
  }
}
