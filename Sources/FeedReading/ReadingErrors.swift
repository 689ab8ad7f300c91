package import ImportInput
internal import JSONStream
internal import StoreInterface

extension Error {
  /// Whether what the reading of an input throws keeps that input from being read, and no other one.
  var isOfOneInput: Bool {
    switch self {
    case let error as InputError: error.code != .cancelled && error.code != .cannotSpool
    case is JSONError: true
    case let error as ImportError: error.kind == .badInput
    default: false
    }
  }
}

extension ImportError {
  /// What stopped the reading of an input.
  ///
  /// - Parameter isStored: whether the records before the error are in a store now.
  package init(reading error: any Error, input: String, isStored: Bool = true) {
    switch error {
    case let error as InputError:
      self.init(error)
      if kind != .cancelled, isStored { telling = .read }
    case let error as JSONError: self.init(error, input: input, isStored: isStored)
    case let bound as InputLimit.Passed:
      self = .passed(bound, input)
      if isStored { telling = .before }
    case let error as PathError: self.init(.store(.modelChange), code: "path", "\(input): \(error)")
    default: self.init(error)
    }
  }

  package init(_ error: InputError) {
    // One sentence, wherever the import stands when it hears that it is stopped.
    if error.code == .cancelled {
      self = .cancelled
      return
    }
    let kind: Kind =
      switch error.code {
      case .noSuchFile, .isDirectory, .permissionDenied, .empty: .noInput
      case .isTerminal: .usage
      case .cannotRead, .cannotSpool, .senderFailed: .inputOutput
      case .gzipTruncated, .gzipChecksum, .gzipLength, .gzipCorrupt, .gzipTrailingData, .zstdTruncated,
        .zstdChecksum, .zstdCorrupt, .zstdTrailingData, .zstdUnsupported, .zstdMissing, .otherCompression:
        .badInput
      case .cancelled: .cancelled
      }
    self.init(kind, code: error.code.rawValue, error.message, hint: error.hint)
  }

  private init(_ error: JSONError, input: String, isStored: Bool) {
    let place = "\(input):\(error.position.line):\(error.position.column): "
    let kind: Kind = error.code == .noInput ? .noInput : .badInput
    self.init(kind, code: error.code.rawValue, place + "\(error)", hint: error.hint)
    if isStored { telling = .before }
  }
}
