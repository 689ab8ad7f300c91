internal import TypedRows

/// Which objects were updated or deleted behind a place in history, as far as inputs that may be skipped are concerned: what
/// a run finds when it begins, with the number of each change, and what comes while it is at work.
///
/// A place is a number: whatever is in order in the engine's history.
package struct RecentChanges {
  /// So many changes are looked at, the newest ones.
  package static let most = 250_000

  fileprivate struct Change {
    let id: Int64
    let number: Int64
    /// The run that made it; 0 for another writer.
    let run: Int64
  }

  /// Those before the run, by entity, in the order of their ids.
  private var before: [Int64: [Change]] = [:]
  /// The objects that were changed since.
  private var during: [Int64: ObjectSet] = [:]
  /// All changes behind this place are known.
  private var oldest: Int64
  /// What was changed up to this place was read; nil before the first reading.
  package private(set) var newest: Int64?
  /// The number of the last change of a reading, and how many it has had.
  private var last: Int64 = 0
  private var count = 0

  /// - Parameter oldest: the place behind which changes are asked for.
  package init(behind oldest: Int64) { self.oldest = oldest }

  /// The place behind which the next reading begins; those before the first one are in `before`, all others in `during`.
  package var start: Int64 { newest ?? oldest }

  /// Reads what was changed since the last time.
  ///
  /// - Parameters:
  ///   - newest: the place up to which it is read.
  ///   - body: adds the changes, the newest ones first, and `most` of them.
  package mutating func read(to newest: Int64, _ body: (inout RecentChanges) throws -> Void) rethrows {
    count = 0
    try body(&self)
    // There may be more: nothing that is older is skipped from here on.
    if count == Self.most { oldest = self.newest == nil ? last : .max }
    if self.newest == nil {
      for entity in before.keys { before[entity]?.sort { $0.id < $1.id } }
    }
    self.newest = newest
  }

  /// Takes a change of a reading.
  package mutating func add(_ entity: Int64, _ id: Int64, number: Int64, run: Int64 = 0) {
    (last, count) = (number, count + 1)
    if newest == nil {
      before[entity, default: []].append(Change(id: id, number: number, run: run))
    } else {
      during[entity, default: ObjectSet()].insert(id)
    }
  }

  /// Notes what the run itself has changed.
  package mutating func note(_ entity: Int64, _ ids: [Int64]) {
    for id in ids { during[entity, default: ObjectSet()].insert(id) }
  }

  /// Whether all changes behind a place are known.
  package func reach(back place: Int64) -> Bool { place >= oldest }

  /// What an input has read already: changes up to a place, and those of its own run.
  package struct Seen {
    /// How far history went when the input's reading began.
    private let number: Int64
    /// The run that read it.
    private let run: Int64
    /// The newest number of that run that came before its reading's end.
    private let ownNumber: Int64

    package init(number: Int64, run: Int64 = 0, ownNumber: Int64 = 0) {
      (self.number, self.run, self.ownNumber) = (number, run, ownNumber)
    }

    fileprivate func lacks(_ change: Change) -> Bool {
      change.number > number && !(run != 0 && change.run == run && change.number <= ownNumber)
    }
  }

  /// Whether one of some rows was changed since.
  ///
  /// - Parameter rows: ranges of ids.
  package func haveChanged(_ entity: Int64, _ rows: [ClosedRange<Int64>], since seen: Seen) -> Bool {
    if let during = during[entity], rows.contains(where: during.overlaps) { return true }
    guard let before = before[entity] else { return false }
    return rows.contains { range in
      let first = before.partitioningIndex { $0.id >= range.lowerBound }
      return before[first...].prefix { $0.id <= range.upperBound }.contains(where: seen.lacks)
    }
  }

  /// Whether any object of an entity was changed since.
  package func haveChanged(_ entity: Int64, since seen: Seen) -> Bool {
    during[entity] != nil || before[entity]?.contains(where: seen.lacks) == true
  }
}
