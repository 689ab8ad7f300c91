/// The form of dates that a pipeline declares, such as `dd.MM.yyyy HH:mm`, as a program that reads them.
///
/// The letters are those of Unicode's date patterns (UTS 35), as far as a text of theirs has one reading only.
package struct DatePattern {
  /// Why a text is no pattern, or has texts with two readings.
  package struct Failure: Error {
    /// The second half of a sentence.
    package let reason: String
  }

  /// One part of a date's text.
  package enum Step: UInt8 {
    case year
    case shortMonth, month, monthAbbreviation, monthName
    case shortDay, day, dayOfYear
    case weekdayAbbreviation, weekdayName
    case shortHour, hour, shortHalfDayHour, halfDayHour, halfOfDay
    case minute, second
    /// Digits of a second; the byte after it says how many.
    case fraction
    /// A zone by its name or its offset, and an offset only.
    case zone, offset
    /// The byte after it, as it stands.
    case literal
  }

  /// The steps, each a byte, with the byte that belongs to a literal or a fraction.
  package let program: [UInt8]

  /// - Throws: `Failure` when the text is no pattern, or one that fits two readings.
  package init(_ text: String) throws(Failure) {
    let parts = try Self.parts(of: Array(text.utf8))
    try DatePatternCheck(parts).run()
    program = parts.flatMap { part -> [UInt8] in
      switch part.step {
      case .literal, .fraction: [part.step.rawValue, part.byte]
      default: [part.step.rawValue]
      }
    }
  }

  /// A step with where it comes from.
  struct Part {
    let step: Step
    /// The byte of a literal; of a letter, how often it stands.
    let byte: UInt8
    /// The letters, as the pattern has them.
    var letters = ""
  }

  // MARK: Letters

  private static func parts(of text: [UInt8]) throws(Failure) -> [Part] {
    var parts: [Part] = []
    var place = 0
    while place < text.count {
      let byte = text[place]
      if byte == quote {
        try takeQuoted(text, &place, &parts)
      } else if isLetter(byte) {
        let end = text[place...].firstIndex { $0 != byte } ?? text.count
        parts.append(try part(byte, count: end - place))
        place = end
      } else {
        parts.append(Part(step: .literal, byte: byte))
        place += 1
      }
    }
    return parts
  }

  private static let quote = UInt8(ascii: "'")

  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }

  /// Takes the text between two quotes as it stands; two quotes in a row are one that is meant.
  private static func takeQuoted(_ text: [UInt8], _ place: inout Int, _ parts: inout [Part]) throws(Failure) {
    func hasQuote(at place: Int) -> Bool { place < text.count && text[place] == quote }
    if hasQuote(at: place + 1) {
      parts.append(Part(step: .literal, byte: quote))
      place += 2
      return
    }
    place += 1
    while place < text.count {
      if text[place] == quote {
        place += 1
        guard hasQuote(at: place) else { return }
      }
      parts.append(Part(step: .literal, byte: text[place]))
      place += 1
    }
    throw .openQuote
  }

  private static func part(_ letter: UInt8, count: Int) throws(Failure) -> Part {
    let letters = String(repeating: String(UnicodeScalar(letter)), count: count)
    let step: Step
    switch letters {
    case "yyyy": step = .year
    case "M": step = .shortMonth
    case "MM": step = .month
    case "MMM": step = .monthAbbreviation
    case "MMMM": step = .monthName
    case "d": step = .shortDay
    case "dd": step = .day
    case "DDD": step = .dayOfYear
    case "EEE": step = .weekdayAbbreviation
    case "EEEE": step = .weekdayName
    case "H": step = .shortHour
    case "HH": step = .hour
    case "h": step = .shortHalfDayHour
    case "hh": step = .halfDayHour
    case "a": step = .halfOfDay
    case "mm": step = .minute
    case "ss": step = .second
    case "z": step = .zone
    case "Z", "X", "XX", "XXX": step = .offset
    case "yy": throw .twoDigitYear
    default:
      guard letter == UInt8(ascii: "S") else { throw .unknownLetters(letters) }
      guard count <= 9 else { throw .longFraction }
      step = .fraction
    }
    return Part(step: step, byte: UInt8(count), letters: letters)
  }
}
