package import ImportModel
internal import SQLiteAccess
internal import StoreInterface

// What is said of expressions.

extension StoreError {
  static func circularExpressions(_ attributes: [String]) -> StoreError {
    StoreError(
      .expression, "the expressions of \(attributes.listed) depend on each other",
      hint: "Write one of them without the others.")
  }

  static func unreadableFilter(_ filter: String) -> StoreError {
    StoreError(.modelChange, "the filter \(filter) cannot be parsed")
  }
}

extension PipelineProblem {
  package static func expression(_ reason: String, at part: [String], of pipeline: Pipeline)
    -> PipelineProblem
  {
    PipelineProblem(
      file: pipeline.sourceMap.file ?? pipeline.name, location: pipeline.sourceMap.location(of: part),
      message: "the expression cannot be used: \(reason)")
  }
}

extension ExpressionCheck {
  static let severalExpressions = "it is more than one expression"
  static let takesLong = "it takes more than \(patience) seconds for one record"

  static func presentTime(_ function: String) -> String {
    "\(function)() depends on the current time, so another run would give another result"
  }

  static func timeOfAnyText(_ function: String) -> String {
    "\(function)() could depend on the current time: in the `where` of a derived attribute, its "
      + "arguments must be literals or attributes that are not strings"
  }

  static func machineZone(_ function: String) -> String {
    "\(function)() depends on the time zone of this machine"
  }
}

extension ExpressionScan {
  static let largeDecimal = "a decimal has more than 2^53 units, so it is not exact as a number"
  static let notUTF8 = "its text is not UTF-8"
  static let changingTime = "a date function depends on the current time, or on the time zone of this machine"

  /// Why an expression failed, in SQLite's words.
  ///
  /// What they quote is a value: `JSON path error near '…'`.
  static func reason(_ error: any Error) -> String {
    let text = (error as? StoreError).map { $0.engineText ?? $0.reason } ?? "\(error)"
    guard let first = text.firstIndex(of: "'"), let last = text.lastIndex(of: "'"), first < last else {
      return text
    }
    return text[...first] + "…" + text[last...]
  }
}

// MARK: Triggers and indexes
