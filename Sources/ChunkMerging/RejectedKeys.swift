package import ImportModel
package import TypedRows

/// Where a run's rejected records are kept.
package protocol RejectKeeping: AnyObject {
  /// Notes that keys were read: what was rejected of them before is not to be replayed any more.
  func overtake(_ keys: [Int64]) throws

  /// Keeps a rejected record, as far as the run's bounds allow.
  ///
  /// - Parameters:
  ///   - isOvertaken: a later record with its key was read already.
  ///   - overtakes: an earlier record with its key may be kept.
  /// - Returns: what is kept; nil when it is only counted.
  func keep(_ reject: RejectedRecord, isOvertaken: Bool, overtakes: Bool) throws -> RejectedRecord?
}

extension RejectBounds {
  /// Takes the room that a rejected record needs.
  ///
  /// - Parameter last: the text of the record that was kept last: rejected children of one record share it.
  /// - Returns: what is kept of it; nil where there is no room for another one.
  package mutating func take(_ reject: RejectedRecord, behind last: String?) -> RejectedRecord? {
    guard rows > 0 else { return nil }
    rows -= 1
    guard let text = reject.text, text != last else { return reject }
    guard text.utf8.count > total else {
      total -= text.utf8.count
      return reject
    }
    var reject = reject
    (reject.text, reject.isCut) = (nil, false)
    return reject
  }
}

/// Finds records whose key stands among the kept rejects: a reject whose key was read later is not replayed.
///
/// A filter of one mebibyte tells the keys that cannot be among them, so memory is flat and a run without rejects
/// pays nothing. A key that the filter takes wrongly for one costs a look into an index.
package struct RejectedKeys {
  private var bits: [UInt64] = []
  private static let bitCount = 1 << 23
  /// Of a run that sorts its records, those whose rejects are kept: the last one of each key, by its number through all inputs.
  private var lastRejected: [Int64: Int] = [:]

  package init() {}

  /// Notes the key of a reject that is kept.
  package mutating func insert(_ key: Int64) {
    if bits.isEmpty { bits = [UInt64](repeating: 0, count: Self.bitCount / 64) }
    let (one, other) = places(key)
    bits[one >> 6] |= 1 << UInt64(one & 63)
    bits[other >> 6] |= 1 << UInt64(other & 63)
  }

  /// Writes a chunk's rejects, and notes which older ones its rows have overtaken.
  ///
  /// - Parameters:
  ///   - rows: those whose keys were read.
  ///   - log: the run's.
  ///   - alsoWrite: called with each reject that is kept.
  package mutating func write(
    _ chunk: Chunk, _ rows: [Int32], to log: some RejectKeeping,
    _ alsoWrite: (RejectedRecord) throws -> Void
  ) throws {
    let rejects = chunk.allRejects
    guard !bits.isEmpty || !rejects.isEmpty else { return }
    // For each key of the chunk's rejects, the last row that has it.
    var lastRows: [Int64: Int] = [:]
    for reject in rejects { if let key = reject.key { lastRows[key] = -1 } }
    if !bits.isEmpty || !lastRows.isEmpty {
      let rejected = Set(chunk.rejects.lazy.filter(\.isRow).map(\.rowsBefore))
      var overtaken: Set<Int64> = []
      for row in rows.lazy.map(Int.init) where !rejected.contains(row) {
        guard let key = chunk.keyDigest(row) else { continue }
        if contains(key), isLater(chunk, row, than: key) { overtaken.insert(key) }
        if let last = lastRows[key] { lastRows[key] = max(last, row) }
      }
      if !overtaken.isEmpty { try log.overtake(overtaken.sorted()) }
    }
    for (number, reject) in zip(chunk.rejectNumbers, rejects) {
      let isOvertaken = reject.key.map { reject.isBefore(lastRows[$0, default: -1]) } ?? false
      let overtakes = reject.key.map { contains($0) } ?? false
      let last = reject.key.flatMap { lastRejected[$0] } ?? .min
      let kept = try log.keep(
        reject, isOvertaken: isOvertaken || number < last, overtakes: overtakes && number > last)
      guard let kept else { continue }
      if let key = kept.key {
        insert(key)
        if chunk.numbersRecords { lastRejected[key] = max(number, last) }
      }
      try alsoWrite(kept)
    }
  }

  /// Whether a row's record comes later than the last one that was rejected with its key: where records are sorted, it may have come
  /// before.
  private func isLater(_ chunk: Chunk, _ row: Int, than key: Int64) -> Bool {
    lastRejected[key].map { chunk.recordNumbers[row] > $0 } ?? true
  }

  private func contains(_ key: Int64) -> Bool {
    guard !bits.isEmpty else { return false }
    let (one, other) = places(key)
    return bits[one >> 6] >> UInt64(one & 63) & 1 == 1 && bits[other >> 6] >> UInt64(other & 63) & 1 == 1
  }

  private func places(_ key: Int64) -> (Int, Int) {
    let mask = Int64(Self.bitCount - 1)
    return (Int(key & mask), Int(key >> 32 & mask))
  }
}
