internal import ImportModel

/// Turns a date of any known form into the stored form of an instant.
///
/// The forms are those of `DateScanner`, and numbers where the epoch is declared. What is smaller than the
/// stored form keeps is rejected or cut off, never rounded: an instant does not move to a later second.
enum DateText {
  /// The stored form of an attribute's instants.
  struct Form {
    let precision: DatePrecision
    /// Whether what is smaller is cut off; it is rejected otherwise.
    let cutsFractions: Bool

    /// The bytes that `write` writes.
    var length: Int { precision == .seconds ? 20 : 21 + precision.decimals }

    /// Writes an instant.
    ///
    /// - Parameter hasRest: whether the instant has more of a second than the time holds.
    func write(_ time: CivilTime, hasRest: Bool, to output: UnsafeMutablePointer<UInt8>)
      throws(ConversionFailure)
    {
      if !cutsFractions, hasRest || time.microsecond % unit != 0 { throw .fractionOfSecond }
      time.write(decimals: precision.decimals, to: output)
    }

    /// The microseconds that the last decimal counts.
    private var unit: Int {
      switch precision {
      case .seconds: 1_000_000
      case .milliseconds: 1000
      case .microseconds: 1
      }
    }
  }

  /// Writes the stored form of a date that stands as text.
  ///
  /// - Parameters:
  ///   - reading: What the pipeline declares of the dates, if anything; under an epoch, the text is a number.
  ///   - stored: The form to write.
  ///   - output: Room for `stored.length` bytes. Nothing in it has a meaning after a failure.
  @inline(__always)
  static func write(
    _ bytes: UnsafeBufferPointer<UInt8>, reading: DateReading? = nil, as stored: Form,
    to output: UnsafeMutablePointer<UInt8>
  ) throws(ConversionFailure) {
    if reading == nil, stored.precision == .seconds, copy(bytes, to: output) { return }
    try writeAnyForm(bytes, reading: reading, as: stored, to: output)
  }

  /// Writes the stored form of an instant that stands as a whole number.
  ///
  /// - Parameter unit: the microseconds of what the number counts; nil where the pipeline does not say, here and below.
  static func write(
    _ number: Int64, unit: Int64?, as stored: Form, to output: UnsafeMutablePointer<UInt8>
  ) throws(ConversionFailure) {
    guard let unit else { throw .undeclaredEpoch }
    let (count, isOverflow) = number.multipliedReportingOverflow(by: unit)
    guard !isOverflow else { throw .outOfRange }
    try stored.write(CivilTime(microseconds: count), hasRest: false, to: output)
  }

  /// Writes the stored form of an instant that stands as a real number.
  static func write(
    _ number: Double, unit: Int64?, as stored: Form, to output: UnsafeMutablePointer<UInt8>
  ) throws(ConversionFailure) {
    guard let unit else { throw .undeclaredEpoch }
    let scale = Double(unit)
    // 1.001 is meant to have one millisecond, although 1.001 * 1000 is a little less than 1001.
    let nearest = (number * scale).rounded()
    let isWhole = nearest / scale == number
    guard let count = Int64(exactly: isWhole ? nearest : (number * scale).rounded(.down)) else {
      throw .outOfRange
    }
    try stored.write(CivilTime(microseconds: count), hasRest: !isWhole, to: output)
  }

  /// Writes the stored form of an instant that stands as a number in digits, as JSON has it.
  static func write(
    number bytes: UnsafeBufferPointer<UInt8>, unit: Int64?, as stored: Form,
    to output: UnsafeMutablePointer<UInt8>
  ) throws(ConversionFailure) {
    guard let unit else { throw .undeclaredEpoch }
    let decimals = unit == 1000 ? 3 : 6
    let count: Int64
    do {
      count = try DecimalText.units(
        bytes, scale: decimals, excess: stored.cutsFractions ? .cutOff : .rejected)
    } catch .tooManyDecimals {
      throw .fractionOfSecond
    }
    try stored.write(CivilTime(microseconds: count), hasRest: false, to: output)
  }

  // MARK: Forms

  @inline(never)
  private static func writeAnyForm(
    _ bytes: UnsafeBufferPointer<UInt8>, reading: DateReading?, as stored: Form,
    to output: UnsafeMutablePointer<UInt8>
  ) throws(ConversionFailure) {
    guard let reading else {
      let date = try DateScanner(bytes, form: nil)
      return try stored.write(try date.instant(), hasRest: date.hasRest, to: output)
    }
    if let unit = reading.epochUnit { return try write(number: bytes, unit: unit, as: stored, to: output) }
    let date = try reading.scan(bytes)
    try stored.write(try reading.instant(of: date), hasRest: date.hasRest, to: output)
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
    // HH:MM:SS
    guard isUsualDay(text), text[10] == UInt8(ascii: " ") || text[10] == UInt8(ascii: "T"),
      let time = digits(text + 11, form: 0x3030_3a30_303a_3030, slack: 0x060a_0f06_0a0f_060d),
      number(time) < 24
    else { return false }
    output.update(from: text, count: 19)
    output[10] = UInt8(ascii: "T")
    output[19] = UInt8(ascii: "Z")
    return true
  }

  /// Whether ten bytes are `YYYY-MM-DD`, as of most days of the calendar.
  ///
  /// The 31st and the 29th of February go the slower way, which knows the calendar: one row in fifty.
  @inline(__always)
  static func isUsualDay(_ text: UnsafePointer<UInt8>) -> Bool {
    // YYYY-MM-
    guard let digits = digits(text, form: 0x2d30_302d_3030_3030, slack: 0x0f06_0e0f_0606_0606) else {
      return false
    }
    let (month, day) = (number(digits >> 40), twoDigits(text + 8))
    return month &- 1 < 12 && day &- 1 < 30 && (month != 2 || day < 29)
  }

  /// The digits of eight bytes of a form that has noughts in their places; 0 for the other bytes.
  ///
  /// - Parameter slack: for each byte of the form, 15 less what its digit may be at most: 6 where that is 9, 15 where
  ///   the byte is as in the form.
  /// - Returns: the first digit in the lowest byte; nil for any other text.
  @inline(__always)
  private static func digits(_ text: UnsafePointer<UInt8>, form: UInt64, slack: UInt64) -> UInt64? {
    let digits = UInt64(littleEndian: UnsafeRawPointer(text).loadUnaligned(as: UInt64.self)) ^ form
    return (digits | (digits &+ slack)) & 0xf0f0_f0f0_f0f0_f0f0 == 0 ? digits : nil
  }

  /// The number that the two lowest digits make.
  @inline(__always)
  private static func number(_ digits: UInt64) -> UInt64 { (digits & 0xf) &* 10 &+ (digits >> 8 & 0xf) }

  /// The number that two digits make; 255 where they are none.
  @inline(__always)
  private static func twoDigits(_ text: UnsafePointer<UInt8>) -> UInt8 {
    let (tens, ones) = (text[0] &- UInt8(ascii: "0"), text[1] &- UInt8(ascii: "0"))
    return tens < 10 && ones < 10 ? tens &* 10 &+ ones : 255
  }
}
