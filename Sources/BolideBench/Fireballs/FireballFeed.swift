/// A feed of made-up fireballs in the shape of JPL's Fireball Data API, the same bytes for the same seed.
///
/// ```
/// {"signature":{…},"count":"2","fields":["date","energy",…],"data":[["2025-12-29 04:12:58","4.72",…],…]}
/// ```
///
/// Made again with `revise`, `rekey` or `drop`, it is the same feed some time later: what a re-processing at the source
/// does to it. A row is touched by one of the three at most, and it is the same rows every time: those of 1 % are
/// among those of 2 %. Nothing in it is a real event.
package struct FireballFeed: Sendable {
  /// In which order the rows stand.
  ///
  /// The real API has sent both newest and oldest first.
  package enum Order: String, Sendable, CaseIterable {
    case newestFirst = "newest-first"
    case oldestFirst = "oldest-first"
    case shuffled
  }

  /// What changes the shape and not the rows.
  package struct Options: Sendable {
    /// Sends `data` before `fields`.
    package var dataFirst: Bool
    /// The rows' order.
    package var order: Order

    /// Names before rows, newest first.
    package init(dataFirst: Bool = false, order: Order = .newestFirst) {
      self.dataFirst = dataFirst
      self.order = order
    }
  }

  /// How many rows each fate met.
  ///
  /// `kept` rows are as in the feed of the same seed without changes.
  package struct Tally: Equatable, Sendable {
    package var kept = 0
    package var revised = 0
    package var rekeyed = 0
    package var dropped = 0

    /// Rows in the feed.
    package var count: Int { kept + revised + rekeyed }
  }

  /// More rows than this would not fit between the years 1000 and 2026.
  package static let rowLimit = 1_000_000_000

  private let rows: Int
  private let seed: UInt64
  private let revise: Double
  private let rekey: Double
  private let drop: Double
  private let options: Options
  private let calendar: FireballCalendar

  /// A feed of `rows` rows, `drop` not yet taken off.
  ///
  /// - Parameters:
  ///   - rows: 0 to `rowLimit`.
  ///   - revise: The share of rows with other values, in percent.
  ///   - rekey: The share of rows whose date moves by one to three seconds, in percent.
  ///   - drop: The share of rows that are left out, in percent. The three are 100 together at most.
  package init(
    rows: Int, seed: UInt64, revise: Double = 0, rekey: Double = 0, drop: Double = 0,
    options: Options = Options()
  ) {
    precondition((0...Self.rowLimit).contains(rows), "0 to \(Self.rowLimit) rows")
    precondition(
      min(revise, rekey, drop) >= 0 && revise + rekey + drop <= 100, "shares are percents of a whole")
    self.rows = rows
    self.seed = seed
    self.revise = revise
    self.rekey = rekey
    self.drop = drop
    self.options = options
    calendar = FireballCalendar(rows: rows)
  }

  /// Counts what became of the rows, exactly.
  ///
  /// Linear in the number of rows.
  package func tally() -> Tally {
    var tally = Tally()
    if revise + rekey + drop == 0 {
      tally.kept = rows
      return tally
    }
    for row in 0..<rows {
      switch fate(of: row) {
      case .kept: tally.kept += 1
      case .revised: tally.revised += 1
      case .rekeyed: tally.rekeyed += 1
      case .dropped: tally.dropped += 1
      }
    }
    return tally
  }

  /// Writes the feed piece by piece, in memory that does not grow.
  ///
  /// A feed of no rows has neither `fields` nor `data`, as the real one.
  ///
  /// - Parameter consumer: Gets each piece; the bytes are good during the call alone.
  /// - Throws: What `consumer` throws.
  package func write(to consumer: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    var text = FireballText()
    let count = tally().count
    text.append(
      #"{"signature":{"source":"Bolide's generator, in the shape of the NASA/JPL Fireball Data API","#)
    text.append(#""version":"1.2"},"count":"\#(count)""#)
    if count > 0 {
      let fields = #""fields":["date","energy","impact-e","lat","lat-dir","lon","lon-dir","alt","vel"]"#
      text.append(options.dataFirst ? #","data":["# : ",\(fields)" + #","data":["#)
      try writeRows(&text, to: consumer)
      try text.flush(to: consumer)
      text.append(options.dataFirst ? "],\(fields)}\n" : "]}\n")
    } else {
      text.append("}\n")
    }
    try text.flush(to: consumer)
  }

  private func writeRows(
    _ text: inout FireballText, to consumer: (UnsafeRawBufferPointer) throws -> Void
  ) rethrows {
    var isFirst = true
    try forEachRow { row in
      if text.isNearlyFull { try text.flush(to: consumer) }
      if !isFirst { text.append(",") }
      isFirst = false
      text.append(row)
    }
  }

  /// Calls `body` with each row, in the feed's order.
  func forEachRow(_ body: (FireballRow) throws -> Void) rethrows {
    let shuffle = FireballShuffle(rows: rows, seed: seed)
    for place in 0..<rows {
      let number =
        switch options.order {
        case .newestFirst: place
        case .oldestFirst: rows - 1 - place
        case .shuffled: shuffle.row(at: place)
        }
      if let row = row(number) { try body(row) }
    }
  }

  /// A row as it stands in this feed.
  ///
  /// Nil: dropped.
  private func row(_ number: Int) -> FireballRow? {
    let fate = fate(of: number)
    if fate == .dropped { return nil }
    var row = FireballRow(number, seed: seed, calendar: calendar)
    var random = SplitMix64(seed: seed, row: number, purpose: 3)
    if fate == .revised { row = row.revised(&random) }
    if fate == .rekeyed { row.time = calendar.moved(row.time, &random) }
    return row
  }

  /// From the bottom up the row is revised; from the top down it is dropped, and below that rekeyed.
  private func fate(of row: Int) -> FireballFate {
    if revise + rekey + drop == 0 { return .kept }
    var random = SplitMix64(seed: seed, row: row, purpose: 2)
    let percent = random.nextFraction() * 100
    if percent < revise { return .revised }
    if percent >= 100 - drop { return .dropped }
    if percent >= 100 - drop - rekey { return .rekeyed }
    return .kept
  }
}
