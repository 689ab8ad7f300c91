package import ImportModel
internal import NumberText

/// Turns a whole number in digits into a number of 64 bits, exactly.
package enum IntegerText {
  /// The number of a text or of a JSON number.
  ///
  /// Taken is any number that is whole: `+7`, `00501`, `8.0`, `8e2`.
  package static func value(_ bytes: UnsafeBufferPointer<UInt8>) throws(ConversionFailure) -> Int64 {
    switch NumberParsing.integer(bytes, grammar: .text) {
    case .value(let number): return number
    case .fraction: throw .fraction
    case .overflow: throw .outOfRange
    case .notANumber: throw .notANumber
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
  package static func check(_ number: Int64, type: AttributeType) throws(ConversionFailure) {
    switch type {
    case .integer16 where Int16(exactly: number) == nil: throw .outOfRange
    case .integer32 where Int32(exactly: number) == nil: throw .outOfRange
    default: return
    }
  }

  /// Room for any number.
  package static let mostDigits = 20

  /// Writes a number as JSON writes it.
  ///
  /// - Parameter output: room for `mostDigits` bytes.
  /// - Returns: how many it takes.
  package static func write(_ number: Int64, to output: UnsafeMutablePointer<UInt8>) -> Int {
    var rest = number.magnitude
    var count = number < 0 ? 2 : 1
    var bound: UInt64 = 10
    while rest >= bound {
      count += 1
      bound *= 10
    }
    var place = count
    repeat {
      place -= 1
      output[place] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    } while rest > 0
    if number < 0 { output[0] = UInt8(ascii: "-") }
    return count
  }
}
