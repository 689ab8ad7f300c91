/// Checks that a text of a date pattern has one reading, and that it is a date.
struct DatePatternCheck {
  private let parts: [DatePattern.Part]

  init(_ parts: [DatePattern.Part]) {
    self.parts = parts
  }

  func run() throws(DatePattern.Failure) {
    try checkRepetitions()
    try checkNeighbours()
    try checkCompleteness()
  }

  /// What a step says of a date. Two steps that say the same could contradict each other.
  private enum Meaning {
    case year, month, day, dayOfYear, weekday, hour, halfDayHour, halfOfDay, minute, second, fraction, zone
  }

  private static func meaning(_ step: DatePattern.Step) -> Meaning? {
    switch step {
    case .year: .year
    case .shortMonth, .month, .monthAbbreviation, .monthName: .month
    case .shortDay, .day: .day
    case .dayOfYear: .dayOfYear
    case .weekdayAbbreviation, .weekdayName: .weekday
    case .shortHour, .hour: .hour
    case .shortHalfDayHour, .halfDayHour: .halfDayHour
    case .halfOfDay: .halfOfDay
    case .minute: .minute
    case .second: .second
    case .fraction: .fraction
    case .zone, .offset: .zone
    case .literal: nil
    }
  }

  private func letters(_ meaning: Meaning) -> String? {
    parts.first { Self.meaning($0.step) == meaning }?.letters
  }

  private func checkRepetitions() throws(DatePattern.Failure) {
    var seen: [Meaning: String] = [:]
    for part in parts {
      guard let meaning = Self.meaning(part.step) else { continue }
      if let first = seen[meaning] { throw .sameTwice(first, part.letters) }
      seen[meaning] = part.letters
    }
  }

  // MARK: Neighbours

  /// One or two digits have an end only where no digit follows, and a zone where nothing follows that could belong to it.
  private func checkNeighbours() throws(DatePattern.Failure) {
    for (part, next) in zip(parts, parts.dropFirst()) {
      switch part.step {
      case .shortMonth, .shortDay, .shortHour, .shortHalfDayHour:
        if Self.beginsWithDigit(next) {
          throw .noEnd(of: part.letters, doubled: part.letters + part.letters)
        }
      case .zone, .offset:
        if Self.couldBelongToZone(next) { throw .zoneWithoutEnd(part.letters) }
      default: break
      }
    }
  }

  private static func beginsWithDigit(_ part: DatePattern.Part) -> Bool {
    switch part.step {
    case .literal: part.byte &- UInt8(ascii: "0") < 10
    case .monthAbbreviation, .monthName, .weekdayAbbreviation, .weekdayName, .halfOfDay, .zone, .offset: false
    default: true
    }
  }

  private static func couldBelongToZone(_ part: DatePattern.Part) -> Bool {
    guard part.step == .literal else { return true }
    let isLetter = (part.byte | 0x20) &- UInt8(ascii: "a") < 26
    return isLetter || part.byte == UInt8(ascii: ":") || beginsWithDigit(part)
  }

  // MARK: Completeness

  private func checkCompleteness() throws(DatePattern.Failure) {
    guard letters(.year) != nil else { throw .noYear }
    if let ofYear = letters(.dayOfYear) {
      for other in [letters(.month), letters(.day)] {
        if let other { throw .sameTwice(ofYear, other) }
      }
    } else if letters(.month) == nil || letters(.day) == nil {
      throw .noDay
    }
    let hour = letters(.hour)
    let halfDayHour = letters(.halfDayHour)
    if let hour, let halfDayHour { throw .sameTwice(hour, halfDayHour) }
    switch (halfDayHour, letters(.halfOfDay)) {
    case (let hour?, nil): throw .halfDayUnknown(hour)
    case (nil, _?): throw .halfDayWithoutHour
    default: break
    }
    let order: [(part: String?, needed: String?, word: String)] = [
      (letters(.minute), hour ?? halfDayHour, "an hour, 'HH'"),
      (letters(.second), letters(.minute), "minutes, 'mm'"),
      (letters(.fraction), letters(.second), "seconds, 'ss'"),
      (letters(.zone), hour ?? halfDayHour, "an hour, 'HH'"),
    ]
    for (part, needed, word) in order where needed == nil {
      if let part { throw .missing(word, for: part) }
    }
  }
}
