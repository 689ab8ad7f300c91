internal import FeedReading
internal import Foundation
internal import ImportInput
internal import ImportModel

/// Knows a file, or several, again that was imported before and would change nothing now.
enum UnchangedInput {
  /// Counts up whenever a converter or an expression gives another value for the same text than before.
  private static let converterVersion = 2

  /// Finds the inputs among the files that earlier runs read, and records a run that found every row unchanged.
  ///
  /// They are read for that only when such files had their size.
  static func find(
    _ inputs: [ByteInput], _ pipeline: Pipeline, _ settings: ImportSettings, _ store: any StoreEngine
  ) throws -> (run: Int64, progress: RunProgress)? {
    // Where a key that is there ends the import, the same file has to end it.
    guard pipeline.mergePolicy != .fail else { return nil }
    guard inputs.allSatisfy({ $0.digest != nil }), let size = inputs.totalBytes.map(Int.init) else {
      return nil
    }
    guard let rules = rules(of: pipeline, settings) else { return nil }
    let digests = try store.digestsOfUnchanged(pipeline, size: size, rules: rules)
    guard !digests.isEmpty, let digest = digest(of: try inputs.map { try $0.digestOfAll() }),
      digests.contains(digest)
    else { return nil }
    return try store.recordUnchanged(
      pipeline, input: inputs.name, InputIdentity(size: size, digest: digest, rules: rules))
  }

  /// What a run that came to a good end read; nil when it cannot be known again.
  ///
  /// - Parameter size: the files', before they were read.
  static func identity(
    _ end: ReadingEnd, size: Int64?, _ progress: RunProgress, _ pipeline: Pipeline, _ settings: ImportSettings
  ) -> InputIdentity? {
    guard isSettled(end, settings) else { return nil }
    guard let digest = digest(of: end.digests), end.bytes == size.map(Int.init), progress.total.rejected == 0,
      let rules = rules(of: pipeline, settings)
    else {
      return nil
    }
    return InputIdentity(size: end.bytes, digest: digest, rules: rules)
  }

  /// Those inputs of an import of several that may not have to be read; the rows of each are noted from here on.
  static func known(_ frame: ImportFrame, _ writing: any ImportSession) throws -> [KnownInput] {
    guard let rules = rules(of: frame.pipeline, frame.settings) else { return [] }
    let known = try writing.knownInputs(rules: rules)
    return frame.settings.force ? [] : known
  }

  /// What each of several inputs was that a run read which came to a good end.
  static func inputs(_ end: ReadingEnd, _ settings: ImportSettings) -> [InputFacts?] {
    isSettled(end, settings) ? end.inputs : []
  }

  /// Whether the inputs would do tomorrow, too.
  private static func isSettled(_ end: ReadingEnd, _ settings: ImportSettings) -> Bool {
    // What was accepted once has to be accepted again, and what an import tells of until it is settled is told of again.
    settings.acceptedGuards.isEmpty && end.absentFields.isEmpty
  }

  /// One digest of several files, in their order; nil where one of them has none.
  private static func digest(of digests: [[UInt8]?]) -> [UInt8]? {
    let all = digests.compactMap(\.self)
    guard all.count == digests.count else { return nil }
    return all.count == 1 ? all[0] : SHA256.hash(all.flatMap(\.self))
  }

  /// A digest of everything that decides what a record becomes, and which inputs are good. How an import runs does not.
  ///
  /// The pipeline is taken with all its properties, also those to come, as the compiler encodes it: to reflect it at run time
  /// takes five times as long, which is a fifth of an import that finds nothing new.
  ///
  /// - Returns: nil where it cannot be encoded: then no input is known again.
  private static func rules(of pipeline: Pipeline, _ settings: ImportSettings) -> [UInt8]? {
    var pipeline = pipeline
    pipeline.store = nil
    pipeline.settings = ImportSettings()
    pipeline.settings.minimumRecords = settings.minimumRecords
    pipeline.settings.maximumMissing = settings.maximumMissing
    pipeline.settings.maximumChanged = settings.maximumChanged
    pipeline.settings.absentFieldPolicy = settings.absentFieldPolicy
    pipeline.history = nil
    pipeline.maxAge = nil
    pipeline.sourceMap = SourceMap()
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    guard let encoded = try? encoder.encode(pipeline) else { return nil }
    return SHA256.hash(Array("converters \(converterVersion)\n".utf8) + encoded)
  }
}
