/// A feed of made-up close approaches in the shape of JPL's Close Approach Data API, the same bytes for the same seed.
///
/// ```
/// {"signature":{…},"count":2,"fields":["des","orbit_id",…],"data":[["2017 QX41","12","2460676.545833333",…],…]}
/// ```
///
/// In the order of time. About one body in ten comes more than once. Nothing in it is real.
package struct ApproachFeed: Sendable {
  /// An approach every 112 minutes, as in the real feed.
  private static let pace = 112
  /// 2025-01-01, in minutes since 1970.
  private static let firstMinute = 20_089 * 1440
  /// More rows than this would leave the years of four digits.
  package static let rowLimit = 30_000_000

  private let rows: Int
  private let seed: UInt64

  /// A feed of `rows` approaches, 0 to `rowLimit`.
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
      #"{"signature":{"source":"made up, in the shape of JPL's Close Approach Data API","version":"1.5"},"#
        + #""count":\#(rows),"fields":["des","orbit_id","jd","cd","dist","dist_min","dist_max","v_rel","v_inf","#
        + #""t_sigma_f","h"],"data":["#)
    for row in 0..<rows { try write((row == 0 ? "\n" : ",\n") + text(ofRow: row)) }
    try write("\n]}\n")
  }

  /// A row, as it stands in the feed: all values are texts, or null.
  private func text(ofRow row: Int) -> String {
    var random = SplitMix64(seed: seed, row: row, purpose: 5)
    let body = Body(number: random.next(below: max(1, rows * 5)), seed: seed)
    let minute = Self.firstMinute + row * Self.pace + random.next(below: Self.pace)
    // Most pass far away, in astronomical units.
    let share = random.nextFraction()
    let distance = 0.0002 + share * share * 0.2
    let doubt = distance * random.nextFraction() * 0.02
    let velocity = 2 + random.nextFraction() * 28
    // What the Earth's pull adds on the way is gone far from it; 5.328e-3 is 2 GM in km²/s² times au.
    let farSpeed = max(0.01, velocity * velocity - 0.005328 / distance).squareRoot()
    let late = [0, 0, 0, 1, 12, 75, 301][random.next(below: 7)]
    let hours = [late / 60, late % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    let cells = [
      body.designation, "\(1 + random.next(below: 40))",
      fixed(2_440_587.5 + Double(minute) / 1440, places: 9), CalendarMinute(minutes: minute).full,
      fixed(distance, places: 12), fixed(distance - doubt, places: 12), fixed(distance + doubt, places: 12),
      fixed(velocity, places: 12), random.next(below: 1000) == 0 ? nil : fixed(farSpeed, places: 12),
      late == 0 ? "< 00:01" : hours, random.next(below: 500) == 0 ? nil : fixed(body.magnitude, places: 1),
    ]
    return "[" + cells.map { $0.map { "\"\($0)\"" } ?? "null" }.joined(separator: ",") + "]"
  }
}

/// A made-up body.
private struct Body {
  /// As in `2017 QX41`.
  let designation: String
  let magnitude: Double

  init(number: Int, seed: UInt64) {
    var random = SplitMix64(seed: seed, row: number, purpose: 6)
    designation = random.nextDesignation(from: 1)
    magnitude = 17 + Double(random.next(below: 130)) / 10
  }
}
