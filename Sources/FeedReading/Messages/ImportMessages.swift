package import ImportInput
package import ImportModel
internal import JSONStream
package import StoreInterface
package import TypedRows

// Every sentence of this module stands in this folder, and each has a test that holds it word for word. Here: what ends an
// import, and what keeps one from beginning. What an input or a store says of itself is said by their modules.

private let again = "run the same command: no row is duplicated."

extension ImportError {
  // MARK: Stopping

  /// The import was stopped.
  package static let cancelled = ImportError(
    .cancelled, code: "cancelled", "the import was stopped", hint: "To continue, \(again)")
  /// The import was stopped before it began.
  package static let cancelledWaiting = ImportError(
    .cancelled, code: "cancelled", "the import was stopped while it waited", hint: "To continue, \(again)")

  /// A limit on processes or on memory.
  package static let noThread = ImportError(
    .inputOutput, code: "no-thread", "the system cannot start another thread for this process",
    hint: "Raise the limit on processes or end some, and \(again)")

  package static let noSources = ImportError(.noInput, code: "no-input", "no input is named")

  /// The import stops at a rejected record, as it was told to.
  ///
  /// - Parameter counts: of the records before it; nil where nothing of them is in a store.
  package static func stopped(at reject: RejectedRecord, after counts: ChunkCounts?) -> ImportError {
    let rest = counts?.fate(of: .before).map { "; \($0)" } ?? ""
    return ImportError(
      .badInput, code: "stopped-at-reject",
      "\(reject.input):\(reject.line):\(reject.column): \(reject.subject): \(reject.message)",
      hint: "The import stops at the first rejected record\(rest).")
  }

  /// The same error, of an atomic import.
  package func with(_ fate: Fate) -> ImportError {
    var error = self
    error.fate = fate
    return error
  }

  /// The same error, which also tells of other inputs of the import that could not be read.
  func with(others: some Collection<ImportError>) -> ImportError {
    guard !others.isEmpty else { return self }
    var error = self
    let count = others.count == 1 ? "Another input" : "\(others.count.grouped) other inputs"
    let rest = others.count > 10 ? "; and \((others.count - 10).grouped) more" : ""
    let list = others.prefix(10).map(\.message).joined(separator: "; ")
    let told = "\(count) could not be read to the end either: \(list)\(rest)."
    error.advice = [told, advice].compactMap(\.self).joined(separator: " ")
    return error
  }

  package static func allRejected(_ input: String, first count: Int, last: RejectedRecord?) -> ImportError {
    ImportError(
      .badInput, code: "all-refused", "\(input): the first \(count) records were all rejected",
      hint: last.map { "The last reason: \($0.message). Check that the pipeline fits this input." })
  }

  // MARK: Bounds

  static func passed(_ bound: InputLimit.Passed, _ input: String) -> ImportError {
    let (name, fact) =
      switch bound {
      case .records(let most): ("max-records", "there are more than \(most.grouped) records")
      case .bytes(let most): ("max-bytes", "the input is larger than \(most.grouped) bytes")
      case .seconds(let most):
        (
          "max-time", "the import takes more than \(most.inWords) \(most == 1 ? "second" : "seconds")"
        )
      }
    return ImportError(
      .badInput, code: name, "\(input): \(fact)",
      hint: "Check the input, or raise `\(name)`.")
  }

  // MARK: Guards

  static func tooFewRecords(_ input: String, read: Int, minimum: Int, isStored: Bool) -> ImportError {
    let guarding = ImportGuard.minRecords.rawValue
    var error = ImportError(
      .badInput, code: guarding,
      read == 1
        ? "\(input): there is 1 record, fewer than the minimum of \(minimum.grouped)"
        : "\(input): there are \(read.grouped) records, fewer than the minimum of \(minimum.grouped)",
      hint: "Check the input. If it is as it should be, import it once all the same.", .accept(guarding))
    if isStored { error.telling = .committed }
    return error
  }

  package static func tooManyMissing(
    _ input: String, _ found: RowShare, most share: Double, isStored: Bool
  ) -> ImportError {
    tooMany(
      .maxMissing, input, found, "rows of the last complete run are missing", most: share, isStored: isStored)
  }

  package static func tooManyGone(
    _ input: String, _ entity: String, _ found: RowShare, most share: Double, isStored: Bool
  ) -> ImportError {
    tooMany(
      .maxMissing, input, found, "rows of \(entity) would be deleted", most: share, isStored: isStored)
  }

