internal import ImportModel

/// Turns a date of any known form into the stored form of an instant.
///
/// The forms are those of `DateScanner`, and numbers where the epoch is declared. What is smaller than the
/// stored form keeps is cut off, never rounded: an instant does not move to a later second.
enum DateText {
  /// The bytes that `write` writes.
  static func length(milliseconds: Bool) -> Int { milliseconds ? 24 : 20 }

  /// Writes the stored form of a date that stands as text.
  ///
  /// - Parameters:
  ///   - form: What the pipeline says of the dates; under an epoch, the text is a number.
  ///   - milliseconds: Whether three decimals of a second are kept.
  ///   - output: Room for `length(milliseconds:)` bytes. Nothing in it has a meaning after a failure.
  @inline(__always)
  static func write(
    _ bytes: UnsafeBufferPointer<UInt8>, form: DateForm? = nil, milliseconds: Bool,
    to output: UnsafeMutablePointer<UInt8>
  ) throws(ConversionFailure) {
    if form == nil, !milliseconds, copy(bytes, to: output) { return }
    try writeAnyForm(bytes, form: form, milliseconds: milliseconds, to: output)
  }

  /// Writes the stored form of an instant that stands as a whole number.
  static func write(
    _ number: Int64, form: DateForm?, milliseconds: Bool, to output: UnsafeMutablePointer<UInt8>
  ) throws(ConversionFailure) {
    let scale: Int64
    switch form {
    case .epochSeconds: scale = 1000
    case .epochMilliseconds: scale = 1
    default: throw .undeclaredEpoch
    }
    let (count, isOverflow) = number.multipliedReportingOverflow(by: scale)
    guard !isOverflow else { throw .outOfRange }
    try CivilTime(milliseconds: count).write(withMilliseconds: milliseconds, to: output)
  }

  /// Writes the stored form of an instant that stands as a real number.
  static func write(
    _ number: Double, form: DateForm?, milliseconds: Bool, to output: UnsafeMutablePointer<UInt8>
  ) throws(ConversionFailure) {
    let count: Double
    switch form {
    case .epochSeconds:
      // 1.001 is meant to have one millisecond, although 1.001 * 1000 is a little less than 1001.
      let nearest = (number * 1000).rounded()
      count = nearest / 1000 == number ? nearest : (number * 1000).rounded(.down)
    case .epochMilliseconds: count = number.rounded(.down)
    default: throw .undeclaredEpoch
    }
    guard let count = Int64(exactly: count) else { throw .outOfRange }
    try CivilTime(milliseconds: count).write(withMilliseconds: milliseconds, to: output)
  }

  /// Writes the stored form of an instant that stands as a number in digits, as JSON has it.
  static func write(
    number bytes: UnsafeBufferPointer<UInt8>, form: DateForm?, milliseconds: Bool,
    to output: UnsafeMutablePointer<UInt8>
  ) throws(ConversionFailure) {
    let count: Int64
    switch form {
    case .epochSeconds: count = try DecimalText.units(bytes, scale: 3, excess: .cutOff)
    case .epochMilliseconds: count = try DecimalText.units(bytes, scale: 0, excess: .cutOff)
    default: throw .undeclaredEpoch
    }
    try CivilTime(milliseconds: count).write(withMilliseconds: milliseconds, to: output)
  }

  // MARK: Forms

  @inline(never)
  private static func writeAnyForm(
    _ bytes: UnsafeBufferPointer<UInt8>, form: DateForm?, milliseconds: Bool,
    to output: UnsafeMutablePointer<UInt8>
  ) throws(ConversionFailure) {
    switch form {
    case .epochSeconds, .epochMilliseconds:
      try write(number: bytes, form: form, milliseconds: milliseconds, to: output)
    case .dayFirst, .monthFirst, nil:
      let date = try DateScanner(bytes, form: form)
      var time = date.time
      if date.offset != 0 {
        time = try CivilTime(milliseconds: time.milliseconds - Int64(date.offset) * 60_000)
      }
      time.write(withMilliseconds: milliseconds, to: output)
    }
  }

  /// Copies `YYYY-MM-DD HH:MM:SS`, the form of most feeds, or the stored form itself, when its day and time
  /// exist.
  ///
  /// - Returns: whether it was. The slower way then says what is wrong.
  @inline(__always)
  private static func copy(_ bytes: UnsafeBufferPointer<UInt8>, to output: UnsafeMutablePointer<UInt8>)
    -> Bool
  {
    guard bytes.count == 19 || (bytes.count == 20 && bytes[19] == UInt8(ascii: "Z")),
      let text = bytes.baseAddress
    else { return false }
    // Days 29 to 31 go the slower way, which knows the calendar: one row in thirteen.
    guard twoDigits(text) < 100, twoDigits(text + 2) < 100, twoDigits(text + 5) &- 1 < 12,
      twoDigits(text + 8) &- 1 < 28, twoDigits(text + 11) < 24,
      twoDigits(text + 14) < 60, twoDigits(text + 17) < 60, text[4] == UInt8(ascii: "-"),
      text[7] == UInt8(ascii: "-"), text[10] == UInt8(ascii: " ") || text[10] == UInt8(ascii: "T"),
      text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":")
    else { return false }
    output.update(from: text, count: 19)
    output[10] = UInt8(ascii: "T")
    output[19] = UInt8(ascii: "Z")
    return true
  }

  /// The number that two digits make; 255 where they are none.
  @inline(__always)
  private static func twoDigits(_ text: UnsafePointer<UInt8>) -> UInt8 {
    let (tens, ones) = (text[0] &- UInt8(ascii: "0"), text[1] &- UInt8(ascii: "0"))
    return tens < 10 && ones < 10 ? tens &* 10 &+ ones : 255
  }
}
