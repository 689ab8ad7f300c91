import ImportModel

@testable import SQLiteStore
@testable import StoreInterface

/// What further constraints mean, in the plainest way: sets of rows are tried out until one fits.
///
/// Quakes with `place` unique, and `kind` and `depth` unique together; where it is one-to-one, one for each region at most.
struct UniqueModel {
  private(set) var rows: [String: Record] = [:]
  private(set) var counts = ChunkCounts()
  private var seen: Set<String> = []
  private let timing: Link.Timing
  private let isOneToOne: Bool

  init(_ timing: Link.Timing, isOneToOne: Bool = false) {
    self.timing = timing
    self.isOneToOne = isOneToOne
  }

  static func pipeline(_ timing: Link.Timing) -> Pipeline {
    Quakes.pipeline(when: timing) {
      for name in ["place", "kind", "depth"] { $0[entity: "Quake"][name].isRequired = true }
      $0[entity: "Quake"].uniquenessConstraints = [["place"], ["kind", "depth"]]
    }
  }

  mutating func beginRun() {
    counts = ChunkCounts()
    seen = []
  }

  /// Applies one chunk.
  mutating func apply(_ records: [Record]) {
    counts.read += records.count
    var (open, places): ([String: Record], [String: Int]) = ([:], [:])
    for (place, record) in records.enumerated() {
      guard case .text(let id) = record["id"] else { continue }
      if let earlier = open[id] {
        counts.count(earlier, record)
        let isKept = timing == .insert || [nil, .null].contains(record["@region"])
        open[id]?.merge(record) { $1 }
        if isKept { open[id]?["@region"] = earlier["@region"] }
      } else {
        open[id] = record
      }
      places[id] = place
    }
    for (id, record) in open { open[id] = complete(record) }
    for id in places.sorted(by: { $0.value < $1.value }).map(\.key) where open[id] != nil {
      let others = open.keys.filter { $0 != id }.sorted()
      // The fewest rows that land together with this one.
      let company = (0..<1 << others.count).map { (bits: Int) -> [String] in
        others.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element)
      }.sorted { $0.count < $1.count }.first { isValid(landing(open, $0 + [id])) }
      for id in company.map({ $0 + [id] }) ?? [] {
        count(id, open[id] ?? [:])
        rows = landing(open, [id])
        open[id] = nil
      }
      if open.removeValue(forKey: id) != nil { counts.rejected += 1 }
    }
  }

  private mutating func complete(_ record: Record) -> Record? {
    guard case .text(let id) = record["id"] else { return nil }
    guard rows[id] == nil else { return record }
    guard record["place"] != nil, record["depth"] != nil else {
      counts.rejected += 1
      return nil
    }
    var row: Record = ["kind": "quake", "@region": .null]
    for name in ["magnitude", "cost", "seen"] { row[name] = .null }
    return row.merging(record) { $1 }
  }

  private func landing(_ records: [String: Record], _ ids: [String]) -> [String: Record] {
    var result = rows
    for id in ids {
      var record = records[id] ?? [:]
      if rows[id] != nil, timing == .insert || record["@region"] == .null { record["@region"] = nil }
      result[id, default: [:]].merge(record) { $1 }
    }
    return result
  }

  private func isValid(_ rows: [String: Record]) -> Bool {
    let regions = rows.values.compactMap { $0["@region"] }.filter { $0 != .null }
    return (!isOneToOne || Set(regions).count == regions.count)
      && Set(rows.values.map { $0["place"] }).count == rows.count
      && Set(rows.values.map { [$0["kind"], $0["depth"]] }).count == rows.count
  }

  private mutating func count(_ id: String, _ record: Record) {
    let isRepeated = !seen.insert(id).inserted
    guard let before = rows[id] else { return counts.inserted += 1 }
    guard landing([id: record], [id])[id] != before else { return counts.unchanged += 1 }
    counts.updated += 1
    if isRepeated { counts.repeated += 1 }
  }

  /// The rows as `QuakeModel.rowQuery` gives them.
  var expectedRows: [[Value]] {
    rows.sorted { $0.key < $1.key }.map { _, row in
      ["id", "place", "magnitude", "depth", "cost", "kind", "seen", "@region"].map { row[$0] ?? .null }
    }
  }
}
