internal import ImportModel

// Texts of the form that a pipeline declares.
extension DateScanner {
  /// What belongs to other parts that may come later.
  private struct Pending {
    var dayOfYear: Int?
    var weekday: Int?
    var isAfternoon: Bool?
  }

  /// Reads a whole text by the program of a pattern.
  init(_ bytes: UnsafeBufferPointer<UInt8>, program: [UInt8]) throws(ConversionFailure) {
    scanner = ByteScanner(bytes)
    var pending = Pending()
    var place = 0
    while place < program.count {
      guard let step = DatePattern.Step(rawValue: program[place]) else { preconditionFailure("no such step") }
      place += 1
      switch step {
      case .literal:
        guard scanner.skip(program[place]) else { throw .notInFormat }
        place += 1
      case .fraction:
        try readFraction(Int(program[place]))
        place += 1
      default: try read(step, &pending)
      }
    }
    guard scanner.isAtEnd else { throw .notInFormat }
    try complete(pending)
  }

  private mutating func read(_ step: DatePattern.Step, _ pending: inout Pending) throws(ConversionFailure) {
    switch step {
    case .year: time.year = try number(4, 4)
    case .shortMonth: time.month = try number(1, 2)
    case .month: time.month = try number(2, 2)
    case .monthAbbreviation: time.month = try known(monthName())
    case .monthName: time.month = try known(longMonthName())
    case .shortDay: time.day = try number(1, 2)
    case .day: time.day = try number(2, 2)
    case .dayOfYear: pending.dayOfYear = try number(3, 3)
    case .weekdayAbbreviation: pending.weekday = try known(weekdayName())
    case .weekdayName: pending.weekday = try known(longWeekdayName())
    case .shortHour, .shortHalfDayHour: try readHour(1)
    case .hour, .halfDayHour: try readHour(2)
    case .halfOfDay:
      let isAfternoon = scanner.skip(word: "pm")
      guard isAfternoon || scanner.skip(word: "am") else { throw .notInFormat }
      pending.isAfternoon = isAfternoon
    case .minute: time.minute = try number(2, 2)
    case .second: time.second = try number(2, 2)
    case .zone: try readZone(orName: true)
    case .offset: try readZone(orName: false)
    case .literal, .fraction: preconditionFailure("has a byte that belongs to it")
    }
  }

  private mutating func complete(_ pending: Pending) throws(ConversionFailure) {
    if let isAfternoon = pending.isAfternoon { try time.setHalfOfDay(isAfternoon: isAfternoon) }
    if let dayOfYear = pending.dayOfYear {
      let day = try CivilTime(year: time.year, dayOfYear: dayOfYear)
      (time.month, time.day) = (day.month, day.day)
    }
    try time.checkDay()
    try time.checkTime()
    if let weekday = pending.weekday, weekday != time.weekday { throw .wrongWeekday }
  }

  // MARK: Parts

  /// A number of as many digits as the pattern has letters, or of one or two; what follows may be a digit only in the former.
  private mutating func number(_ minimum: Int, _ maximum: Int) throws(ConversionFailure) -> Int {
    let number = minimum == maximum ? scanner.digits(minimum) : scanner.digits(from: minimum, to: maximum)
    guard let number else { throw .notInFormat }
    return number
  }

  private mutating func readHour(_ minimum: Int) throws(ConversionFailure) {
    time.hour = try number(minimum, 2)
    hasTime = true
  }

  private mutating func readFraction(_ count: Int) throws(ConversionFailure) {
    var fraction = try number(count, count)
    for _ in count..<max(count, 6) { fraction *= 10 }
    var unit = 1
    for _ in 6..<max(count, 6) { unit *= 10 }
    time.microsecond = fraction / unit
    hasRest = fraction % unit != 0
  }

  private func known(_ name: Int?) throws(ConversionFailure) -> Int {
    guard let name else { throw .notInFormat }
    return name
  }

  private mutating func longMonthName() -> Int? {
    let month = monthName()
    let isWhole =
      switch month {
      case 1: scanner.skip(word: "uary")
      case 2: scanner.skip(word: "ruary")
      case 3: scanner.skip(word: "ch")
      case 4: scanner.skip(word: "il")
      case 5: true
      case 6: scanner.skip(word: "e")
      case 7: scanner.skip(word: "y")
      case 8: scanner.skip(word: "ust")
      case 9: scanner.skip(word: "tember")
      case 10: scanner.skip(word: "ober")
      case 11, 12: scanner.skip(word: "ember")
      default: false
      }
    return isWhole ? month : nil
  }

  private mutating func longWeekdayName() -> Int? {
    let weekday = weekdayName()
    let isWhole =
      switch weekday {
      case 2: scanner.skip(word: "sday")
      case 3: scanner.skip(word: "nesday")
      case 4: scanner.skip(word: "rsday")
      case 6: scanner.skip(word: "urday")
      case 1, 5, 7: scanner.skip(word: "day")
      default: false
      }
    return isWhole ? weekday : nil
  }
}
