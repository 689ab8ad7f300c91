/// What a run has done so far.
public struct RunProgress: Sendable, Hashable {
  /// The counts of all its records.
  public var counts = ChunkCounts()
  /// The counts of their children, one for each entity, in the order of the pipeline; behind those of many-to-many
  /// relationships, the counts of their links.
  public var children: [ChildCounts] = []
  /// How many of the rejected records and children the store does not keep: they were beyond the pipeline's bounds.
  public var unkept = 0
  /// How many chunks were applied.
  public var chunks = 0
  /// How many bytes of input they came from; of a compressed input, compressed.
  public var bytes = 0
  /// The earlier run that imported the same bytes; then nothing was read, as nothing can have changed.
  public var sameAs: Int64?
  /// How many of several inputs were not read, as they are those of earlier runs and would have changed nothing.
  public var skipped = 0
  /// How many rows earlier complete runs saw, and the input, a full feed, does not have; nil where nobody can tell.
  public var missing: Int?
  /// How many rows were deleted or marked because a full feed has them no more, as the pipeline's `gone` says.
  public var gone = 0
  /// Totals beyond the range of their type, where the run wrote one.
  public var nullTotals = NullTotals()
  /// The newest token; nil when nothing has changed.
  public var token: HistoryToken?

  /// Makes the progress of a run that has done nothing yet.
  public init() {}

  /// Records and children together, without links.
  public var total: ChunkCounts {
    var total = counts
    for children in children where !children.areLinks { total += children.counts }
    return total
  }

  /// Whether no record's children were rejected or left alone.
  package var childrenMetTheirRows: Bool {
    children.allSatisfy { $0.counts.rejected == 0 && $0.counts.ignored == 0 }
  }

  /// What is left when everything is undone but the rejections.
  package mutating func rollBack() {
    counts = counts.rolledBackAll
    for index in children.indices { children[index].counts = children[index].counts.rolledBackAll }
    chunks = 0
    gone = 0
    token = nil
  }
}

extension ChunkCounts {
  fileprivate var rolledBackAll: ChunkCounts {
    var undone = ChunkCounts()
    undone.read = read
    undone.rejected = rejected
    undone.rolledBack = read - rejected
    return undone
  }
}

/// The words that a run's row has for how it ended, beside the codes of errors.
package enum RunOutcome {
  /// The outcome of a run that came to a good end.
  package static let good = "ok"
  /// The outcome of a run that rejected more than its limit allows.
  package static let tooManyRejected = "too-many-refused"
  /// What the input of a replay is called.
  package static let replay = "replay"
}
