/// Turns a date of any known form into the stored form of a day, `YYYY-MM-DD`.
///
/// The forms are those of `DateScanner`. A time is rejected unless it is midnight in UTC: cutting a time off,
/// or guessing whose midnight is meant, would give days that the feed does not say.
enum DayText {
  /// The bytes that `write` writes.
  static let length = 10

  /// Writes the stored form of a day.
  ///
  /// - Parameters:
  ///   - reading: What the pipeline declares of the dates, if anything.
  ///   - output: Room for `length` bytes. Nothing in it has a meaning after a failure.
  static func write(
    _ bytes: UnsafeBufferPointer<UInt8>, reading: DateReading? = nil,
    to output: UnsafeMutablePointer<UInt8>
  ) throws(ConversionFailure) {
    if reading == nil, bytes.count == length, let text = bytes.baseAddress, DateText.isUsualDay(text) {
      output.update(from: text, count: length)
      return
    }
    let date = try DateScanner(bytes, reading: reading)
    guard date.time.isMidnight, !date.hasRest, date.offset == 0 else { throw .timeInDay }
    date.time.writeDay(to: output)
  }
}
