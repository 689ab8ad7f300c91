internal import ImportInput
public import Logging

/// How an import runs; without changes, as the tool does.
public struct ImportOptions: Sendable {
  /// How many records may be refused in a good import.
  public var rejectLimit = RejectLimit.count(0)
  /// Commits after so many records; nil chooses.
  public var chunkRows: Int?
  /// How long to wait for another pipeline's import into the store, in seconds.
  public var lockWait: Double = 600
  /// Stops the import from outside. A cancelled task does so too.
  public var cancellation = ImportCancellation()
  /// Told of each chunk and of the end, at the level `debug`; nothing of a record's content.
  public var logger: Logger?
  /// Called on the import's own thread after each chunk.
  public var progress: (@Sendable (ImportProgress) -> Void)?

  /// Makes the usual options.
  public init() {}
}

/// Stops an import: the chunk in hand is committed or rolled back, and the run is recorded.
public final class ImportCancellation: Sendable {
  let inner = Cancellation()

  /// Makes a cancellation that has not happened.
  public init() {}

  /// Asks the import to stop. May be called from any thread, and again.
  public func cancel() {
    inner.cancel()
  }

  /// Whether it was asked to stop.
  public var isCancelled: Bool { inner.isCancelled }
}

/// How far an import is.
public struct ImportProgress: Sendable {
  /// Records read and applied.
  public var read: Int
  /// Records refused.
  public var rejected: Int
  /// Input bytes taken; compressed ones of a compressed input.
  public var bytes: Int
  /// The input's size in the same bytes, if it is known.
  public var totalBytes: Int?
  /// Seconds since the start.
  public var seconds: Double
}
