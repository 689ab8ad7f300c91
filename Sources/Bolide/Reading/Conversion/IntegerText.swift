internal import ImportModel

/// Turns a whole number in digits into a number of 64 bits, exactly.
enum IntegerText {
  /// The number of a text or of a JSON number.
  ///
  /// Taken is what `DecimalText` takes, where the number is whole: `+7`, `00501`, `8.0`, `8e2`.
  static func value(_ bytes: UnsafeBufferPointer<UInt8>) throws(ConversionFailure) -> Int64 {
    if let number = plainDigits(bytes) { return number }
    do {
      return try DecimalText.units(bytes, scale: 0)
    } catch {
      throw error == .tooManyDecimals ? .fraction : error
    }
  }

  /// The number of a real one, where that is whole and exact.
  static func value(_ number: Double) throws(ConversionFailure) -> Int64 {
    guard number.isFinite else { throw .outOfRange }
    guard number.rounded(.towardZero) == number else { throw .fraction }
    guard let value = Int64(exactly: number) else { throw .outOfRange }
    return value
  }

  /// Checks a number against what its type holds.
  static func check(_ number: Int64, type: AttributeType) throws(ConversionFailure) {
    switch type {
    case .integer16 where Int16(exactly: number) == nil: throw .outOfRange
    case .integer32 where Int32(exactly: number) == nil: throw .outOfRange
    default: return
    }
  }

  /// The number of at most 18 digits, which nearly all are; nil for any other text.
  private static func plainDigits(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
    guard (1...18).contains(bytes.count) else { return nil }
    var number: Int64 = 0
    for byte in bytes {
      let digit = byte &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      number = number &* 10 &+ Int64(digit)
    }
    return number
  }
}
