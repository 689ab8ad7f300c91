/// A feed of made-up near-Earth asteroids in the shape of NASA's NeoWs, the same bytes for the same seed.
///
/// ```
/// {"links":{…},"element_count":2,"near_earth_objects":{"2025-01-01":[{"id":"3000017",…,"close_approach_data":[{…}]},…],…}}
/// ```
///
/// Each asteroid stands once, under the day of its first approach; some have more approaches. Nothing in it is real.
package struct NeowsFeed: Sendable {
  /// Asteroids come in days of so many, as in the real feed.
  private static let perDay = 11
  /// 2025-01-01, in days since 1970.
  private static let firstDay = 20_089
  /// More rows than this would leave the years of four digits.
  package static let rowLimit = 30_000_000

  private let rows: Int
  private let seed: UInt64

  /// A feed of `rows` asteroids, 0 to `rowLimit`.
  package init(rows: Int, seed: UInt64) {
    precondition((0...Self.rowLimit).contains(rows), "0 to \(Self.rowLimit) rows")
    self.rows = rows
    self.seed = seed
  }

  /// Writes the feed piece by piece, in memory that does not grow.
  ///
  /// - Parameter consumer: Gets each piece; the bytes are good during the call alone.
  /// - Throws: What `consumer` throws.
  package func write(to consumer: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    func write(_ text: String) throws { try Array(text.utf8).withUnsafeBytes(consumer) }
    try write(
      #"{"links":{"self":"http://api.nasa.gov/neo/rest/v1/feed?api_key=DEMO_KEY"},"element_count":\#(rows),"near_earth_objects":{"#
    )
    var day = -1
    for row in 0..<rows {
      if row / Self.perDay != day {
        if day >= 0 { try write("],") }
        day = row / Self.perDay
        try write("\"\(CalendarMinute(days: Self.firstDay + day).date)\":[")
      } else {
        try write(",")
      }
      try write(NeowsAsteroid(row: row, day: Self.firstDay + day, seed: seed).json)
    }
    try write(rows > 0 ? "]}}\n" : "}}\n")
  }
}
