/// A minute, in the spellings of JPL's feeds.
struct CalendarMinute {
  private let day: CalendarDay
  private let minute: Int

  /// Midnight, so many days after 1970-01-01.
  init(days: Int) {
    self.init(minutes: days * 1440)
  }

  /// So many minutes after 1970-01-01, not before it.
  init(minutes: Int) {
    minute = minutes % 1440
    day = CalendarDay(minutes / 1440)
  }

  /// `2026-02-16`
  var date: String { "\(day.year)-\(two(day.month))-\(two(day.day))" }

  /// `2026-Feb-16 01:45`
  var full: String {
    "\(day.year)-\(Self.months[day.month - 1])-\(two(day.day)) \(two(minute / 60)):\(two(minute % 60))"
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
