// Days that are written otherwise than with year, month and day in numbers with separators.
extension DateScanner {
  // MARK: ISO 8601

  /// Reads `20150301` or `2015060`.
  mutating func readBasicDay() throws(ConversionFailure) {
    isBasic = true
    let count = scanner.digitCount
    guard count == 8 || count == 7, let year = scanner.digits(4) else { throw .notADate }
    if count == 7 {
      guard let day = scanner.digits(3) else { throw .notADate }
      time = try CivilTime(year: year, dayOfYear: day)
    } else {
      guard let month = scanner.digits(2), let day = scanner.digits(2) else { throw .notADate }
      time = CivilTime(year: year, month: month, day: day)
      try time.checkDay()
    }
  }

  /// Reads what follows a year and a dash: `W48-2` or `328`.
  mutating func readDay(of year: Int) throws(ConversionFailure) {
    guard scanner.next.isDigit else { return try readWeek(of: year, separator: UInt8(ascii: "-")) }
    guard let day = scanner.digits(from: 3, to: 3) else { throw .notADate }
    time = try CivilTime(year: year, dayOfYear: day)
  }

  /// Reads `W482`, or `W48-2` where a separator stands before it.
  mutating func readWeek(of year: Int, separator: UInt8?) throws(ConversionFailure) {
    isBasic = separator == nil
    guard scanner.skip(letter: UInt8(ascii: "w")), let week = scanner.digits(2),
      separator.map({ scanner.skip($0) }) ?? true, let weekday = scanner.digits(from: 1, to: 1)
    else { throw .notADate }
    time = try CivilTime(weekYear: year, week: week, weekday: weekday)
  }

  // MARK: Names

  /// Reads `24 Nov 2026`, `24-Nov-2026` or `Nov 24, 2026`, after `Tue, ` or not.
  mutating func readNamedDay() throws(ConversionFailure) {
    let weekday = weekdayName()
    if weekday != nil {
      guard scanner.skip(UInt8(ascii: ",")), scanner.skip(UInt8(ascii: " ")) else { throw .notADate }
    }
    if let day = scanner.digits(from: 1, to: 2) {
      let separator = scanner.next
      guard skipSeparator(" -"), let month = monthName(), scanner.skip(separator) else { throw .notADate }
      hasNamedZones = separator == UInt8(ascii: " ")
      guard let year = scanner.digits(from: 4, to: 4) ?? yearOfTwoDigits() else { throw .notADate }
      time = CivilTime(year: year, month: month, day: day)
    } else {
      guard let month = monthName(), scanner.skip(UInt8(ascii: " ")),
        let day = scanner.digits(from: 1, to: 2),
        scanner.skip(UInt8(ascii: ",")), scanner.skip(UInt8(ascii: " ")),
        let year = scanner.digits(from: 4, to: 4)
      else { throw .notADate }
      time = CivilTime(year: year, month: month, day: day)
    }
    try time.checkDay()
    if let weekday, weekday != time.weekday { throw .wrongWeekday }
  }

  /// A year of RFC 822, by the rule of RFC 2822: 00 to 49 are of this century, 50 to 99 of the last.
  ///
  /// Only in front of a time, as in those: `31 Dec 25` could also be a day of 1931.
  private mutating func yearOfTwoDigits() -> Int? {
    guard hasNamedZones, let year = scanner.digits(from: 2, to: 2), scanner.next == UInt8(ascii: " ") else {
      return nil
    }
    return year < 50 ? 2000 + year : 1900 + year
  }

  /// Steps over `Mon` to `Sun`: 1 to 7.
  mutating func weekdayName() -> Int? {
    if scanner.skip(word: "mon") { return 1 }
    if scanner.skip(word: "tue") { return 2 }
    if scanner.skip(word: "wed") { return 3 }
    if scanner.skip(word: "thu") { return 4 }
    if scanner.skip(word: "fri") { return 5 }
    if scanner.skip(word: "sat") { return 6 }
    return scanner.skip(word: "sun") ? 7 : nil
  }

  // MARK: Times

  /// Reads `1200`, `120000` or `120000.125`.
  mutating func readBasicTime() throws(ConversionFailure) {
    let count = scanner.digitCount
    guard count == 4 || count == 6, let hour = scanner.digits(2), let minute = scanner.digits(2) else {
      throw .notADate
    }
    (time.hour, time.minute) = (hour, minute)
    guard count == 6, let second = scanner.digits(2) else { return }
    time.second = second
    try readFraction()
  }

  /// Reads what follows the slash of `/Date(1764000000000+0100)/`.
  mutating func readMilliseconds() throws(ConversionFailure) {
    guard scanner.skip(word: "date"), scanner.skip(UInt8(ascii: "(")) else { throw .notADate }
    let isBefore = scanner.skip(UInt8(ascii: "-"))
    guard let count = scanner.digits(from: 1, to: 18) else { throw .notADate }
    // The instant is complete: the offset says how its writer would have shown it.
    if scanner.skip(UInt8(ascii: "+")) || scanner.skip(UInt8(ascii: "-")) {
      guard let hours = scanner.digits(2), let minutes = scanner.digits(2), hours < 24, minutes < 60 else {
        throw .unknownZone
      }
    }
    guard scanner.skip(UInt8(ascii: ")")), scanner.skip(UInt8(ascii: "/")), scanner.isAtEnd else {
      throw .notADate
    }
    let (microseconds, isOverflow) = Int64(isBefore ? -count : count).multipliedReportingOverflow(by: 1000)
    guard !isOverflow else { throw .outOfRange }
    time = try CivilTime(microseconds: microseconds)
    (hasTime, hasZone) = (true, true)
  }
}
