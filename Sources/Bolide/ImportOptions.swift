public import ImportModel
public import Logging

/// How one import runs. What is nil, the pipeline's `settings` say.
public struct ImportOptions: Sendable {
  /// The whole input is one transaction: all of it lands, or nothing.
  public var isAtomic: Bool?
  /// The import ends at the first rejected record.
  public var stopsOnReject: Bool?
  /// How many records may be rejected in a good import.
  public var rejectLimit: RejectLimit?
  /// Commits after so many records.
  public var chunkRows: Int?
  /// How long to wait for another import or program that holds the store, in seconds.
  public var lockWait: Double?
  /// How large the write-ahead log may grow while a reader keeps it from being emptied, in bytes.
  public var walLimit: Int?
  /// How much of its input the import reads at most.
  public var bounds = InputBounds()
  /// Whether the report holds values of records: a new field's example, and the texts of rejected records.
  public var showsValues: Bool?
  /// Imports also a file that was imported before and has the same bytes.
  public var force: Bool?
  /// Whether a store that is not there is made, by what opens it.
  public var storeCreation: StoreCreation?
  /// Stops every import that has these options, from outside. A cancelled task stops its own import alone.
  public var cancellation = ImportCancellation()
  /// Told of each chunk and of the end, at the level `debug`; nothing of a record's content.
  public var logger: Logger?
  /// Called on the import's own thread after each chunk.
  public var progress: (@Sendable (ImportProgress) -> Void)?

  /// Makes options that leave everything to the pipeline.
  public init() {}

  /// What holds for this import.
  func settings(over pipeline: Pipeline) -> ImportSettings {
    var settings = pipeline.settings
    if let isAtomic { settings.isAtomic = isAtomic }
    if let stopsOnReject { settings.stopsOnReject = stopsOnReject }
    if let rejectLimit { settings.rejectLimit = rejectLimit }
    if let chunkRows { settings.chunkRows = chunkRows }
    if let lockWait { settings.lockWait = lockWait }
    if let walLimit { settings.walLimit = walLimit }
    settings.bounds.bytes = bounds.bytes ?? settings.bounds.bytes
    settings.bounds.records = bounds.records ?? settings.bounds.records
    settings.bounds.seconds = bounds.seconds ?? settings.bounds.seconds
    if let showsValues { settings.showsValues = showsValues }
    if let force { settings.force = force }
    if let storeCreation { settings.storeCreation = storeCreation }
    if pipeline.mergePolicy.impliesAtomic { settings.isAtomic = true }
    return settings
  }
}

/// How far an import is.
public struct ImportProgress: Sendable {
  /// Records read and applied.
  public var read: Int
  /// Records rejected.
  public var rejected: Int
  /// Input bytes taken; compressed ones of a compressed input.
  public var bytes: Int
  /// The input's size in the same bytes, if it is known.
  public var totalBytes: Int?
  /// Seconds since the start.
  public var seconds: Double
}
