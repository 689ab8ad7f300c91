// Why a text is no date pattern; each ends "the format of 'at' cannot be used: …".
extension DatePattern.Failure {
  static let openQuote = Self(reason: "a quote (') has no end")

  static func unknownLetters(_ letters: String) -> Self {
    Self(
      reason: "'\(letters)' has no meaning; a format is day-first, month-first, or a pattern of yyyy, M, MM, "
        + "MMM, MMMM, d, dd, DDD, EEE, EEEE, H, HH, h, hh, a, mm, ss, S, z, Z, X, XX and XXX; put other "
        + "letters in single quotes")
  }

  static let twoDigitYear = Self(
    reason: "'yy' does not tell the century: 26 is 1926 or 2026; compute the date with an expression in "
      + "'value'"
  )
  static let longFraction = Self(reason: "a fraction of a second has at most nine digits, 'SSSSSSSSS'")

  static func sameTwice(_ first: String, _ second: String) -> Self {
    first == second
      ? Self(reason: "it has '\(first)' twice, and the two could differ")
      : Self(reason: "it has both '\(first)' and '\(second)', and the two could differ")
  }

  static func noEnd(of letters: String, doubled: String) -> Self {
    Self(
      reason: "'\(letters)' is one digit or two, and a digit follows it, so that 111 has two readings; "
        + "write '\(doubled)' for two digits")
  }

  static func zoneWithoutEnd(_ letters: String) -> Self {
    Self(reason: "what follows the zone '\(letters)' could belong to the zone; put a space between them")
  }

  static let noYear = Self(reason: "it has no year, 'yyyy'")
  static let noDay = Self(reason: "it has no day: 'MM' and 'dd', or the day of the year, 'DDD'")

  static func halfDayUnknown(_ letters: String) -> Self {
    Self(
      reason: "'\(letters)' is an hour from 1 to 12, which needs 'a' for AM or PM; write 'HH' for an hour "
        + "from 0 to 23")
  }

  static let halfDayWithoutHour = Self(
    reason: "'a' is AM or PM, which needs an hour from 1 to 12, 'hh' or 'h'")

  /// - Parameter word: what is missing, with its letters.
  static func missing(_ word: String, for letters: String) -> Self {
    Self(reason: "'\(letters)' has no meaning without \(word)")
  }
}
