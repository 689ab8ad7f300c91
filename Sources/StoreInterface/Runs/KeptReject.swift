public import TypedRows

/// A rejected record as the store keeps it: equal ones are one.
public struct KeptReject: Sendable, Hashable {
  /// Its number in the store.
  public var number: Int64
  /// The pipeline that rejected it.
  public var pipeline: String
  /// The first run that did.
  public var firstRun: Int64
  /// The last run that did.
  public var lastRun: Int64
  /// How often it was rejected.
  public var times: Int64
  /// Why, and where it stood the last time.
  public var reject: RejectedRecord

  package init(
    number: Int64, pipeline: String, firstRun: Int64, lastRun: Int64, times: Int64, reject: RejectedRecord
  ) {
    (self.number, self.pipeline, self.reject) = (number, pipeline, reject)
    (self.firstRun, self.lastRun, self.times) = (firstRun, lastRun, times)
  }
}

extension [KeptReject] {
  /// Takes out the one whose place another rejection of the same record takes; nil for none.
  package mutating func take(replacedBy reject: RejectedRecord) -> KeptReject? {
    firstIndex { reject.replaces($0.reject) }.map { remove(at: $0) }
  }
}

extension [[KeptReject]] {
  /// The children that are tried again, by their entity: a child's number, and its record's row. They never had what only the children of
  /// new objects get. A child of another list's element counts as one when any with its number was rejected in its record.
  ///
  /// - Parameter rows: for each of the chunk's rows, the number of its record's first reject.
  package func children(rows: [Int64]) -> [String: Set<ParentReference>] {
    let row = Dictionary(zip(rows, rows.indices)) { first, _ in first }
    var children: [String: Set<ParentReference>] = [:]
    for kept in self {
      guard let parent = kept.first.flatMap({ row[$0.number] }) else { continue }
      for one in kept {
        guard let entity = one.reject.entity else { continue }
        let child = ParentReference(parent: parent, number: one.reject.child, record: parent)
        children[entity, default: []].insert(child)
      }
    }
    return children
  }
}

/// Which rejected records are meant.
package struct RejectFilter: Sendable {
  /// Those that were rejected from this run on or before, until it or later; nil for all.
  package var run: Int64?
  /// Those of one pipeline; nil for all.
  package var pipeline: String?

  package init(run: Int64? = nil, pipeline: String? = nil) {
    self.run = run
    self.pipeline = pipeline
  }
}
