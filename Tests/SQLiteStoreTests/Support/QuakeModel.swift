import ImportModel
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// What an import means, in the plainest way: rows in a dictionary, sums computed anew each time.
struct QuakeModel {
  private(set) var rows: [String: Record] = [:]
  private let timing: Link.Timing
  /// The keys that the run has met.
  private var seen: Set<String> = []

  init(_ timing: Link.Timing) { self.timing = timing }

  mutating func beginRun() { seen = [] }

  /// Applies one chunk.
  mutating func apply(_ records: [Record]) -> ChunkCounts {
    var counts = ChunkCounts()
    counts.read = records.count
    var folded: [String: Record] = [:]
    for record in records {
      guard case .text(let id) = record["id"] else { continue }
      guard let earlier = folded[id] else {
        folded[id] = record
        continue
      }
      counts.count(earlier, record)
      // Links as if both had been applied in turn: one for new rows is the first's, and null makes none.
      let isKept = timing == .insert || [nil, .null].contains(record["@region"])
      folded[id]?.merge(record) { $1 }
      if isKept { folded[id]?["@region"] = earlier["@region"] }
    }
    for (id, record) in folded {
      if let row = rows[id] {
        update(id, row, record, &counts)
      } else {
        insert(id, record, &counts)
      }
    }
    return counts
  }

  private mutating func insert(_ id: String, _ record: Record, _ counts: inout ChunkCounts) {
    guard record["depth"] != nil else { return counts.rejected += 1 }
    var row: Record = ["kind": "quake", "@region": .null]
    for name in ["place", "magnitude", "cost", "seen"] { row[name] = .null }
    rows[id] = row.merging(record) { $1 }
    seen.insert(id)
    counts.inserted += 1
  }

  private mutating func update(_ id: String, _ row: Record, _ record: Record, _ counts: inout ChunkCounts) {
    var record = record
    let isRepeated = !seen.insert(id).inserted
    if timing == .insert || record["@region"] == .null { record["@region"] = nil }
    guard record.contains(where: { $0.key != "seen" && row[$0.key] != $0.value }) else {
      return counts.unchanged += 1
    }
    rows[id] = row.merging(record) { $1 }
    counts.updated += 1
    if isRepeated { counts.repeated += 1 }
  }

  /// A row as `Self.rowQuery` gives it.
  var expectedRows: [[Value]] {
    rows.sorted { $0.key < $1.key }.map { _, row in
      ["id", "place", "magnitude", "depth", "cost", "kind", "seen", "@region"].map { row[$0] ?? .null }
    }
  }

  static let rowQuery = """
    SELECT id, place, magnitude, depth, cost, kind, seen, code FROM Quake LEFT JOIN Region
    ON Region.bolide_id = region_id ORDER BY id
    """

  /// A region's count and sums as `Self.sumQuery` gives them, the real sum correctly rounded.
  var expectedSums: [[Value]] {
    let regions = Set(rows.values.compactMap { $0["@region"] }).subtracting([.null])
    return regions.map { region -> [Value] in
      let quakes = rows.values.filter { $0["@region"] == region }
      var (magnitudes, depths, costs) = (Int128(0), Int64(0), Int64(0))
      for quake in quakes {
        if case .real(let value) = quake["magnitude"] { magnitudes += Exact.units(value) }
        if case .integer(let value) = quake["depth"] { depths += value }
        if case .integer(let value) = quake["cost"] { costs += value }
      }
      return [
        region, .integer(Int64(quakes.count)), .real(Exact.double(magnitudes)), .integer(depths),
        .integer(costs),
      ]
    }.sorted { "\($0[0])" < "\($1[0])" }
  }

  static let sumQuery = """
    SELECT code, quakeCount, magnitudes, depths, costs FROM Region WHERE quakeCount <> 0 ORDER BY code
    """

  /// Regions without quakes have sums of exactly 0.
  static let leftovers = """
    SELECT code FROM Region WHERE quakeCount = 0 AND (magnitudes <> 0 OR depths <> 0 OR costs <> 0)
    """
}

/// Exact sums of doubles that are whole multiples of 2^-40.
enum Exact {
  static func units(_ value: Double) -> Int128 { Int128(value * 0x1p40) }

  /// The nearest double, as the conversion rounds once.
  static func double(_ units: Int128) -> Double { Double(units) * 0x1p-40 }

  /// A random multiple of 2^-40, with all 53 bits and of very different size.
  static func random(_ dice: inout Dice) -> Double {
    let value = Double(dice.int(-(1 << 53)...(1 << 53))) * [0x1p-40, 0x1p-20, 1][dice.int(0...2)]
    return dice.once(in: 8) ? -value : value
  }
}
