public import ImportModel
public import Logging

/// Options of one import: every property of `ImportSettings`, as an optional. A nil property takes the value of the
/// pipeline's `settings`.
///
///     var options = ImportOptions()
///     options.isAtomic = true
@dynamicMemberLookup
public struct ImportOptions: Sendable {
  /// How much of its input the import reads at most; what is nil, the pipeline's `settings` determine.
  public var bounds = InputBounds()
  /// Stops every import that has these options, from outside. A cancelled task stops its own import alone.
  public var cancellation = ImportCancellation()
  /// Told of each chunk and of the end, at the level `debug`; nothing of a record's content. Nil for the store's logger.
  public var logger: Logger?
  /// Called on the import's own thread after each chunk.
  public var progress: (@Sendable (ImportProgress) -> Void)?

  private var overrides: [Override] = []

  /// One setting that is not the pipeline's.
  private struct Override: Sendable {
    let path: any PartialKeyPath<ImportSettings> & Sendable
    let value: any Sendable
    let apply: @Sendable (inout ImportSettings) -> Void
  }

  /// Makes options that leave everything to the pipeline.
  public init() {}

  /// A setting for this import; nil for the pipeline's.
  public subscript<Value: Sendable>(
    dynamicMember path: any WritableKeyPath<ImportSettings, Value> & Sendable
  ) -> Value? {
    get { overrides.first { $0.path == path }?.value as? Value }
    set {
      overrides.removeAll { $0.path == path }
      guard let newValue else { return }
      overrides.append(Override(path: path, value: newValue) { $0[keyPath: path] = newValue })
    }
  }

  /// A setting for this import that may have no value; nil for the pipeline's.
  public subscript<Value: Sendable>(
    dynamicMember path: any WritableKeyPath<ImportSettings, Value?> & Sendable
  ) -> Value? {
    get { overrides.first { $0.path == path }?.value as? Value }
    set {
      overrides.removeAll { $0.path == path }
      guard let newValue else { return }
      overrides.append(Override(path: path, value: newValue) { $0[keyPath: path] = newValue })
    }
  }

  /// What holds for this import.
  func settings(over pipeline: Pipeline) -> ImportSettings {
    var settings = pipeline.settings
    for override in overrides { override.apply(&settings) }
    settings.bounds.bytes = bounds.bytes ?? settings.bounds.bytes
    settings.bounds.records = bounds.records ?? settings.bounds.records
    settings.bounds.seconds = bounds.seconds ?? settings.bounds.seconds
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
