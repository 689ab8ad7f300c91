internal import JSONStream
internal import TypedRows

// Why a record's JSON is rejected.
extension RejectionReason {
  static func notAnObject(_ kind: FieldKind) -> RejectionReason {
    RejectionReason(code: "not-an-object", message: "expected an object, found \(kind.article)")
  }

  static func notARow(_ kind: FieldKind) -> RejectionReason {
    RejectionReason(code: "not-an-array", message: "expected a row, found \(kind.article)")
  }

  /// - Parameter path: where the record's children should be.
  static func notChildren(_ path: FieldPath, ofObjects: Bool, _ kind: FieldKind) -> RejectionReason {
    let expected = ofObjects ? "an array of objects" : "an array"
    return RejectionReason(
      code: "not-an-array", message: "\(path): expected \(expected), found \(kind.article)")
  }

  /// What no mended pipeline can read.
  package static let brokenLine = "broken-line"

  /// - Parameter error: what was found in the line.
  static func brokenLine(_ error: JSONError) -> RejectionReason {
    RejectionReason(code: brokenLine, message: "\(error)")
  }
}

extension FieldKind {
  /// The kind with its article, for a sentence.
  var article: String {
    switch self {
    case .absent: "nothing"
    case .null: "null"
    case .false, .true: "a boolean"
    case .integer, .decimal: "a number"
    case .string: "a text"
    case .object: "an object"
    case .array: "an array"
    }
  }
}
