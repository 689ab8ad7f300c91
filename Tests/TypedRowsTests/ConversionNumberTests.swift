import ImportModel
import Testing

@testable import TypedRows

struct ConversionNumberTests {
  @Test(
    arguments: [
      ("5.7", 2, 570), (".19", 2, 19), ("+12.8", 1, 128), ("35.00", 0, 35), ("35.", 0, 35), ("-0", 3, 0),
      ("-1.5", 2, -150), ("5.3E-9", 10, 53), ("5.3e+2", 0, 530), ("12e-1", 1, 12), ("1200e-2", 0, 12),
      ("0.000000000000000000001e21", 0, 1), ("0e999999999999999999", 2, 0), ("0.0000e-99999", 0, 0),
      ("000000000000000000000000000007", 0, 7), ("7.0000000000000000000000000000", 0, 7),
      ("92233720368547758.07", 2, .max), ("-92233720368547758.08", 2, .min), ("9223372036854775807", 0, .max),
      ("-9223372036854775808", 0, .min), ("1", 18, 1_000_000_000_000_000_000),
    ] as [(String, Int, Int64)])
  func `A decimal is its units`(text: String, scale: Int, units: Int64) throws {
    #expect(try text.withBytes { try DecimalText.units($0, scale: scale) } == units)
  }

  @Test(
    arguments: [
      ("1.005", 2, .tooManyDecimals), ("5.3E-9", 2, .tooManyDecimals), ("1e-400", 18, .tooManyDecimals),
      ("92233720368547758.08", 2, .outOfRange), ("-92233720368547758.09", 2, .outOfRange),
      ("10", 18, .outOfRange), ("1e400", 0, .outOfRange), ("1e9999999999999999999", 0, .outOfRange),
      ("18446744073709551616", 0, .outOfRange), ("99999999999999999999999", 0, .outOfRange),
      ("", 0, .notANumber), ("-", 0, .notANumber), (".", 0, .notANumber), ("+-1", 0, .notANumber),
      ("1.2.3", 0, .notANumber), ("1e", 0, .notANumber), ("1e+", 0, .notANumber), ("e1", 0, .notANumber),
      ("1e1.5", 0, .notANumber), ("1e1 ", 0, .notANumber), (" 1", 0, .notANumber), ("1,5", 1, .notANumber),
      ("1_000", 0, .notANumber), ("0x1", 0, .notANumber), ("nan", 0, .notANumber), ("∞", 0, .notANumber),
      ("22.0S", 1, .notANumber),
    ] as [(String, Int, ConversionFailure)])
  func `What is not exactly so many units is rejected`(text: String, scale: Int, failure: ConversionFailure) {
    #expect(throws: failure) { try text.withBytes { try DecimalText.units($0, scale: scale) } }
  }

  @Test(
    arguments: [
      ("1.999", 0, 1), ("-1.001", 0, -2), ("-1.000", 0, -1), ("-0.5", 0, -1), ("0.5", 0, 0),
      ("-1e-400", 2, -1),
      ("9223372036854775807.9", 0, .max),
    ] as [(String, Int, Int64)])
  func `Cutting off goes to the smaller number`(text: String, scale: Int, units: Int64) throws {
    #expect(try text.withBytes { try DecimalText.units($0, scale: scale, excess: .cutOff) } == units)
  }

  @Test func `Cutting off below the smallest number is out of range`() {
    #expect(throws: ConversionFailure.outOfRange) {
      try "-9223372036854775808.1".withBytes { try DecimalText.units($0, scale: 0, excess: .cutOff) }
    }
  }

  @Test func `Random decimals agree with plain digits`() throws {
    for _ in 0..<20_000 {
      let units = Int64.random(in: .min ... .max) >> Int64.random(in: 0...63)
      let scale = Int.random(in: 0...18)
      var digits = String(units.magnitude)
      digits = String(repeating: "0", count: max(0, scale + 1 - digits.count)) + digits
      let split = digits.index(digits.endIndex, offsetBy: -scale)
      let text = (units < 0 ? "-" : "") + digits[..<split] + "." + digits[split...]
      #expect(try text.withBytes { try DecimalText.units($0, scale: scale) } == units)
      let shifted = "\(units)e-\(scale)"
      #expect(try shifted.withBytes { try DecimalText.units($0, scale: scale) } == units)
    }
  }

  @Test(
    arguments: [
      ("0", 0), ("42", 42), ("-7", -7), ("+7", 7), ("00501", 501), ("8.0", 8), ("8e2", 800), ("1.5e1", 15),
      ("999999999999999999", 999_999_999_999_999_999), ("1000000000000000000", 1_000_000_000_000_000_000),
      ("9223372036854775807", .max), ("-9223372036854775808", .min),
      ("9007199254740993", 9_007_199_254_740_993),
    ] as [(String, Int64)])
  func `A whole number is exact`(text: String, number: Int64) throws {
    #expect(try text.withBytes { try IntegerText.value($0) } == number)
  }

  @Test(
    arguments: [
      ("8.5", .fraction), ("1e-1", .fraction), ("9223372036854775808", .outOfRange),
      ("-9223372036854775809", .outOfRange), ("1e19", .outOfRange), ("", .notANumber), ("abc", .notANumber),
      ("12 ", .notANumber), ("1/2", .notANumber),
    ] as [(String, ConversionFailure)])
  func `What is no whole number of 64 bits is rejected`(text: String, failure: ConversionFailure) {
    #expect(throws: failure) { try text.withBytes { try IntegerText.value($0) } }
  }

  @Test func `A real number is whole or rejected`() throws {
    #expect(try IntegerText.value(8.0) == 8)
    #expect(try IntegerText.value(-9.223372036854775808e18) == .min)
    #expect(throws: ConversionFailure.fraction) { try IntegerText.value(8.5) }
    #expect(throws: ConversionFailure.outOfRange) { try IntegerText.value(9.223372036854775808e18) }
    #expect(throws: ConversionFailure.outOfRange) { try IntegerText.value(.nan) }
    #expect(throws: ConversionFailure.outOfRange) { try IntegerText.value(.infinity) }
  }

  @Test func `Each type has its range`() throws {
    try IntegerText.check(-32768, type: .integer16)
    try IntegerText.check(.max, type: .integer64)
    #expect(throws: ConversionFailure.outOfRange) { try IntegerText.check(32768, type: .integer16) }
    #expect(throws: ConversionFailure.outOfRange) { try IntegerText.check(-2_147_483_649, type: .integer32) }
  }
}
