import Foundation
import ImportModel
import Testing

@testable import TypedRows

struct ConversionDateTests {
  // MARK: Forms

  @Test(arguments: [
    ("2015-03-01 12:00:00", "2015-03-01T12:00:00.000Z"),
    ("2015-03-01T12:00:00", "2015-03-01T12:00:00.000Z"),
    ("2015-03-31 12:00:00", "2015-03-31T12:00:00.000Z"),
    ("2015-03-01T12:00:00Z", "2015-03-01T12:00:00.000Z"),
    ("2015-03-01t12:00:00z", "2015-03-01T12:00:00.000Z"),
    ("2015-03-01T12:00:00.5Z", "2015-03-01T12:00:00.500Z"),
    ("2015-03-01T12:00:00,25", "2015-03-01T12:00:00.250Z"),
    ("2015-03-01T12:00:00.1239999999999999999", "2015-03-01T12:00:00.123Z"),
    ("2015-03-01T23:59:59.99999", "2015-03-01T23:59:59.999Z"),
    ("2015-03-01T12:00:00+02:00", "2015-03-01T10:00:00.000Z"),
    ("2015-03-01T12:00:00-0330", "2015-03-01T15:30:00.000Z"),
    ("2015-03-01T12:00:00 +02", "2015-03-01T10:00:00.000Z"),
    ("2015-03-01T00:30:00.25+01:00", "2015-02-28T23:30:00.250Z"),
    ("2016-02-29T23:30:00-00:30", "2016-03-01T00:00:00.000Z"),
    ("2015-12-31T23:00:00-23:59", "2016-01-01T22:59:00.000Z"),
    ("2015-03-01T12:00:00-00:00", "2015-03-01T12:00:00.000Z"),
    ("2020-Jan-01 00:54", "2020-01-01T00:54:00.000Z"),
    ("2020-SEP-30 00:54", "2020-09-30T00:54:00.000Z"),
    ("2024-05-01T00:48Z", "2024-05-01T00:48:00.000Z"),
    ("2025-04-02 18:55 UT", "2025-04-02T18:55:00.000Z"),
    ("2025-04-02 18:55:01 UTC", "2025-04-02T18:55:01.000Z"),
    ("2025-04-02 18:55 gmt", "2025-04-02T18:55:00.000Z"),
    ("2025-04-02 18:55UT", "2025-04-02T18:55:00.000Z"),
    ("2015-1-3", "2015-01-03T00:00:00.000Z"),
    ("2015-01-03", "2015-01-03T00:00:00.000Z"),
    ("2015/01/03", "2015-01-03T00:00:00.000Z"),
    ("0861-5-19 8:05", "0861-05-19T08:05:00.000Z"),
    ("0000-01-01", "0000-01-01T00:00:00.000Z"),
    ("9999-12-31 23:59:59", "9999-12-31T23:59:59.000Z"),
    ("2009-11-21 08:53:00 PM", "2009-11-21T20:53:00.000Z"),
    ("2009-11-21 8:53am", "2009-11-21T08:53:00.000Z"),
    ("2009-11-21 12:00 AM", "2009-11-21T00:00:00.000Z"),
    ("2009-11-21 12:00 PM UTC", "2009-11-21T12:00:00.000Z"),
  ])
  func `Every form of a date has one stored form`(text: String, stored: String) throws {
    #expect(try date(text, nil, .milliseconds) == stored)
    #expect(try date(text) == stored.prefix(19) + "Z")
  }

