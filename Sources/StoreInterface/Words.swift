#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// A random word of letters and digits that cannot be mistaken for each other, 5 bits a letter.
package func randomWord(length: Int) -> String {
  let letters = Array("0123456789abcdefghjkmnpqrstvwxyz")
  var generator = SystemRandomNumberGenerator()
  return String((0..<length).map { _ in letters[Int.random(in: 0..<32, using: &generator)] })
}

/// The present instant in UTC, or one so many days ago: `YYYY-MM-DDTHH:MM:SS.mmmZ`.
package func timestamp(daysAgo: Int = 0) -> String {
  var now = timespec()
  clock_gettime(CLOCK_REALTIME, &now)
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