  package static func tooManyChanged(
    _ input: String, _ found: RowShare, most share: Double, isStored: Bool
  ) -> ImportError {
    tooMany(
      .maxChanged, input, found, "rows that were there before have other values than after the last good run",
      most: share, isStored: isStored)
  }

  private static func tooMany(
    _ guarding: ImportGuard, _ input: String, _ found: RowShare, _ what: String, most share: Double,
    isStored: Bool
  ) -> ImportError {
    var error = ImportError(
      .badInput, code: guarding.rawValue,
      "\(input): \(found.count.grouped) of the \(found.total.grouped) \(what), which is "
        + "\((Double(found.count) / Double(found.total)).inPercent) and more than \(share.inPercent)",
      hint: "Check the input. If it is as it should be, import it once all the same.",
      .accept(guarding.rawValue))
    if isStored { error.telling = .read }
    return error
  }

  /// - Parameters:
  ///   - others: how many other fields are absent too.
  ///   - read: what was looked at, of which none has it.
  static func absentField(
    _ input: String, _ field: AbsentField, others: Int, read: String, isStored: Bool
  ) -> ImportError {
    let guarding = ImportGuard.onAbsentField.rawValue
    let rest =
      others == 0 ? "" : " (\(counted(others, "other field")) \(others == 1 ? "is" : "are") absent too)"
    var error = ImportError(
      .badInput, code: guarding,
      "\(input): the field '\(field.field)' of the attribute \(field.attribute) is in none of the \(read)\(rest); "
        + "it was last in an input on \(field.lastSeen)",
      hint:
        "If the feed has renamed the field, set its new name with `from:` in the pipeline. If it is gone for good, "
        + "import the input once all the same.", .accept(guarding))
    if isStored { error.telling = .committed }
    return error
  }

  // MARK: The feed as a whole

  static func countDiffers(_ input: String, counted: Int, read: Int, isStored: Bool) -> ImportError {
    var error = ImportError(
      .badInput, code: "count-differs",
      "\(input): the feed's `count` is \(counted), but \(StoreInterface.counted(read, "record")) \(read == 1 ? "was" : "were") read",
      hint:
        "Fetch the input again and \(again) If `count` is the total of several pages, set `count: total` in "
        + "the pipeline.")
    if isStored { error.telling = .read }
    return error
  }

  static func noRows(_ input: String, _ envelope: Envelope, isStored: Bool) -> ImportError {
    var error = noRows(input, envelope)
    // Of the inputs and documents before.
    if isStored { error.telling = .read }
    return error
  }

  private static func noRows(_ input: String, _ envelope: Envelope) -> ImportError {
    guard let bytes = envelope.lookedAt else {
      return ImportError(
        .badInput, code: "no-rows", "\(input): there are no rows; \(envelope.keysMessage)",
        hint: "The input may be an error message of the server: check it.")
    }
    return ImportError(
      .badInput, code: "no-rows",
      "\(input): no rows were detected in the first \(bytes >> 20) MiB; \(envelope.keysMessage)",
      hint: "Set their place in the pipeline: `records: PATH` for objects, or `shape: columnar`.")
  }

  static func keyMissing(_ input: String, _ column: String, among names: [String]) -> ImportError {
    ImportError(
      .badInput, code: "key-missing",
      "\(input): the key column '\(column)' is missing; the columns are "
        + names.prefix(20).joined(separator: ", "),
      hint: names.count == 1 && names[0].contains(/[;|\t]/)
        ? "If another character is between the cells, set `delimiter:` in the pipeline."
        : "If the feed has renamed the column, set its new name with `from:` in the pipeline.")
  }

  /// - Parameter place: `input:line:column`.
  static func newField(_ name: String, record: Int, at place: String) -> ImportError {
    ImportError(
      .badInput, code: "new-field", "\(place): record \(record): new field '\(name)'",
      hint:
        "Add an attribute to the pipeline, set `on-new-field: add`, or import the input once all the same.",
      .accept(ImportGuard.onNewField.rawValue))
  }

  package static func notOneRecord(kept number: Int) -> ImportError {
    ImportError(
      .store(.corrupt), code: "corrupt", "the kept text of rejected record \(number) is not one record",
      hint: "Import it by hand, from its kept text.", .rejects)
  }
}

