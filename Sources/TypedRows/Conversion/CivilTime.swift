/// A time of the proleptic Gregorian calendar in UTC, in the years 0000 to 9999: what the stored forms can
/// say.
package struct CivilTime: Equatable {
  var year = 0
  var month = 1
  var day = 1
  var hour = 0
  var minute = 0
  var second = 0
  package var microsecond = 0

  /// Whether no time of day is set.
  var isMidnight: Bool { hour == 0 && minute == 0 && second == 0 && microsecond == 0 }

  /// Checks the day against the calendar.
  package func checkDay() throws(ConversionFailure) {
    guard (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year) else { throw .noSuchDay }
  }

  /// Checks the time of day.
  ///
  /// A leap second (`23:59:60`) has no stored form, and the next second is another instant, so it is rejected.
  func checkTime() throws(ConversionFailure) {
    guard hour < 24, minute < 60, second < 60 else { throw .noSuchTime }
  }

  /// Makes an hour from 1 to 12 one of the whole day: 12 AM is midnight.
  mutating func setHalfOfDay(isAfternoon: Bool) throws(ConversionFailure) {
    guard (1...12).contains(hour) else { throw .noSuchTime }
    hour = hour % 12 + (isAfternoon ? 12 : 0)
  }

  static func isLeap(_ year: Int) -> Bool { year & 3 == 0 && (year % 100 != 0 || year % 400 == 0) }

  private static func days(in month: Int, of year: Int) -> Int {
    if month == 2 { return isLeap(year) ? 29 : 28 }
    return 30 + (month + month >> 3) & 1
  }

  // MARK: Microseconds since 1970

  /// The microseconds from 1970-01-01T00:00:00Z.
  package var microseconds: Int64 {
    let seconds = ((dayNumber * 24 + hour) * 60 + minute) * 60 + second
    return Int64(seconds) * 1_000_000 + Int64(microsecond)
  }

  /// The time at a number of microseconds from 1970-01-01T00:00:00Z, where the year has four digits.
  package init(microseconds: Int64) throws(ConversionFailure) {
    guard Self.range.contains(microseconds) else { throw .outOfRange }
    let (seconds, ofSecond) = Self.floored(Int(microseconds), 1_000_000)
    let (days, ofDay) = Self.floored(seconds, 86_400)
    self.init(dayNumber: days)
    hour = ofDay / 3600
    minute = ofDay / 60 % 60
    second = ofDay % 60
    microsecond = ofSecond
  }

  /// A time of the given parts.
  package init(year: Int = 0, month: Int = 1, day: Int = 1, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// 0000-01-01T00:00:00.000000Z to 9999-12-31T23:59:59.999999Z.
  package static let range: ClosedRange<Int64> = -62_167_219_200_000_000...253_402_300_799_999_999

  // MARK: Day numbers

  // Years are counted from March here, so that the leap day is a year's last day: a month then starts at a
  // day of the year that a straight line through the months gives (153 days in five months), and 400 years
  // always have 146,097 days.
  private static let daysOf400Years = 146_097
  /// The days from 0000-03-01 to 1970-01-01.
  private static let daysTo1970 = 719_468

  /// The days from 1970-01-01.
  var dayNumber: Int {
    let marchYear = month > 2 ? year : year - 1
    let (era, yearOfEra) = Self.floored(marchYear, 400)
    let marchMonth = (month + 9) % 12
    let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * Self.daysOf400Years + dayOfEra - Self.daysTo1970
  }

  init(dayNumber: Int) {
    let (era, dayOfEra) = Self.floored(dayNumber + Self.daysTo1970, Self.daysOf400Years)
    // The leap days before this one are taken out, and what is left are years of 365 days.
    let leapDays = dayOfEra / 1460 - dayOfEra / 36_524 + dayOfEra / 146_096
    let yearOfEra = (dayOfEra - leapDays) / 365
    let dayOfYear = dayOfEra - (yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    year = era * 400 + yearOfEra + (month > 2 ? 0 : 1)
  }

  static func floored(_ number: Int, _ divisor: Int) -> (quotient: Int, remainder: Int) {
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  // MARK: Stored forms

  /// Reads the stored form of an instant or a day; nil for any other text.
  package init?(stored text: UnsafeBufferPointer<UInt8>) {
    func has(_ character: Unicode.Scalar, at index: Int) -> Bool { text[index] == UInt8(ascii: character) }
    guard [10, 20, 24, 27].contains(text.count), has("-", at: 4), has("-", at: 7) else { return nil }
    if text.count > 10 {
      guard has("T", at: 10), has(":", at: 13), has(":", at: 16), text.last == UInt8(ascii: "Z"),
        text.count == 20 || has(".", at: 19)
      else { return nil }
    }
    guard let date = try? DateScanner(text, form: nil), !date.hasRest else { return nil }
    self = date.time
  }

  /// Writes `YYYY-MM-DD`: 10 bytes.
  package func writeDay(to text: UnsafeMutablePointer<UInt8>) {
    Self.write(year / 100, to: text)
    Self.write(year % 100, to: text + 2)
    text[4] = UInt8(ascii: "-")
    Self.write(month, to: text + 5)
    text[7] = UInt8(ascii: "-")
    Self.write(day, to: text + 8)
  }

  /// Writes `YYYY-MM-DDTHH:MM:SSZ`, with decimals of a second before the Z: 20, 24 or 27 bytes.
  ///
  /// - Parameter decimals: 0, 3 or 6 of them; what is smaller is left out.
  package func write(decimals: Int, to text: UnsafeMutablePointer<UInt8>) {
    writeDay(to: text)
    text[10] = UInt8(ascii: "T")
    Self.write(hour, to: text + 11)
    text[13] = UInt8(ascii: ":")
    Self.write(minute, to: text + 14)
    text[16] = UInt8(ascii: ":")
    Self.write(second, to: text + 17)
    var end = 19
    if decimals > 0 {
      text[19] = UInt8(ascii: ".")
      Self.write(microsecond / 10_000, to: text + 20)
      // The third digit, and beside it the fourth, which is written over unless it is kept.
      Self.write(microsecond / 100 % 100, to: text + 22)
      if decimals > 3 { Self.write(microsecond % 100, to: text + 24) }
      end = 20 + decimals
    }
    text[end] = UInt8(ascii: "Z")
  }

  private static func write(_ number: Int, to text: UnsafeMutablePointer<UInt8>) {
    text[0] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number / 10)
    text[1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number % 10)
  }
}
