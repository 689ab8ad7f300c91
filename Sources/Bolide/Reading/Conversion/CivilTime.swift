/// A time of the proleptic Gregorian calendar in UTC, in the years 0000 to 9999: what the stored forms can
/// say.
struct CivilTime: Equatable {
  var year = 0
  var month = 1
  var day = 1
  var hour = 0
  var minute = 0
  var second = 0
  var millisecond = 0

  /// Whether no time of day is set.
  var isMidnight: Bool { hour == 0 && minute == 0 && second == 0 && millisecond == 0 }

  /// Checks the day against the calendar.
  func checkDay() throws(ConversionFailure) {
    guard (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year) else { throw .noSuchDay }
  }

  /// Checks the time of day.
  ///
  /// A leap second (`23:59:60`) has no stored form, and the next second is another instant, so it is refused.
  func checkTime() throws(ConversionFailure) {
    guard hour < 24, minute < 60, second < 60 else { throw .noSuchTime }
  }

  private static func days(in month: Int, of year: Int) -> Int {
    if month == 2 { return year & 3 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
    return 30 + (month + month >> 3) & 1
  }

  // MARK: Milliseconds since 1970

  /// The milliseconds from 1970-01-01T00:00:00Z.
  var milliseconds: Int64 {
    let seconds = ((dayNumber * 24 + hour) * 60 + minute) * 60 + second
    return Int64(seconds) * 1000 + Int64(millisecond)
  }

  /// The time at a number of milliseconds from 1970-01-01T00:00:00Z, where the year has four digits.
  init(milliseconds: Int64) throws(ConversionFailure) {
    guard Self.range.contains(milliseconds) else { throw .outOfRange }
    let (days, ofDay) = Self.floored(Int(milliseconds), 86_400_000)
    self.init(dayNumber: days)
    hour = ofDay / 3_600_000
    minute = ofDay / 60_000 % 60
    second = ofDay / 1000 % 60
    millisecond = ofDay % 1000
  }

  /// A time of the given parts.
  init(year: Int = 0, month: Int = 1, day: Int = 1, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// 0000-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z.
  static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

  // MARK: Day numbers

  // Years are counted from March here, so that the leap day is a year's last day: a month then starts at a
  // day of the year that a straight line through the months gives (153 days in five months), and 400 years
  // always have 146,097 days.
  private static let daysOf400Years = 146_097
  /// The days from 0000-03-01 to 1970-01-01.
  private static let daysTo1970 = 719_468

  /// The days from 1970-01-01.
  private var dayNumber: Int {
    let marchYear = month > 2 ? year : year - 1
    let (era, yearOfEra) = Self.floored(marchYear, 400)
    let marchMonth = (month + 9) % 12
    let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * Self.daysOf400Years + dayOfEra - Self.daysTo1970
  }

  private init(dayNumber: Int) {
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

  private static func floored(_ number: Int, _ divisor: Int) -> (quotient: Int, remainder: Int) {
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  // MARK: Stored forms

  /// Writes `YYYY-MM-DD`: 10 bytes.
  func writeDay(to text: UnsafeMutablePointer<UInt8>) {
    Self.write(year / 100, to: text)
    Self.write(year % 100, to: text + 2)
    text[4] = UInt8(ascii: "-")
    Self.write(month, to: text + 5)
    text[7] = UInt8(ascii: "-")
    Self.write(day, to: text + 8)
  }

  /// Writes `YYYY-MM-DDTHH:MM:SSZ`, 20 bytes, or with `.mmm` before the Z, 24 bytes.
  func write(withMilliseconds: Bool, to text: UnsafeMutablePointer<UInt8>) {
    writeDay(to: text)
    text[10] = UInt8(ascii: "T")
    Self.write(hour, to: text + 11)
    text[13] = UInt8(ascii: ":")
    Self.write(minute, to: text + 14)
    text[16] = UInt8(ascii: ":")
    Self.write(second, to: text + 17)
    var end = 19
    if withMilliseconds {
      text[19] = UInt8(ascii: ".")
      text[20] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: millisecond / 100)
      Self.write(millisecond % 100, to: text + 21)
      end = 23
    }
    text[end] = UInt8(ascii: "Z")
  }

  private static func write(_ number: Int, to text: UnsafeMutablePointer<UInt8>) {
    text[0] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number / 10)
    text[1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number % 10)
  }
}