extension ImportError.Fate {
  /// What is stored, in a sentence.
  var words: String {
    switch self {
    case .nothing: "Nothing of this import is in the store."
    case .all: "All of this import is in the store."
    case .undecided:
      "Either all or nothing of this import is in the store: the next command that opens it shows which."
    }
  }
}

extension ImportError {
  /// The same error with what is in the store already, where it is to be told.
  ///
  /// - Parameter isTrial: whether nothing stays there.
  package func telling(_ counts: ChunkCounts, isTrial: Bool) -> ImportError {
    guard let telling, let fate = counts.fate(of: telling) else { return self }
    if isTrial { return with(.nothing) }
    var error = self
    error.reason += ". \(fate.prefix(1).uppercased())\(fate.dropFirst())"
    return error
  }
}

extension ChunkCounts {
  /// How many of the records are in the store, and what became of the others; nil where there was none.
  func fate(of told: ImportError.Told) -> String? {
    guard read > 0 else { return nil }
    // One that came back with other values has changed the row of the one before it.
    let landed = inserted + updated + unchanged - repeated
    let all = read == 1 ? "the record \(told.rawValue)" : "the \(read) records \(told.rawValue)"
    if landed == read { return "\(all) \(read == 1 ? "is" : "are") in the store" }
    if rejected == read { return "\(all) \(read == 1 ? "was" : "were") rejected" }
    var parts = ["\(landed) \(landed == 1 ? "is" : "are") in the store"]
    if rejected > 0 { parts.append("\(rejected) \(rejected == 1 ? "was" : "were") rejected") }
    let repeats = duplicates + superseded + repeated
    if repeats > 0 { parts.append("\(repeats) \(repeats == 1 ? "repeats" : "repeat") a key") }
    if ignored > 0 { parts.append("\(ignored) \(ignored == 1 ? "was" : "were") ignored") }
    let last = parts.removeLast()
    return "of \(all) \(parts.joined(separator: ", ")), and \(last)"
  }
}

extension Double {
  /// Without the decimals of a whole number.
  fileprivate var inWords: String { Int(exactly: self)?.grouped ?? description }
}

extension JSONError {
  /// What to do next.
  package var hint: String {
    switch code {
    case .inputEnds, .noInput: "Fetch the input again and \(again)"
    case .markup: "The input may be an error page: check its URL."
    case .utf16: "Convert the input first: iconv -f UTF-16 -t UTF-8"
    case .utf32: "Convert the input first: iconv -f UTF-32 -t UTF-8"
    case .ambiguousRecords: "Set the path of the records in the pipeline: `records: PATH`."
    case .noNames: "Name the columns in the pipeline: `columns: [date, energy, …]`."
    case .noRecordsThere,
      .unexpectedWord where code == .noRecordsThere || position.byte == 0:
      "Check that the input is JSON. If it is CSV, set `shape: csv`; if its records are elsewhere, `records: PATH`."
    case .unclosedQuote where record != nil: "The input may be cut off: fetch it again and \(again)"
    case .recordLimit: "Check `records:` in the pipeline, or cut the input into smaller records."
    default: "Repair the input, or fetch it again, and \(again)"
    }
  }
}

extension Envelope {
  /// Which keys there are instead of rows: names only, never values.
  fileprivate var keysMessage: String {
    keys.isEmpty
      ? "the input is an object without keys"
      : "the input is an object with \(keys.count == 1 ? "the key" : "the keys") "
        + keys.prefix(8).map { "'\($0)'" }.joined(separator: ", ") + (keys.count > 8 ? ", …" : "")
  }
}

// MARK: The pipeline file

extension PipelineProblem {
  package static func noSuchPipeline(_ path: String) -> PipelineProblem {
    PipelineProblem(file: path, location: nil, message: "there is no such pipeline file")
  }

  /// A folder, or what cannot be opened: said as of an input.
  package static func unreadable(_ path: String, _ error: InputError) -> PipelineProblem {
    let words = error.message.utf8.dropFirst("\(error.input): ".utf8.count)
    var problem = PipelineProblem(file: path, location: nil, message: String(decoding: words, as: UTF8.self))
    problem.isUnread = error.code == .cannotRead
    return problem
  }

  package static func notText(_ path: String) -> PipelineProblem {
    PipelineProblem(file: path, location: nil, message: "the file cannot be read as UTF-8 text")
  }
}
