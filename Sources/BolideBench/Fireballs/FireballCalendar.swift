/// When the fireballs of a feed of a given size fall: row 0 is the newest, at the end of 2025.
///
/// Every row has a stretch of time of its own and falls within it, with seconds to spare at both ends. So dates are
/// unique, newest first, and stay so when a row moves by a few seconds.
///
/// ```
/// 2026  | row 0          | row 1          | row 2          |  … 1000
///         ◀─ stretch ──▶
/// ```
struct FireballCalendar {
  /// 2026-01-01 00:00:00 UTC, in seconds since 1970.
  private static let end = 1_767_225_600
  /// 1000-01-01 00:00:00 UTC.
  private static let beginning = -30_610_224_000
  /// The real feed holds one fireball in 13 days.
  private static let usualStretch = 1_130_000
  /// How far a row moves at most, in seconds.
  private static let furthest = 3

  /// Seconds that belong to each row.
  let stretch: Int

  init(rows: Int) {
    stretch = min(Self.usualStretch, (Self.end - Self.beginning) / max(rows, 1))
    precondition(stretch > 2 * Self.furthest + 1, "more rows than this calendar has room for")
  }

  func time(of row: Int, _ random: inout SplitMix64) -> Int {
    let room = stretch - 2 * Self.furthest - 1
    return Self.end - row * stretch - 1 - Self.furthest - random.next(below: room)
  }

  /// Another time in the same stretch: mostly one second off, never more than three.
  func moved(_ time: Int, _ random: inout SplitMix64) -> Int {
    let step = random.next(below: 10) < 6 ? 1 : 2 + random.next(below: Self.furthest - 1)
    return random.next(below: 2) == 0 ? time - step : time + step
  }
}
