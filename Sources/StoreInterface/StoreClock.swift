package import Foundation

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// What the present thread takes for the present instant.
///
/// A value with a name of its own: a closure as a task's local value crashes optimized programs (Swift 6.3.1 on Linux).
package struct StoreClock: Sendable {
  /// What whoever opened the store gave; nil for the system's clock.
  @TaskLocal package static var current: StoreClock?

  private let now: @Sendable () -> Date

  package init(now: @escaping @Sendable () -> Date) { self.now = now }

  /// The present instant, to the millisecond where it was given.
  fileprivate static var instant: timespec {
    var instant = timespec()
    guard let given = current?.now() else {
      clock_gettime(CLOCK_REALTIME, &instant)
      return instant
    }
    // The years that dates of a store have.
    let range = -62_167_219_200_000.0...253_402_300_799_999
    let milliseconds = Int(
      min(max((given.timeIntervalSince1970 * 1000).rounded(), range.lowerBound), range.upperBound))
    instant.tv_sec = Int((Double(milliseconds) / 1000).rounded(.down))
    instant.tv_nsec = (milliseconds - instant.tv_sec * 1000) * 1_000_000
    return instant
  }
}

/// The present instant in UTC, or one so many days ago: `YYYY-MM-DDTHH:MM:SS.mmmZ`.
package func timestamp(daysAgo: Int = 0) -> String {
  let now = StoreClock.instant
  var seconds = now.tv_sec - daysAgo * 86_400
  var parts = tm()
  gmtime_r(&seconds, &parts)
  func digits(_ value: Int, _ count: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }
  let day =
    "\(digits(Int(parts.tm_year) + 1900, 4))-\(digits(Int(parts.tm_mon) + 1, 2))-\(digits(Int(parts.tm_mday), 2))"
  let time =
    "\(digits(Int(parts.tm_hour), 2)):\(digits(Int(parts.tm_min), 2)):\(digits(Int(parts.tm_sec), 2))"
  return "\(day)T\(time).\(digits(now.tv_nsec / 1_000_000, 3))Z"
}
