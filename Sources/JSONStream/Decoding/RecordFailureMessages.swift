extension RecordFailure: CustomStringConvertible {
  /// The record, its place and what is wrong, in one line; nothing of the record's content but names.
  public var description: String {
    "record \(record), line \(position.line), column \(position.column): \(cause)"
  }

  private var cause: String {
    switch reason {
    case .problem(let problem): problem.description
    case .decoding(let error as DecodingError): error.sentence
    case .decoding(let error): "\(error)"
    }
  }
}

extension RecordProblem: CustomStringConvertible {
  /// What was found and what is expected.
  public var description: String {
    switch self {
    case .wrongLength(let found, let expected): "found a row of \(found) cells; expected \(expected)"
    case .notAnObject(let kind): "found \(kind.noun); expected an object"
    case .notAnArray(let kind): "found \(kind.noun); expected an array"
    case .unpairedSurrogate: FieldKind.surrogateSentence
    case .brokenLine(let error): error.description
    }
  }
}

extension DecodingError {
  fileprivate var sentence: String {
    switch self {
    case .keyNotFound(_, let context): context.sentence
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      context.sentence
    @unknown default: "\(self)"
    }
  }
}

extension DecodingError.Context {
  fileprivate var sentence: String {
    let path = codingPath.map { $0.intValue.map { "\($0)" } ?? $0.stringValue }.joined(separator: "/")
    return path.isEmpty ? debugDescription : "'\(path)': \(debugDescription)"
  }
}

extension FieldKind {
  /// What it is called.
  fileprivate var noun: String {
    switch self {
    case .absent: "nothing"
    case .null: "null"
    case .false, .true: "a boolean"
    case .integer, .decimal: "a number"
    case .string: "a string"
    case .object: "an object"
    case .array: "an array"
    }
  }

  /// Why a value of this kind is not of a type.
  func isNot(_ type: Any.Type) -> String {
    switch self {
    case .string where type == String.self: Self.surrogateSentence
    case .integer where type is any Numeric.Type, .decimal where type is any Numeric.Type:
      "found a number that is no \(type); expected one that fits"
    default: "found \(noun); expected \(expected(type))"
    }
  }

  private func expected(_ type: Any.Type) -> String {
    switch type {
    case is [Any].Type: "an array"
    case is [String: Any].Type: "an object"
    default: "\(type)"
    }
  }

  static let surrogateSentence = "found half of a surrogate pair, which is no character; expected text"
  static let arrayEndSentence = "found the end of the array; expected another element"
  static func absentSentence(_ name: String) -> String { "found no '\(name)'; expected one" }
}
