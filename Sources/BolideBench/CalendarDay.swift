/// A day of the Gregorian calendar, also before there was one.
struct CalendarDay {
  let year: Int
  let month: Int
  let day: Int

  /// So many days after 1970-01-01, or before it; not before the year 0.
  init(_ days: Int) {
    // Years begin in March here, so that the leap day ends them; 719468 days lie between 0000-03-01 and 1970.
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
  }
}
