/// A minute of the Gregorian calendar, in NeoWs' two spellings.
struct NeowsTime {
  private let year: Int
  private let month: Int
  private let day: Int
  private let minute: Int

  /// Midnight, so many days after 1970-01-01.
  init(days: Int) {
    self.init(minutes: days * 1440)
  }

  /// So many minutes after 1970-01-01, not before it.
  init(minutes: Int) {
    minute = minutes % 1440
    // Years that begin in March have their leap day at the end; 400 of them have 146,097 days.
    let days = minutes / 1440 + 719_468
    let ofEra = days % 146_097
    let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * ofYear + 2) / 153
    day = ofYear - (153 * shifted + 2) / 5 + 1
    month = shifted < 10 ? shifted + 3 : shifted - 9
    year = days / 146_097 * 400 + yearOfEra + (month <= 2 ? 1 : 0)
  }

  /// `2026-02-16`
  var date: String { "\(year)-\(two(month))-\(two(day))" }

  /// `2026-Feb-16 01:45`
  var full: String { "\(year)-\(Self.months[month - 1])-\(two(day)) \(two(minute / 60)):\(two(minute % 60))" }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
