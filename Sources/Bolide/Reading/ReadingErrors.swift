internal import ImportInput
internal import JSONStream

extension ImportError {
  /// What stopped the reading of an input.
  ///
  /// - Parameter isStored: whether the records before the error are in a store now.
  init(reading error: any Error, input: String, isStored: Bool = true) {
    switch error {
    case let error as InputError: self.init(error)
    case let error as JSONError: self.init(error, input: input, isStored: isStored)
    case let error as PathError: self.init(.store(.modelChange), code: "path", "\(input): \(error)")
    default: self.init(error)
    }
  }

  init(_ error: InputError) {
    let kind: Kind =
      switch error.code {
      case .noSuchFile, .isDirectory, .permissionDenied, .empty: .noInput
      case .isTerminal: .usage
      case .cannotRead, .cannotSpool, .senderFailed: .inputOutput
      case .gzipTruncated, .gzipChecksum, .gzipLength, .gzipCorrupt, .gzipTrailingData, .otherCompression:
        .badInput
      case .cancelled: .cancelled
      }
    self.init(kind, code: error.code.rawValue, error.message, hint: error.hint)
  }

  private init(_ error: JSONError, input: String, isStored: Bool) {
    let place = "\(input):\(error.position.line):\(error.position.column): "
    let kind: Kind = error.code == .noInput ? .noInput : .badInput
    let before = isStored ? error.before : ""
    self.init(kind, code: error.code.rawValue, place + "\(error)" + before, hint: error.hint)
  }
}

extension JSONError {
  /// What is safe already.
  fileprivate var before: String {
    switch recordsBefore {
    case 0: ""
    case 1: ". The record before it is in the store"
    default: ". The \(recordsBefore) records before it are in the store"
    }
  }

  /// What to do next.
  fileprivate var hint: String? {
    switch code {
    case .inputEnds, .noInput: "Fetch the input again and run the same command: nothing is doubled."
    case .markup: "This is a page for people, perhaps an error page: look at the address the input came from."
    case .utf16, .utf32: "Convert it on the way in: iconv -f \(code == .utf16 ? "UTF-16" : "UTF-32") -t UTF-8"
    case .ambiguousRecords: "Say in the pipeline which of them holds the records: `records: PATH`."
    case .noNames: "Name the columns in the pipeline: `columns: [date, energy, …]`."
    case .noRecordsThere: "Check `records:` in the pipeline."
    case .depthLimit, .recordLimit, .stringLimit, .numberLimit: nil
    default: "Mend the input, or fetch it again, and run the same command: nothing is doubled."
    }
  }
}

extension Envelope {
  /// Which keys there are instead of rows: names only, never values.
  var keysSentence: String {
    keys.isEmpty
      ? "the input is an object without keys"
      : "the input is an object with \(keys.count == 1 ? "the key" : "the keys") "
        + keys.prefix(8).map { "'\($0)'" }.joined(separator: ", ") + (keys.count > 8 ? ", …" : "")
  }
}
