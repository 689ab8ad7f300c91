/// Why a value cannot become one of its attribute's type.
///
/// A word for programs and a sentence for people. Neither holds anything of the value.
enum ConversionFailure: Error, Equatable, CaseIterable {
  /// The text is no decimal number.
  case notANumber
  /// A whole number has decimals that are not zeros.
  case fraction
  /// The number, or the year, is beyond what the type holds.
  case outOfRange
  /// A decimal has more decimals than its scale keeps, and they are not zeros.
  case tooManyDecimals
  /// The text is no date.
  case notADate
  /// The text has day and month in an order that only a declared form tells.
  case ambiguousDate
  /// The month does not have that day, or the year not that month.
  case noSuchDay
  /// The day does not have that time; a leap second has no stored form.
  case noSuchTime
  /// What follows the time is no zone that is known.
  case unknownZone
  /// A number stands for a date, and the epoch is not declared.
  case undeclaredEpoch
  /// A day comes with a time other than midnight.
  case timeInDay
  /// The text is neither true nor false.
  case notABoolean
  /// The text is no UUID.
  case notAUUID
  /// The text is not base64.
  case notBase64
  /// The value is no text, nor a number that could be taken as one.
  case notAString
  /// The value is an object or an array, where one value is expected.
  case notOneValue

  /// The word for programs.
  var code: String {
    switch self {
    case .notANumber: "not-a-number"
    case .fraction: "fraction"
    case .outOfRange: "out-of-range"
    case .tooManyDecimals: "too-many-decimals"
    case .notADate: "not-a-date"
    case .ambiguousDate: "ambiguous-date"
    case .noSuchDay: "no-such-day"
    case .noSuchTime: "no-such-time"
    case .unknownZone: "unknown-zone"
    case .undeclaredEpoch: "undeclared-epoch"
    case .timeInDay: "time-in-day"
    case .notABoolean: "not-a-boolean"
    case .notAUUID: "not-a-uuid"
    case .notBase64: "not-base64"
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
    case .tooManyDecimals: "the number has more decimals than the attribute's scale keeps"
    case .notADate: "expected a date such as 2026-05-12 03:14:07"
    case .ambiguousDate:
      "day and month could be either way round; declare `format: day-first` or `month-first`"
    case .noSuchDay: "the calendar has no such day"
    case .noSuchTime: "a day has no such time; expected 00:00:00 to 23:59:59"
    case .unknownZone: "expected no time zone, or Z, UT, UTC, GMT or an offset such as +02:00"
    case .undeclaredEpoch: "a number can be a date only with `epoch: seconds` or `epoch: milliseconds`"
    case .timeInDay: "expected a day without a time; declare the attribute a date to keep it"
    case .notABoolean: "expected true or false"
    case .notAUUID: "expected a UUID such as 6f1c2f0e-8d0b-4f43-9a55-0f2d8f6f7a01"
    case .notBase64: "expected base64"
    case .notAString: "expected a text"
    case .notOneValue: "expected one value, found an object or an array"
    }
  }
}
