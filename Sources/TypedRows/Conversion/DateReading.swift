package import ImportModel

/// How an attribute's dates are read where its pipeline declares something of them: their form, or the zone of local times.
package final class DateReading {
  private let form: DateForm?
  private let program: [UInt8]
  private let zone: ZoneOffsets?
  /// The microseconds of what a number counts; nil where numbers count nothing.
  let epochUnit: Int64?

  /// Nil where nothing is declared that would make a difference.
  package init?(_ field: Field) {
    if field.dateForm == nil, field.zone == nil || field.zone == "UTC" { return nil }
    form = field.dateForm
    zone = field.zone == "UTC" ? nil : field.zone.map(ZoneOffsets.init)
    epochUnit =
      switch form {
      case .epochSeconds: 1_000_000
      case .epochMilliseconds: 1000
      default: nil
      }
    program = if case .pattern(let text) = form { Self.program(text) } else { [] }
  }

  private static func program(_ text: String) -> [UInt8] {
    guard let pattern = try? DatePattern(text) else { preconditionFailure("the pipeline was not checked") }
    return pattern.program
  }

  /// Whether a pattern says where each digit belongs, so that a number is read by its digits.
  var hasPattern: Bool { !program.isEmpty }

  /// Reads a whole text.
  func scan(_ bytes: UnsafeBufferPointer<UInt8>) throws(ConversionFailure) -> DateScanner {
    hasPattern ? try DateScanner(bytes, program: program) : try DateScanner(bytes, form: form)
  }

  /// The instant of a date, as a time of UTC.
  func instant(of date: DateScanner) throws(ConversionFailure) -> CivilTime {
    guard let zone, !date.hasZone else { return try date.instant() }
    return try CivilTime(microseconds: try zone.instant(of: date.time.microseconds))
  }
}

extension DateScanner {
  /// Reads a whole text as a pipeline declares, if it does.
  package init(_ bytes: UnsafeBufferPointer<UInt8>, reading: DateReading?) throws(ConversionFailure) {
    if let reading {
      self = try reading.scan(bytes)
    } else {
      try self.init(bytes, form: nil)
    }
  }

  /// The instant, as a time of UTC; a time without a zone is one.
  func instant() throws(ConversionFailure) -> CivilTime {
    offset == 0 ? time : try CivilTime(microseconds: time.microseconds - Int64(offset) * 60_000_000)
  }
}