  @Test(
    arguments: [
      ("2015-03-01T12:00:00.000", nil, .seconds, true), ("2015-03-01T12:00:00.5", nil, .seconds, false),
      ("2015-03-01T12:00:00.0000000001", nil, .seconds, false),
      ("2015-03-01T12:00:00.5+01:00", nil, .seconds, false),
      ("1425211200.000", .epochSeconds, .seconds, true), ("1425211200.5", .epochSeconds, .seconds, false),
      ("1425211200000", .epochMilliseconds, .seconds, true),
      ("1425211200001", .epochMilliseconds, .seconds, false),
      ("2015-03-01T12:00:00.123000", nil, .milliseconds, true),
      ("2015-03-01T12:00:00.1231", nil, .milliseconds, false),
      ("2015-03-01T12:00:00.1234560", nil, .microseconds, true),
      ("2015-03-01T12:00:00.1234561", nil, .microseconds, false),
      ("1425211200.0000001", .epochSeconds, .microseconds, false),
    ] as [(String, DateForm?, DatePrecision, Bool)])
  func `A fraction of a second that is not kept is rejected unless it is cut`(
    text: String, form: DateForm?, precision: DatePrecision, isKept: Bool
  ) throws {
    #expect(try date(text, form, precision).hasPrefix("2015-03-01T1"))
    if isKept {
      #expect(try date(text, form, precision, cutsFractions: false) == date(text, form, precision))
    } else {
      #expect(throws: ConversionFailure.fractionOfSecond) {
        try date(text, form, precision, cutsFractions: false)
      }
    }
  }

  @Test(arguments: [
    ("2015-03-01T12:00:00", "2015-03-01T12:00:00.000000Z"),
    ("2015-03-01T12:00:00.1", "2015-03-01T12:00:00.100000Z"),
    ("2015-03-01T12:00:00.000001", "2015-03-01T12:00:00.000001Z"),
    ("2015-03-01T00:30:00.123456789+01:00", "2015-02-28T23:30:00.123456Z"),
  ])
  func `Microseconds are six decimals`(text: String, stored: String) throws {
    #expect(try date(text, nil, .microseconds) == stored)
    #expect(try date("-0.000001", .epochSeconds, .microseconds) == "1969-12-31T23:59:59.999999Z")
    #expect(try date("1425211200123.456", .epochMilliseconds, .microseconds) == "2015-03-01T12:00:00.123456Z")
  }

  @Test(arguments: [
    ("11/21/2009 08:53:00 PM", DateForm.monthFirst, "2009-11-21T20:53:00Z"),
    ("21/11/2009", .dayFirst, "2009-11-21T00:00:00Z"),
    ("1.2.2009 07:00", .dayFirst, "2009-02-01T07:00:00Z"),
    ("1-2-2009", .monthFirst, "2009-01-02T00:00:00Z"),
    ("2009-02-01 07:00:00", .dayFirst, "2009-02-01T07:00:00Z"),
    ("1425211200", .epochSeconds, "2015-03-01T12:00:00Z"),
    ("-1", .epochSeconds, "1969-12-31T23:59:59Z"),
    ("1425211200.999", .epochSeconds, "2015-03-01T12:00:00Z"),
    ("-0.001", .epochSeconds, "1969-12-31T23:59:59Z"),
    ("1.4252112e9", .epochSeconds, "2015-03-01T12:00:00Z"),
    ("1425211200999", .epochMilliseconds, "2015-03-01T12:00:00Z"),
    ("-1", .epochMilliseconds, "1969-12-31T23:59:59Z"),
    ("-0.5", .epochMilliseconds, "1969-12-31T23:59:59Z"),
    ("-62167219200", .epochSeconds, "0000-01-01T00:00:00Z"),
    ("253402300799999", .epochMilliseconds, "9999-12-31T23:59:59Z"),
  ])
  func `A declared form says what the text cannot`(text: String, form: DateForm, stored: String) throws {
    #expect(try date(text, form) == stored)
  }

  @Test(
    arguments: [
      ("11/21/2009 08:53:00 PM", nil, .ambiguousDate), ("21/11/2009", nil, .ambiguousDate),
      ("1-2-2009", nil, .ambiguousDate), ("21/11/2009", .monthFirst, .noSuchDay),
      ("11/21/2009", .dayFirst, .noSuchDay), ("", nil, .notADate), (" 2015-03-01", nil, .notADate),
      ("2015-03-01 ", nil, .notADate), ("2015-03-01T", nil, .notADate), ("2015-03-01Z", nil, .notADate),
      ("2015-03-01  12:00", nil, .notADate), ("2015-03", nil, .notADate), ("2015-03/01", nil, .notADate),
      ("15-03-01", nil, .notADate), ("02015-03-01", nil, .notADate), ("-2015-03-01", nil, .notADate),
      ("2015-March-01", nil, .notADate), ("2015-Mai-01", nil, .notADate),
      ("2015-003-01", nil, .notADate), ("2015-03-01 12", nil, .notADate), ("2015-03-01 12:0", nil, .notADate),
      ("2015-03-01 12:00:0", nil, .notADate), ("2015-03-01 12:00:000", nil, .notADate),
      ("2015-03-01 12:00:00.", nil, .notADate), ("2015-03-01 12:00:00.Z", nil, .notADate),
      ("1425211200", nil, .notADate), ("yesterday", nil, .notADate),
      ("2015-02-29", nil, .noSuchDay), ("1900-02-29", nil, .noSuchDay), ("2015-04-31", nil, .noSuchDay),
      ("2015-00-01", nil, .noSuchDay), ("2015-13-01", nil, .noSuchDay),
      ("2015-01-00 00:00:00", nil, .noSuchDay),
      ("2015-01-32", nil, .noSuchDay), ("2015-01-01 24:00:00", nil, .noSuchTime),
      ("2015-01-01 23:60:00", nil, .noSuchTime), ("2016-12-31 23:59:60", nil, .noSuchTime),
      ("2015-01-01 13:00 PM", nil, .noSuchTime), ("2015-01-01 00:30 AM", nil, .noSuchTime),
      ("2025-04-02 18:55 TDB", nil, .unknownZone), ("2025-04-02 18:55 CET", nil, .unknownZone),
      ("2025-04-02 18:55 UTC+2", nil, .unknownZone), ("2025-04-02 18:55:00+2", nil, .unknownZone),
      ("2025-04-02 18:55:00+24:00", nil, .unknownZone), ("2025-04-02 18:55:00+01:60", nil, .unknownZone),
      ("2025-04-02 18:55:00+01:000", nil, .unknownZone), ("2025-04-02 18:55:00 ", nil, .unknownZone),
      ("0000-01-01T00:00:00+00:01", nil, .outOfRange), ("9999-12-31T23:59:59-00:01", nil, .outOfRange),
      ("253402300800", .epochSeconds, .outOfRange), ("-62167219201", .epochSeconds, .outOfRange),
      ("1e30", .epochSeconds, .outOfRange), ("2015-03-01", .epochSeconds, .notANumber),
      ("", .epochMilliseconds, .notANumber),
    ] as [(String, DateForm?, ConversionFailure)])
  func `What is not one date is rejected`(text: String, form: DateForm?, failure: ConversionFailure) {
    #expect(throws: failure) { try date(text, form) }
  }

  @Test func `A number is a date only under a declared epoch`() throws {
    var stored = [UInt8](repeating: 0, count: 24)
    let thousandths = DateText.Form(precision: .milliseconds, cutsFractions: true)
    try stored.withUnsafeMutableBufferPointer { buffer in
      let output = try #require(buffer.baseAddress)
      try DateText.write(Int64(-1), unit: 1000, as: thousandths, to: output)
      #expect(String(decoding: buffer, as: UTF8.self) == "1969-12-31T23:59:59.999Z")
      try DateText.write(1.001, unit: 1_000_000, as: thousandths, to: output)
      #expect(String(decoding: buffer, as: UTF8.self) == "1970-01-01T00:00:01.001Z")
      try DateText.write(-0.0001, unit: 1_000_000, as: thousandths, to: output)
      #expect(String(decoding: buffer, as: UTF8.self) == "1969-12-31T23:59:59.999Z")
      try DateText.write(1.9, unit: 1000, as: thousandths, to: output)
      #expect(String(decoding: buffer, as: UTF8.self) == "1970-01-01T00:00:00.001Z")
      #expect(throws: ConversionFailure.undeclaredEpoch) {
        try DateText.write(Int64(1), unit: nil, as: thousandths, to: output)
      }
      #expect(throws: ConversionFailure.undeclaredEpoch) {
        try DateText.write(1.5, unit: nil, as: thousandths, to: output)
      }
      #expect(throws: ConversionFailure.undeclaredEpoch) {
        try "1.5".withBytes { try DateText.write(number: $0, unit: nil, as: thousandths, to: output) }
      }
      for number in [Double.nan, .infinity, 1e300] {
        #expect(throws: ConversionFailure.outOfRange) {
          try DateText.write(number, unit: 1_000_000, as: thousandths, to: output)
        }
      }
      #expect(throws: ConversionFailure.outOfRange) {
        try DateText.write(Int64.max, unit: 1_000_000, as: thousandths, to: output)
      }
    }
  }

  // MARK: Calendar

  /// From Python's `datetime`, whose calendar is proleptic too.
  @Test(arguments: [
    (-62135596800, "0001-01-01T00:00:00Z"),
    (-34984612800, "0861-05-19T12:00:00Z"),
    (-12220156801, "1582-10-04T23:59:59Z"),
    (-12220156800, "1582-10-05T00:00:00Z"),
    (-12219292800, "1582-10-15T00:00:00Z"),
    (-11670976372, "1600-02-29T06:07:08Z"),
    (-8515321077, "1700-02-28T01:02:03Z"),
    (-2208988801, "1899-12-31T23:59:59Z"),
    (-2203891200, "1900-03-01T00:00:00Z"),
    (-1, "1969-12-31T23:59:59Z"),
    (0, "1970-01-01T00:00:00Z"),
    (951827696, "2000-02-29T12:34:56Z"),
    (2147483648, "2038-01-19T03:14:08Z"),
    (253402300799, "9999-12-31T23:59:59Z"),
    (105280200184, "5306-03-13T20:03:04Z"),
    (214906500238, "8780-02-12T18:03:58Z"),
    (200205138446, "8314-04-02T02:27:26Z"),
    (-26026468377, "1145-04-03T17:27:03Z"),
    (230211405637, "9265-02-08T20:40:37Z"),
    (-30143275006, "1014-10-19T12:03:14Z"),
    (-38034301294, "0764-09-28T04:18:26Z"),
    (12454798775, "2364-09-04T18:19:35Z"),
    (31308835212, "2962-02-19T18:40:12Z"),
    (130397551476, "6102-02-18T22:04:36Z"),
    (-31311821786, "0977-10-07T15:43:34Z"),
    (158935114769, "7006-06-15T18:59:29Z"),
    (124818731089, "5925-05-08T05:44:49Z"),
    (64064856811, "4000-02-19T09:33:31Z"),
    (115465513084, "5628-12-15T09:38:04Z"),
    (-1082398299, "1935-09-14T05:48:21Z"),
    (16460674924, "2491-08-14T01:42:04Z"),
    (226415384504, "9144-10-26T10:21:44Z"),
  ])
  func `Instants far and near agree with another calendar`(seconds: Int64, stored: String) throws {
    #expect(try date("\(seconds)", .epochSeconds) == stored)
    let time = try stored.withBytes { try DateScanner($0, form: nil) }.time
    #expect(time.microseconds == seconds * 1_000_000)
  }

  @Test func `Every day of ten thousand years follows the one before`() throws {
    let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    var microseconds = CivilTime.range.lowerBound
    for year in 0...9999 {
      let isLeap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0)
      for month in 1...12 {
        let days = lengths[month - 1] + (isLeap && month == 2 ? 1 : 0)
        for day in [1, 2, days - 1, days] {
          let time = CivilTime(year: year, month: month, day: day)
          try time.checkDay()
          let instant = microseconds + Int64(day - 1) * 86_400_000_000
          guard time.microseconds == instant, try CivilTime(microseconds: instant) == time else {
            Issue.record("\(time) is at \(instant)")
            return
          }
        }
        #expect(throws: ConversionFailure.noSuchDay) {
          try CivilTime(year: year, month: month, day: days + 1).checkDay()
        }
        microseconds += Int64(days) * 86_400_000_000
      }
    }
    #expect(microseconds == CivilTime.range.upperBound + 1)
  }

  /// The usual form has a way of its own; with more decimals there is only the other.
  @Test(arguments: [
    "2015-03-01 12:00:00", "2026-11-30T23:59:59Z", "2024-02-29 00:00:00", "2023-02-28 09:19:29",
    "1999-12-31T10:20:30",
  ])
  func `Each byte of a usual date is read as in any other form`(text: String) throws {
    func written(_ bytes: [UInt8], _ precision: DatePrecision) -> Result<String, any Error> {
      Result {
        let form = DateText.Form(precision: precision, cutsFractions: true)
        var output = [UInt8](repeating: 0, count: form.length)
        try output.withUnsafeMutableBufferPointer { output in
          let start = try #require(output.baseAddress)
          try bytes.withUnsafeBufferPointer { try DateText.write($0, as: form, to: start) }
        }
        return String(decoding: output.prefix(19), as: UTF8.self)
      }
    }
    for place in 0..<text.utf8.count {
      for byte in UInt8.min...UInt8.max {
        var bytes = Array(text.utf8)
        bytes[place] = byte
        let (usual, other) = (written(bytes, .seconds), written(bytes, .milliseconds))
        #expect((try? usual.get()) == (try? other.get()), "\(bytes)")
      }
    }
  }

  @Test func `Random instants agree with Foundation and read back`() throws {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    var random = SystemRandomNumberGenerator()
    // Foundation's calendar is Gregorian from 1582 on only.
    let range: ClosedRange<Int64> = -11_676_096_000_000...253_402_300_799_999
    for _ in 0..<5000 {
      let milliseconds = Int64.random(in: range, using: &random)
      let stored = try date("\(milliseconds)", .epochMilliseconds, .milliseconds)
      let seconds = Double(milliseconds / 1000) + Double(milliseconds % 1000) / 1000
      #expect(stored == formatter.string(from: Date(timeIntervalSince1970: seconds + 0.0001)))
      #expect(try date(stored, nil, .milliseconds) == stored)
      let second = stored.prefix(19) + "Z"
      #expect(try date(String(stored.prefix(19).replacing("T", with: " "))) == second)
      #expect(try date(String(second)) == second)
    }
  }

  // MARK: Days

  @Test(
    arguments: [
      ("2015-03-01", nil, "2015-03-01"), ("2015-1-3", nil, "2015-01-03"), ("2020-Dec-31", nil, "2020-12-31"),
      ("2015-03-01T00:00:00.000", nil, "2015-03-01"), ("2015-03-01 00:00:00Z", nil, "2015-03-01"),
      ("21/11/2009", .dayFirst, "2009-11-21"), ("11/21/2009 12:00 AM", .monthFirst, "2009-11-21"),
    ] as [(String, DateForm?, String)])
  func `A day keeps no time`(text: String, form: DateForm?, stored: String) throws {
    #expect(try day(text, form) == stored)
  }

  @Test(
    arguments: [
      ("2015-03-01 12:00:00", .timeInDay), ("2015-03-01 00:00:00.001", .timeInDay),
      ("2015-03-01 00:00:00.0000000001", .timeInDay),
      ("2015-03-01 00:00:00+01:00", .timeInDay), ("2015-02-30", .noSuchDay), ("1/2/2015", .ambiguousDate),
      ("", .notADate),
    ] as [(String, ConversionFailure)])
  func `A time of day is never cut off`(text: String, failure: ConversionFailure) {
    #expect(throws: failure) { try day(text, nil) }
  }
}
