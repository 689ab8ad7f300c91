extension CivilTime {
  /// The day of the week: 1 for Monday to 7 for Sunday.
  var weekday: Int {
    // 1970-01-01 was a Thursday.
    Self.floored(dayNumber + 3, 7).remainder + 1
  }

  /// The day that is so many of its year, counted from 1.
  init(year: Int, dayOfYear: Int) throws(ConversionFailure) {
    guard (1...(Self.isLeap(year) ? 366 : 365)).contains(dayOfYear) else { throw .noSuchDay }
    self.init(dayNumber: CivilTime(year: year).dayNumber + dayOfYear - 1)
  }

  /// The day of a week of ISO 8601. A week belongs to the year of its Thursday, so a few days belong to a week of the year
  /// beside theirs.
  init(weekYear: Int, week: Int, weekday: Int) throws(ConversionFailure) {
    guard (1...53).contains(week), (1...7).contains(weekday) else { throw .noSuchDay }
    // 4 January is always in week 1.
    let january = CivilTime(year: weekYear, month: 1, day: 4)
    let thursday = january.dayNumber + 4 - january.weekday + (week - 1) * 7
    guard CivilTime(dayNumber: thursday).year == weekYear else { throw .noSuchDay }
    self.init(dayNumber: thursday - 4 + weekday)
    guard (0...9999).contains(year) else { throw .outOfRange }
  }
}
