package import ImportModel

/// Reads a date as people and programs write it.
///
/// | part | forms |
/// |---|---|
/// | day | `2015-03-01`, `2015/3/1`, `2020-Jan-01`; the year has four digits |
/// | | `11/21/2009`, `21.11.2009`, `21-11-2009`, only where a `DateForm` says which number is the month |
/// | time | `T` or one space, then `12:00`, `12:00:00`, `12:00:00.125`, `8:53:00 PM` |
/// | zone | none, `Z`, `UT`, `UTC`, `GMT`, `+02:00`, `-0330`, `+02`, after a space or not; none means UTC |
///
/// Letters may have either case. Nothing may stand before, between or after.
package struct DateScanner {
  private var scanner: ByteScanner
  package private(set) var time = CivilTime()
  /// The minutes that the written time is ahead of UTC.
  private(set) var offset = 0
  /// Whether it is a time, and of no zone that is written.
  package private(set) var isLocal = false
  /// Whether the text has more of a second than `time` holds.
  package private(set) var hasRest = false

  /// Reads a whole text.
  package init(_ bytes: UnsafeBufferPointer<UInt8>, form: DateForm?) throws(ConversionFailure) {
    scanner = ByteScanner(bytes)
    try readDay(form)
    if scanner.isAtEnd { return }
    guard scanner.skip(UInt8(ascii: " ")) || scanner.skip(letter: UInt8(ascii: "t")) else { throw .notADate }
    try readTime()
    try readZone()
  }

  // MARK: Day

  private mutating func readDay(_ form: DateForm?) throws(ConversionFailure) {
    if let year = scanner.digits(from: 4, to: 4) {
      let separator = scanner.next
      guard skipSeparator("-/") else { throw .notADate }
      guard let month = scanner.digits(from: 1, to: 2) ?? monthName(), scanner.skip(separator),
        let day = scanner.digits(from: 1, to: 2)
      else { throw .notADate }
      time = CivilTime(year: year, month: month, day: day)
    } else {
      guard let first = scanner.digits(from: 1, to: 2) else { throw .notADate }
      let separator = scanner.next
      guard skipSeparator("/.-"), let second = scanner.digits(from: 1, to: 2), scanner.skip(separator),
        let year = scanner.digits(from: 4, to: 4)
      else { throw .notADate }
      switch form {
      case .dayFirst: time = CivilTime(year: year, month: second, day: first)
      case .monthFirst: time = CivilTime(year: year, month: first, day: second)
      default: throw .ambiguousDate
      }
    }
    try time.checkDay()
  }

  private mutating func skipSeparator(_ separators: StaticString) -> Bool {
    for index in 0..<separators.utf8CodeUnitCount where scanner.skip(separators.utf8Start[index]) {
      return true
    }
    return false
  }

  private mutating func monthName() -> Int? {
    switch scanner.next | 0x20 {
    case UInt8(ascii: "j"):
      if scanner.skip(word: "jan") { return 1 }
      if scanner.skip(word: "jun") { return 6 }
      return scanner.skip(word: "jul") ? 7 : nil
    case UInt8(ascii: "f"): return scanner.skip(word: "feb") ? 2 : nil
    case UInt8(ascii: "m"):
      if scanner.skip(word: "mar") { return 3 }
      return scanner.skip(word: "may") ? 5 : nil
    case UInt8(ascii: "a"):
      if scanner.skip(word: "apr") { return 4 }
      return scanner.skip(word: "aug") ? 8 : nil
    case UInt8(ascii: "s"): return scanner.skip(word: "sep") ? 9 : nil
    case UInt8(ascii: "o"): return scanner.skip(word: "oct") ? 10 : nil
    case UInt8(ascii: "n"): return scanner.skip(word: "nov") ? 11 : nil
    case UInt8(ascii: "d"): return scanner.skip(word: "dec") ? 12 : nil
    default: return nil
    }
  }

  // MARK: Time

  private mutating func readTime() throws(ConversionFailure) {
    guard let hour = scanner.digits(from: 1, to: 2), scanner.skip(UInt8(ascii: ":")),
      let minute = scanner.digits(from: 2, to: 2)
    else { throw .notADate }
    time.hour = hour
    time.minute = minute
    if scanner.skip(UInt8(ascii: ":")) {
      guard let second = scanner.digits(from: 2, to: 2) else { throw .notADate }
      time.second = second
      if scanner.skip(UInt8(ascii: ".")) || scanner.skip(UInt8(ascii: ",")) {
        guard let millionths = scanner.millionths() else { throw .notADate }
        (time.microsecond, hasRest) = millionths
      }
    }
    try readHalfOfDay()
    try time.checkTime()
  }

  /// Reads `AM` or `PM`, where the clock has twelve hours: 12 AM is midnight.
  private mutating func readHalfOfDay() throws(ConversionFailure) {
    let start = scanner
    _ = scanner.skip(UInt8(ascii: " "))
    let isAfternoon = scanner.skip(word: "pm")
    guard isAfternoon || scanner.skip(word: "am") else {
      scanner = start
      return
    }
    guard (1...12).contains(time.hour) else { throw .noSuchTime }
    time.hour = time.hour % 12 + (isAfternoon ? 12 : 0)
  }

  // MARK: Zone

  private mutating func readZone() throws(ConversionFailure) {
    isLocal = scanner.isAtEnd
    if isLocal { return }
    _ = scanner.skip(UInt8(ascii: " "))
    let isAhead = scanner.skip(UInt8(ascii: "+"))
    if isAhead || scanner.skip(UInt8(ascii: "-")) {
      try readOffset(isAhead: isAhead)
    } else if !(scanner.skip(letter: UInt8(ascii: "z")) || scanner.skip(word: "gmt")
      || scanner.skip(word: "utc")
      || scanner.skip(word: "ut"))
    {
      throw .unknownZone
    }
    guard scanner.isAtEnd else { throw .unknownZone }
  }

  private mutating func readOffset(isAhead: Bool) throws(ConversionFailure) {
    guard let hours = scanner.twoDigits() else { throw .unknownZone }
    var minutes = 0
    if !scanner.isAtEnd {
      _ = scanner.skip(UInt8(ascii: ":"))
      guard let written = scanner.twoDigits() else { throw .unknownZone }
      minutes = written
    }
    guard hours < 24, minutes < 60 else { throw .unknownZone }
    offset = (hours * 60 + minutes) * (isAhead ? 1 : -1)
  }
}
