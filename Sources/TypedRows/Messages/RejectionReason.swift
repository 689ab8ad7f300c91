internal import ImportModel

/// Why a record is rejected: a word for programs, a sentence for people. It holds nothing of the record.
public struct RejectionReason: Sendable {
  /// The word.
  package var code: String
  /// The sentence.
  package var message: String

  package init(code: String, message: String) {
    self.code = code
    self.message = message
  }
}

extension RejectionReason {
  // MARK: The record

  package static func wrongLength(_ found: Int, _ expected: Int) -> RejectionReason {
    RejectionReason(
      code: "wrong-length", message: "the row has \(found) values, and there are \(expected) names")
  }

  package static let unpairedSurrogate = RejectionReason(
    code: "unpaired-surrogate", message: "a text contains an unpaired surrogate")

  // MARK: A value

  package static func missingKey(_ name: String) -> RejectionReason {
    RejectionReason(code: "null-key", message: "\(name) is part of the key and is missing")
  }

  static func nullKey(_ name: String) -> RejectionReason {
    RejectionReason(code: "null-key", message: "\(name) is part of the key and is null")
  }

  static func null(_ name: String) -> RejectionReason {
    RejectionReason(code: "null", message: "\(name) is required and is null")
  }

  static func conversion(_ attribute: Attribute, _ failure: ConversionFailure) -> RejectionReason {
    let sentence =
      switch (failure, attribute.type) {
      case (.notANumber, .integer16), (.notANumber, .integer32), (.notANumber, .integer64):
        "expected a whole number such as 12"
      default: failure.message
      }
    return RejectionReason(code: failure.code, message: "\(attribute.name): \(sentence)")
  }

  /// - Parameter allowed: the values that the pipeline allows.
  static func notOneOf(_ name: String, _ allowed: String) -> RejectionReason {
    RejectionReason(code: "not-one-of", message: "\(name) is not one of \(allowed)")
  }

  static func tooSmall(_ name: String) -> RejectionReason {
    RejectionReason(code: "out-of-range", message: "\(name) is less than its minimum")
  }

  static func tooLarge(_ name: String) -> RejectionReason {
    RejectionReason(code: "out-of-range", message: "\(name) is greater than its maximum")
  }

  static func tooLong(_ name: String, _ limit: Int) -> RejectionReason {
    RejectionReason(code: "too-long", message: "\(name) is longer than its maximum length of \(limit)")
  }

  static func unlikePattern(_ name: String) -> RejectionReason {
    RejectionReason(code: "pattern", message: "\(name) does not match its pattern")
  }

  static func tooLongForPattern(_ name: String) -> RejectionReason {
    RejectionReason(
      code: "too-long-for-pattern", message: "\(name) is too long to be compared with its pattern")
  }

  // MARK: The store

  static func nulCharacter(_ name: String, _ store: String) -> RejectionReason {
    RejectionReason(code: "nul-character", message: "\(name) contains U+0000, which \(store) does not store")
  }

  static func tooLongForIndex(_ names: [String], _ limit: Int, _ store: String) -> RejectionReason {
    RejectionReason(
      code: "too-long-for-index",
      message: names.count == 1
        ? "\(names.listed) is longer than the \(limit) bytes that an index of \(store) takes"
        : "\(names.listed) are together longer than the \(limit) bytes that an index of \(store) takes")
  }

  package static func missing(_ name: String) -> RejectionReason {
    RejectionReason(code: "missing", message: "\(name) is required, and a new row has no value for it")
  }

  package static func repeatedKey(_ key: [String]) -> RejectionReason {
    RejectionReason(code: "repeated-key", message: "a record before this one has the same \(key.listed)")
  }

  package static func taken(_ relationship: String, _ owner: String, by entity: String) -> RejectionReason {
    RejectionReason(
      code: "not-unique",
      message: "\(relationship) is one-to-one, and another \(entity) is linked to this \(owner)")
  }

  package static func notUnique(_ names: [String], of entity: String) -> RejectionReason {
    RejectionReason(
      code: "not-unique",
      message: names.count == 1
        ? "\(names.listed) is unique, and another \(entity) has this value"
        : "\(names.listed) are unique together, and another \(entity) has these values")
  }

  // MARK: Expressions

  package static func expressionFailed(_ reason: String) -> RejectionReason {
    RejectionReason(code: "expression-failed", message: "an expression failed: \(reason)")
  }

  package static let resultsTooLarge = RejectionReason(
    code: "expression-failed",
    message: "an expression failed: the results for this record and those beside it are larger than 256 MiB")

  /// - Parameter check: the expression, as the pipeline has it.
  package static func checkFailed(_ check: String) -> RejectionReason {
    RejectionReason(code: "check-failed", message: "the check does not hold: \(check)")
  }
}

extension ConversionFailure {
  /// The word for programs.
  package var code: String {
    switch self {
    case .notANumber: "not-a-number"
    case .fraction: "fraction"
    case .outOfRange: "out-of-range"
    case .tooManyDecimals: "too-many-decimals"
    case .notADate: "not-a-date"
    case .ambiguousDate: "ambiguous-date"
    case .noSuchDay: "no-such-day"
    case .noSuchTime: "no-such-time"
    case .wrongWeekday: "wrong-weekday"
    case .notInFormat: "not-in-format"
    case .skippedTime: "skipped-time"
    case .repeatedTime: "repeated-time"
    case .unknownZone: "unknown-zone"
    case .fractionOfSecond: "fraction-of-second"
    case .undeclaredEpoch: "undeclared-epoch"
    case .timeInDay: "time-in-day"
    case .notABoolean: "not-a-boolean"
    case .notAUUID: "not-a-uuid"
    case .notBase64: "not-base64"
    case .notJSON: "not-json"
    case .notAString: "not-a-string"
    case .notOneValue: "not-one-value"
    }
  }

  /// The sentence for people.
  var message: String {
    switch self {
    case .notANumber: "expected a number such as 12.8"
    case .fraction: "expected a whole number; this one has decimals"
    case .outOfRange: "the value is out of the range of its type"
    case .tooManyDecimals: "the number has more decimals than the attribute's scale"
    case .notADate: "expected a date such as 2026-05-12 03:14:07"
    case .ambiguousDate:
      "the order of day and month is ambiguous; declare `format: day-first` or `month-first`"
    case .noSuchDay: "the calendar has no such day"
    case .noSuchTime: "the time is out of range; expected 00:00:00 to 23:59:59"
    case .wrongWeekday: "the day falls on another weekday than the one beside it"
    case .notInFormat: "the date does not have the form declared by `format`"
    case .skippedTime:
      "the declared zone has no such time: its clocks were put forward over it"
    case .repeatedTime:
      "the declared zone had this time twice, as its clocks were put back; only an offset such as +02:00 tells "
        + "which is meant"
    case .unknownZone: "expected no time zone, or Z, UT, UTC, GMT or an offset such as +02:00"
    case .fractionOfSecond:
      "the date has a fraction of a second; declare `precision: ms` or `us` to keep it, or `seconds` "
        + "to cut it off"
    case .undeclaredEpoch: "the value is a number; declare `epoch: seconds` or `epoch: milliseconds`"
    case .timeInDay: "expected a day without a time; declare the attribute a date to keep it"
    case .notABoolean: "expected true or false"
    case .notAUUID: "expected a UUID such as 6f1c2f0e-8d0b-4f43-9a55-0f2d8f6f7a01"
    case .notBase64: "expected base64"
    case .notJSON: "expected JSON; use `json_quote(…)` for a text"
    case .notAString: "expected a text"
    case .notOneValue: "expected one value, found an object or an array"
    }
  }
}
