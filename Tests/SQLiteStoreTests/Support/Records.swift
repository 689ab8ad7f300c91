import ImportModel
import Testing

@testable import SQLiteStore
@testable import StoreInterface
@testable import TypedRows

/// One record as a test writes it: what is not mentioned is absent. `@region` is the key of the owner to link to.
typealias Record = [String: Value]

/// The record of one of the quakes of three regions.
func quake(_ number: Int64, magnitude: Double, cost: Int64) -> Record {
  let (id, region) = ("q\(number)", "r\(number % 3)")
  return [
    "id": .text(id), "@region": .text(region), "magnitude": .real(magnitude), "depth": .integer(number),
    "cost": .integer(cost),
  ]
}

extension Chunk {
  /// Appends a record as a row. The name of a link's relationship, with `@` before it, gives its owner's key.
  func append(_ record: Record) {
    fillRow(record)
    commitRow(RecordPosition(record: recordsRead, byte: 0, line: recordsRead, column: 1), text: nil)
  }

  /// Begins a row with a record's values.
  func fillRow(_ record: Record) {
    if isBatchFull { flushBatch() }
    recordsRead += 1
    beginRow()
    for (name, value) in record { write(value, place(name)) }
  }

  /// Appends records, sorts and folds.
  func fill(_ records: [Record]) {
    for record in records { append(record) }
    sortAndFold()
  }

  private func place(_ name: String) -> Int? {
    guard name.hasPrefix("@") else { return layout.column(of: name) }
    return layout.owners.first { $0.relationship.name == name.dropFirst() }?.columns.lowerBound
  }

  private func write(_ value: Value, _ column: Int?) {
    guard let column else {
      Issue.record("the record names no column")
      return
    }
    switch value {
    case .null: setNull(column)
    case .integer(let number): set(number, column)
    case .real(let number): set(number, column)
    case .text(let text): Array(text.utf8).withUnsafeBufferPointer { set($0, column) }
    case .blob(let bytes): bytes.withUnsafeBufferPointer { set($0, column) }
    }
  }

  /// A cell as a value; nil when it is absent.
  func value(_ column: Int, _ row: Int) -> Value? {
    switch state(column, row) {
    case .absent: return nil
    case .null: return .null
    case .value: break
    }
    return switch layout.columns[column].storage {
    case .integer: .integer(integer(column, row))
    case .real: .real(real(column, row))
    case .text: .text(String(decoding: bytes(column, row), as: UTF8.self))
    case .blob: .blob(Array(bytes(column, row)))
    }
  }

  /// The rows in the order in which they are applied, without what is absent.
  var applied: [Record] {
    order.map { row in
      var record: Record = [:]
      for column in 0..<layout.storedCount {
        if let value = value(column, Int(row)) { record[layout.columns[column].name] = value }
      }
      return record
    }
  }
}

extension SQLiteEngine {
  /// Runs an import of some chunks of records.
  @discardableResult
  func take(_ pipeline: Pipeline, _ chunks: [Record]...) throws -> RunProgress {
    try take(pipeline, chunks: chunks)
  }

  /// Runs an import of some chunks of records.
  @discardableResult
  func take(_ pipeline: Pipeline, chunks: [[Record]], lockWait: Double = 10) throws -> RunProgress {
    var settings = ImportSettings()
    settings.lockWait = lockWait
    // Every second first load builds its indexes at its end.
    if chunks.joined().count % 2 == 0 { settings.deferredIndexRows = 1 }
    let run = try SQLiteImport(self, pipeline, input: "test", settings: settings)
    let chunk = Chunk(layout: run.layout)
    for records in chunks {
      chunk.clear()
      chunk.fill(records)
      try run.apply(chunk, bytes: records.count)
    }
    try run.finish(outcome: "ok", bytes: 0)
    return run.progress
  }
}

extension Chunk {
  /// The rows whose place another of the same key took.
  var repeats: Int { duplicates + superseded }
}

extension ChunkCounts {
  /// Without a difference between duplicates and what was superseded.
  var repeatsAsOne: ChunkCounts {
    var counts = self
    (counts.duplicates, counts.superseded) = (0, duplicates + superseded)
    return counts
  }

  /// Counts one of two records of a key: superseded where the later one would change something.
  mutating func count(_ earlier: Record, _ later: Record) {
    // What is seen is volatile, and makes no difference.
    let isEqual = later.allSatisfy { name, value in name == "seen" || (earlier[name] ?? .null) == value }
    if isEqual { duplicates += 1 } else { superseded += 1 }
  }

  /// The counts in one line, without those that are 0.
  var line: String {
    let parts = [
      (inserted, "inserted"), (updated, "updated"), (unchanged, "unchanged"), (ignored, "ignored"),
      (duplicates, "duplicate"), (superseded, "superseded"), (rejected, "rejected"),
    ]
    let sum = parts.reduce(0) { $0 + $1.0 }
    let text = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: " + ")
    return "\(read) \(read == sum ? "=" : "≠") \(text)"
  }
}

/// Random numbers that are the same in every run (SplitMix64).
struct Dice: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: Int) { state = UInt64(truncatingIfNeeded: seed) &* 0x9e37_79b9_7f4a_7c15 }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// True once in so many throws.
  mutating func once(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

  /// One of some values.
  mutating func pick<Element>(_ values: [Element]) -> Element {
    values[Int.random(in: values.indices, using: &self)]
  }

  /// A whole number.
  mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
}
