import Foundation
import JSONStream
import Testing

@Suite struct NumberTests {
  private func double(_ text: String, _ grammar: NumberGrammar = .text) -> Double? {
    NumberParsing.double(Array(text.utf8).span, grammar: grammar)
  }

  private func integer(_ text: String, _ grammar: NumberGrammar = .text) -> NumberParsing.Integer {
    NumberParsing.integer(Array(text.utf8).span, grammar: grammar)
  }

  /// The bits must be `strtod`'s; the C locale of a test process writes a point as a point.
  private func expectLikeC(_ text: String) {
    #expect(double(text)?.bitPattern == strtod(text, nil).bitPattern, "\(text)")
  }

  @Test func `integers are exact to the last`() {
    #expect(integer("9223372036854775807") == .value(.max))
    #expect(integer("-9223372036854775808") == .value(.min))
    #expect(integer("9223372036854775808") == .overflow)
    #expect(integer("-9223372036854775809") == .overflow)
    #expect(integer("18446744073709551616") == .overflow)
    #expect(integer("99999999999999999999999999") == .overflow)
    #expect(integer("1e18") == .value(1_000_000_000_000_000_000))
    #expect(integer("1e19") == .overflow)
    #expect(integer("1e999999999999999999999") == .overflow)
    #expect(integer("9007199254740993") == .value(9_007_199_254_740_993))
    #expect(integer("-0") == .value(0))
    #expect(integer("0e99999999999") == .value(0))
  }

  @Test func `integers with a point are integers when nothing stands behind it`() {
    #expect(integer("42.0") == .value(42))
    #expect(integer("42.50") == .fraction)
    #expect(integer("4.2e1") == .value(42))
    #expect(integer("420e-1") == .value(42))
    #expect(integer("425e-1") == .fraction)
    #expect(integer("1e-400") == .fraction)
    #expect(integer("1.000000000000000000000000000000") == .value(1))
    #expect(integer("1.000000000000000000000000000001") == .fraction)
    #expect(integer("1234567890123456789.000") == .value(1_234_567_890_123_456_789))
    #expect(integer("1234567890123456789.0001") == .fraction)
    #expect(integer("12345678901234567891") == .overflow)
    #expect(integer("123456789012345678900000e-5") == .value(1_234_567_890_123_456_789))
    #expect(integer("123456789012345678910000e-5") == .fraction)
  }

  @Test(arguments: [
    "", "-", "+", ".", "-.", "e5", "1e", "1e+", "1.5.5", "0x1", "1_0", " 1", "1 ", "nan", "inf", "1d",
  ])
  func `what is no number is none`(text: String) {
    #expect(double(text) == nil)
    #expect(integer(text) == .notANumber)
  }

  @Test func `Short numbers are what all numbers are`() {
    var random = SeededGenerator(seed: 11)
    let characters = Array("00123456789...-e".utf8)
    for _ in 0..<200_000 {
      let text = (0..<Int.random(in: 0...18, using: &random)).map { _ in
        characters.randomElement(using: &random) ?? 0
      }
      guard let short = shortDouble(text) else { continue }
      let whole = NumberParsing.double(text.span, grammar: .text)
      #expect(short.bitPattern == whole?.bitPattern, "\(String(decoding: text, as: UTF8.self))")
    }
    let shortened = ["0", "-0", "25.8", "-.5", "35.", "007", "123456789012345", "-123456789012345"]
    for text in shortened {
      let short = shortDouble(Array(text.utf8))
      #expect(short?.bitPattern == strtod(text, nil).bitPattern, "\(text)")
    }
  }

  /// Whatever stands behind the text, as in the reader's memory.
  private func shortDouble(_ text: [UInt8]) -> Double? {
    let found = ["", "0123456789", "........", "-\0\u{1}\u{7f}\u{ff}\u{ff}\u{ff}\u{ff}"].map { rest in
      let bytes = text + Array(rest.utf8) + [UInt8](repeating: 0xff, count: 8)
      return bytes.withUnsafeBufferPointer {
        $0.baseAddress.flatMap { NumberParsing.shortDouble($0, count: text.count) }
      }
    }
    #expect(Set(found.map { $0?.bitPattern }).count == 1, "\(String(decoding: text, as: UTF8.self))")
    return found[0]
  }

