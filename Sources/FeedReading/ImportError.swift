internal import ImportInput
internal import ImportModel
internal import JSONStream
public import StoreInterface

/// What ended an import early. What was committed before is in the store, and the report says how much.
public struct ImportError: Error, Sendable {
  /// The kind of failure, for programs.
  public enum Kind: Sendable, Hashable {
    /// There is no input: no such file, or not a byte.
    case noInput
    /// The input was named in a way that cannot work, such as a terminal.
    case usage
    /// The pipeline has problems.
    case pipeline
    /// The input cannot be read as records, or its records cannot be used.
    case badInput
    /// Reading failed.
    case inputOutput
    /// The store could not do its part.
    case store(StoreError.Code)
    /// The import was asked to stop.
    case cancelled
  }

  /// The kind of failure.
  public var kind: Kind
  /// A word for programs, such as `input-ends`.
  public var code: String
  /// The store's file, where the store could not do its part.
  public var file: String?
  /// What is wrong, with input, line and column where there are such.
  public var reason: String
  /// What to do about it, in sentences; behind what is stored of an atomic import.
  public var hint: String? {
    let sentences = [fate?.words, advice].compactMap(\.self)
    return sentences.isEmpty ? nil : sentences.joined(separator: " ")
  }
  /// The same for programs, where it is a call of this library's; the hint's last words describe it.
  public var remedy: StoreError.Remedy?
  /// What to do about it, in a sentence.
  package var advice: String?
  /// What the import did before. Nil when it had not begun.
  public var report: ImportReport?
  /// What is stored of an atomic import.
  package var fate: Fate?
  /// Which records the message is to tell of, whether they are in the store.
  var telling: Told?

  /// The records that an import has read when an error ends it.
  enum Told: String {
    /// The error has a place.
    case before = "before it"
    case read
    /// What is not committed is left out.
    case committed = "committed before"
  }

  /// What is stored of an atomic import that an error has ended.
  package enum Fate {
    case nothing
    case all
    /// Its commit ended with the error: the next that opens the store sees which.
    case undecided(HistoryToken)
  }

  /// Makes an error.
  public init(
    _ kind: Kind, code: String, at file: String? = nil, _ reason: String, hint: String? = nil,
    _ remedy: StoreError.Remedy? = nil
  ) {
    self.kind = kind
    self.code = code
    self.file = file
    self.reason = reason
    advice = hint
    self.remedy = remedy
  }

  /// One sentence for people.
  public var message: String { file.map { "\($0): \(reason)" } ?? reason }

  /// Any error of the rooms that an import passes.
  package init(_ error: any Error) {
    switch error {
    case let error as ImportError:
      self = error
    case let error as PipelineError:
      let isUnread = error.problems.contains(where: \.isUnread)
      self.init(isUnread ? .inputOutput : .pipeline, code: "pipeline", error.description)
    case let error as StoreError:
      self.init(
        .store(error.code), code: "\(error.code)", at: error.file, error.reason, hint: error.hint,
        error.remedy)
    default:
      self.init(.store(.other), code: "other", "\(error)")
    }
  }
}
