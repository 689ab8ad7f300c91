/// Why a value cannot become one of its attribute's type.
///
/// A word for programs and a sentence for people. Neither holds anything of the value.
public enum ConversionFailure: Error, Equatable, CaseIterable {
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
  /// The weekday that stands beside the day is another than the day's.
  case wrongWeekday
  /// The text does not have the form that the pipeline declares.
  case notInFormat
  /// The clocks of the zone never showed that time, as they were put forward over it.
  case skippedTime
  /// The clocks of the zone showed that time twice, as they were put back.
  case repeatedTime
  /// What follows the time is no zone that is known.
  case unknownZone
  /// The instant has more of a second than its precision keeps, and it is not zeros.
  case fractionOfSecond
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
  /// An expression's text is no JSON.
  case notJSON
  /// The value is no text, nor a number that could be taken as one.
  case notAString
  /// The value is an object or an array, where one value is expected.
  case notOneValue
}
