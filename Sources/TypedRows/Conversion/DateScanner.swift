package import ImportModel

/// Reads a date as people and programs write it.
///
/// | part | forms |
/// |---|---|
/// | day | `2015-03-01`, `2015/3/1`, `2020-Jan-01`, `20150301`; the year has four digits |
/// | | `2026-W48-2`, `2026W482`, `2026-328`, `2026328`: a week and its day, or a day of the year |
/// | | `24 Nov 2026`, `24-Nov-2026`, `Nov 24, 2026`, after `Tue, ` or not |
/// | | `11/21/2009`, `21.11.2009`, `21-11-2009`, only where a `DateForm` says which number is the month |
/// | time | `T` or one space, then `12:00`, `12:00:00`, `12:00:00.125`, `8:53:00 PM` |
/// | | `1200`, `120000`, `120000.125`, only behind a day without separators |
/// | zone | none, `Z`, `UT`, `UTC`, `GMT`, `+02:00`, `-0330`, `+02`, after a space or not; none means UTC |
/// | | `EST`, `EDT`, `CST`, `CDT`, `MST`, `MDT`, `PST`, `PDT`, only behind `24 Nov 2026`, as in RFC 822 |
/// | all | `/Date(1764000000000)/`, `/Date(1764000000000+0100)/`: milliseconds since 1970; the offset says nothing |
///
/// Letters may have either case. Nothing may stand before, between or after.
package struct DateScanner {
  var scanner: ByteScanner
  package internal(set) var time = CivilTime()
  /// The minutes that the written time is ahead of UTC.
  var offset = 0
  /// Whether there is a time, and not a day alone.
  package internal(set) var hasTime = false
  /// Whether the text says what instant its time is.
  var hasZone = false
  /// Whether the text has more of a second than `time` holds.
  package internal(set) var hasRest = false
  /// Whether the day has no separators, so that the time may have none.
  var isBasic = false
  /// Whether the zones of RFC 822 are meant by their names.
  var hasNamedZones = false

  /// Whether it is a time, and of no zone that is written.
  package var isLocal: Bool { hasTime && !hasZone }

  /// Whether the year is one that a number of eight digits may mean: 1900 to 2100.
  package var isOfOurTime: Bool { (1900...2100).contains(time.year) }

  /// Reads a whole text.
  package init(_ bytes: UnsafeBufferPointer<UInt8>, form: DateForm?) throws(ConversionFailure) {
    scanner = ByteScanner(bytes)
    try readDay(form)
    if scanner.isAtEnd { return }
    guard !hasTime, scanner.skip(UInt8(ascii: " ")) || scanner.skip(letter: UInt8(ascii: "t")) else {
      throw .notADate
    }
    try readTime()
    try readZone()
  }

  // MARK: Day

  private mutating func readDay(_ form: DateForm?) throws(ConversionFailure) {
    if let year = scanner.digits(from: 4, to: 4) {
      let separator = scanner.next
      guard skipSeparator("-/") else { return try readWeek(of: year, separator: nil) }
      let start = scanner
      if let month = scanner.digits(from: 1, to: 2) ?? monthName(), scanner.skip(separator),
        let day = scanner.digits(from: 1, to: 2)
      {
        time = CivilTime(year: year, month: month, day: day)
        return try time.checkDay()
      }
      scanner = start
      guard separator == UInt8(ascii: "-") else { throw .notADate }
      try readDay(of: year)
    } else if scanner.next.isDigit {
      try readDayWithoutYear(form)
    } else if scanner.skip(UInt8(ascii: "/")) {
      try readMilliseconds()
    } else {
      try readNamedDay()
    }
  }

  /// Reads what begins with digits that are not a year's four.
  private mutating func readDayWithoutYear(_ form: DateForm?) throws(ConversionFailure) {
    if scanner.digitCount > 2 { return try readBasicDay() }
    let start = scanner
    guard let first = scanner.digits(from: 1, to: 2) else { throw .notADate }
    let separator = scanner.next
    guard skipSeparator("/.-"), let second = scanner.digits(from: 1, to: 2) else {
      scanner = start
      return try readNamedDay()
    }
    guard scanner.skip(separator), let year = scanner.digits(from: 4, to: 4) else { throw .notADate }
    switch form {
    case .dayFirst: time = CivilTime(year: year, month: second, day: first)
    case .monthFirst: time = CivilTime(year: year, month: first, day: second)
    default: throw .ambiguousDate
    }
    try time.checkDay()
  }

  mutating func skipSeparator(_ separators: StaticString) -> Bool {
    for index in 0..<separators.utf8CodeUnitCount where scanner.skip(separators.utf8Start[index]) {
      return true
    }
    return false
  }

  mutating func monthName() -> Int? {
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
    hasTime = true
    if isBasic, scanner.digitCount > 2 {
      try readBasicTime()
    } else {
      guard let hour = scanner.digits(from: 1, to: 2), scanner.skip(UInt8(ascii: ":")),
        let minute = scanner.digits(from: 2, to: 2)
      else { throw .notADate }
      time.hour = hour
      time.minute = minute
      if scanner.skip(UInt8(ascii: ":")) {
        guard let second = scanner.digits(from: 2, to: 2) else { throw .notADate }
        time.second = second
        try readFraction()
      }
    }
    try readHalfOfDay()
    try time.checkTime()
  }

  mutating func readFraction() throws(ConversionFailure) {
    guard scanner.skip(UInt8(ascii: ".")) || scanner.skip(UInt8(ascii: ",")) else { return }
    guard let millionths = scanner.millionths() else { throw .notADate }
    (time.microsecond, hasRest) = millionths
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
    try time.setHalfOfDay(isAfternoon: isAfternoon)
  }

  // MARK: Zone

  private mutating func readZone() throws(ConversionFailure) {
    if scanner.isAtEnd { return }
    _ = scanner.skip(UInt8(ascii: " "))
    try readZone(orName: hasNamedZones)
    guard scanner.isAtEnd else { throw .unknownZone }
  }

  /// Reads a zone: Z, UT, UTC, GMT or an offset.
  ///
  /// - Parameter orName: whether it may be a zone of North America by its name in RFC 822.
  mutating func readZone(orName: Bool) throws(ConversionFailure) {
    hasZone = true
    let isAhead = scanner.skip(UInt8(ascii: "+"))
    if isAhead || scanner.skip(UInt8(ascii: "-")) {
      try readOffset(isAhead: isAhead)
    } else if !(scanner.skip(letter: UInt8(ascii: "z")) || scanner.skip(word: "gmt")
      || scanner.skip(word: "utc")
      || scanner.skip(word: "ut"))
    {
      guard orName, let hours = hoursOfNamedZone() else { throw .unknownZone }
      offset = hours * 60
    }
  }

  private mutating func readOffset(isAhead: Bool) throws(ConversionFailure) {
    guard let hours = scanner.digits(2) else { throw .unknownZone }
    var minutes = 0
    if scanner.skip(UInt8(ascii: ":")) || scanner.next.isDigit {
      guard let written = scanner.digits(2) else { throw .unknownZone }
      minutes = written
    }
    guard hours < 24, minutes < 60 else { throw .unknownZone }
    offset = (hours * 60 + minutes) * (isAhead ? 1 : -1)
  }

  /// The hours that a zone of North America is ahead of UTC, by its name in RFC 822.
  private mutating func hoursOfNamedZone() -> Int? {
    let start = scanner
    let hours: Int
    switch scanner.takeLetter() {
    case UInt8(ascii: "e"): hours = -5
    case UInt8(ascii: "c"): hours = -6
    case UInt8(ascii: "m"): hours = -7
    case UInt8(ascii: "p"): hours = -8
    default: return nil
    }
    if scanner.skip(word: "st") { return hours }
    if scanner.skip(word: "dt") { return hours + 1 }
    scanner = start
    return nil
  }
}