  @Test(arguments: [".19", "+12.8", "35.", "007", "-.5", "+.5e+1", "1.e3"])
  func `forms of feeds are numbers in text and not in JSON`(text: String) {
    expectLikeC(text)
    #expect(double(text, .json) == nil)
    #expect(integer(text, .json) == .notANumber)
  }

  @Test(arguments: [
    "0", "-0", "-0.0", "1", "0.1", "0.3", "5.3E-9", "1e22", "1e23", "9007199254740993", "9007199254740992.5",
    "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308", "1e309", "-1e400",
    "1e99999999999",
    "2.2250738585072011e-308", "2.2250738585072014e-308", "4.9406564584124654e-324",
    "2.4703282292062327e-324",
    "2.4703282292062328e-324", "2.5e-324", "1e-400", "1e-99999999999", "0e99999999999",
    "6.631236846766476e-316",
    "0.500000000000000166533453693773481063544750213623046875", "8.5e-324",
    "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286",
    "3.2378839133029012895883524125015321748630094202999e-319", "7.2057594037927933e+16",
    "1.8446744073709551615e19",
    "0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
  ])
  func `hard cases are rounded as C rounds them`(text: String) { expectLikeC(text) }

  @Test func `ties and their neighbours, with hundreds of digits`() {
    for exponent in stride(from: -1074, through: 970, by: 37) {
      // 2^e + 2^(e-53) in full: exactly between two doubles where both are normal.
      var digits = Decimal52(powerOfTwo: exponent, plus: exponent - 53)
      expectLikeC(digits.text)
      digits.appendDigit()
      expectLikeC(digits.text)
    }
  }

  @Test func `random doubles come back from every length of text`() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<20_000 {
      let value = Double(bitPattern: UInt64.random(in: 0..<0x7ff0_0000_0000_0000, using: &random))
      #expect(double("\(value)") == value)
      let digits = Int.random(in: 1...25, using: &random)
      expectLikeC(String(format: "%.\(digits)e", value))
    }
  }

  @Test func `random decimals are rounded as C rounds them`() {
    var random = SeededGenerator(seed: 9)
    for _ in 0..<20_000 {
      var text = Bool.random(using: &random) ? "-" : ""
      for _ in 0..<Int.random(in: 1...24, using: &random) {
        text += String(Int.random(in: 0...9, using: &random))
      }
      if Bool.random(using: &random) {
        text += "."
        for _ in 0..<Int.random(in: 0...24, using: &random) {
          text += String(Int.random(in: 0...9, using: &random))
        }
      }
      if Bool.random(using: &random) { text += "e\(Int.random(in: -345...320, using: &random))" }
      expectLikeC(text)
      if case .value(let integer) = integer(text), abs(integer) < 1 << 53 {
        #expect(Double(integer) == strtod(text, nil))
      }
    }
  }
}

/// Sums of powers of two, written out in decimal.
private struct Decimal52 {
  private var digits: [Int] = []
  private var point = 0

  init(powerOfTwo first: Int, plus second: Int) {
    let least = min(first, second, 0)
    // Both as integers times 2^least; 2^-n is 5^n / 10^n.
    var sum = Decimal52.power(first - least)
    let other = Decimal52.power(second - least)
    var carry = 0
    for i in 0..<max(sum.count, other.count) + 1 {
      if i == sum.count { sum.append(0) }
      let digit = sum[i] + (i < other.count ? other[i] : 0) + carry
      sum[i] = digit % 10
      carry = digit / 10
    }
    for _ in 0..<(-least) { Decimal52.multiply(&sum, by: 5) }
    digits = sum.reversed()
    point = digits.count + least
  }

  var text: String {
    let all = digits.map(String.init).joined()
    return "0.\(all)e\(point)"
  }

  mutating func appendDigit() { digits.append(1) }

  private static func power(_ exponent: Int) -> [Int] {
    var number = [1]
    for _ in 0..<exponent { multiply(&number, by: 2) }
    return number
  }

  private static func multiply(_ number: inout [Int], by factor: Int) {
    var carry = 0
    for i in number.indices {
      let product = number[i] * factor + carry
      number[i] = product % 10
      carry = product / 10
    }
    if carry > 0 { number.append(carry) }
  }
}
