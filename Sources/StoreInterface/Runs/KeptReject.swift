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
