/// What applying chunks did, of one entity.
///
/// `read = inserted + updated + unchanged + ignored + duplicates + superseded + rejected + rolledBack`.
public struct ChunkCounts: Sendable, Hashable {
  /// Records read.
  public var read = 0
  /// Rows that are new.
  public var inserted = 0
  /// Rows that have other values now.
  public var updated = 0
  /// How many of these had come in an earlier chunk of the same import already; a part of `updated`.
  public var repeated = 0
  /// Rows that had these values already; nothing was written.
  public var unchanged = 0
  /// Rows that the merge policy left alone.
  public var ignored = 0
  /// Records whose place another record of the same key took, the later one with nothing that the other had not.
  public var duplicates = 0
  /// Records whose place another record of the same key and with other values took, in the same chunk or an earlier one.
  public var superseded = 0
  /// Records that were rejected.
  public var rejected = 0
  /// Records whose effect was undone: an atomic import that did not come to a good end.
  public var rolledBack = 0

  /// Makes counts of nothing.
  public init() {}

  package static func += (left: inout ChunkCounts, right: ChunkCounts) {
    left.read += right.read
    left.inserted += right.inserted
    left.updated += right.updated
    left.repeated += right.repeated
    left.unchanged += right.unchanged
    left.ignored += right.ignored
    left.duplicates += right.duplicates
    left.superseded += right.superseded
    left.rejected += right.rejected
    left.rolledBack += right.rolledBack
  }

  /// The counts of a run that finds the same again.
  package var allUnchanged: ChunkCounts {
    var counts = self
    counts.unchanged += inserted + updated
    (counts.inserted, counts.updated, counts.repeated) = (0, 0, 0)
    return counts
  }
}
