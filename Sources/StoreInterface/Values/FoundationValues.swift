public import Foundation
public import ImportModel
internal import TypedRows

extension Value {
  /// An instant in the form of a date attribute; what is smaller than the precision is cut off.
  ///
  /// Dates are compared as text: the precision must be the attribute's. An instant beyond the years 0 to 9999 is their
  /// first or last one.
  public init(_ date: Date, precision: DatePrecision) {
    guard let time = CivilTime(date, decimals: precision.decimals) else {
      self = .null
      return
    }
    self = .text(ofLength: precision == .seconds ? 20 : 21 + precision.decimals) {
      time.write(decimals: precision.decimals, to: $0)
    }
  }

  /// The day of an instant in UTC, in the form of a day attribute.
  public init(day date: Date) {
    guard let time = CivilTime(date, decimals: 0) else {
      self = .null
      return
    }
    self = .text(ofLength: 10) { time.writeDay(to: $0) }
  }

  private static func text(ofLength length: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Void) -> Value {
    .text(
      String(unsafeUninitializedCapacity: length) { buffer in
        guard let start = buffer.baseAddress else { return 0 }
        write(start)
        return length
      })
  }
}

extension CivilTime {
  /// The time of an instant, cut off behind so many decimals of a second; nil for one that is no number.
  fileprivate init?(_ date: Date, decimals: Int) {
    let scale = decimals == 6 ? 1e6 : decimals == 3 ? 1e3 : 1
    let unit = Int64(1e6 / scale)
    let number = date.timeIntervalSince1970 * scale
    guard !number.isNaN else { return nil }
    // An instant that was read is the one nearest to its text, and may be a little less than it.
    let nearest = number.rounded()
    let isWhole = Date(timeIntervalSince1970: nearest / scale) == date
    let count = isWhole ? nearest : number.rounded(.down)
    let first = Self.range.lowerBound / unit
    let last = Self.range.upperBound / unit
    let kept = count <= Double(first) ? first : count >= Double(last) ? last : Int64(count)
    try? self.init(microseconds: kept * unit)
  }
}

extension Date: ValueConvertible {
  /// Reads the stored form of an instant, or of a day as its first instant in UTC.
  public init?(stored value: Value, as type: AttributeType?) {
    guard case .text(var text) = value, let time = text.withUTF8({ CivilTime(stored: $0) }) else {
      return nil
    }
    let (milliseconds, rest) = time.microseconds.quotientAndRemainder(dividingBy: 1000)
    // A whole number of milliseconds is exact in every year.
    let seconds = rest == 0 ? Double(milliseconds) / 1e3 : Double(time.microseconds) / 1e6
    self.init(timeIntervalSince1970: seconds)
  }

  /// The instant in the form of an attribute that keeps whole seconds; see `Value.init(_:precision:)` for others.
  public var storedValue: Value { Value(self, precision: .seconds) }

  /// The instant, cut off behind what the attribute keeps of a second, or its day in UTC.
  public func value(for type: AttributeType) -> Value {
    switch type {
    case .date(let precision): Value(self, precision: precision)
    case .day: Value(day: self)
    default: storedValue
    }
  }
}

extension UUID: ValueConvertible {
  /// Reads the text of a UUID.
  public init?(stored value: Value, as type: AttributeType?) {
    guard case .text(let text) = value else { return nil }
    self.init(uuidString: text)
  }

  /// The lower-case text.
  public var storedValue: Value { .text(uuidString.lowercased()) }
}

extension Data: ValueConvertible {
  /// Reads bytes.
  public init?(stored value: Value, as type: AttributeType?) {
    guard case .blob(let bytes) = value else { return nil }
    self.init(bytes)
  }

  /// The bytes.
  public var storedValue: Value { .blob(Array(self)) }
}

extension Decimal: ValueConvertible {
  /// Reads a decimal exactly, with the places of its attribute, or a whole number.
  public init?(stored value: Value, as type: AttributeType?) {
    guard case .integer(let units) = value else { return nil }
    self.init(
      sign: units < 0 ? .minus : .plus, exponent: -type.scale, significand: Decimal(units.magnitude))
  }

  /// A whole number, or the real one nearest to it: predicates compare decimals as numbers.
  public var storedValue: Value {
    let text = description
    return Int64(text).map(Value.integer) ?? (Double(text) ?? .nan).storedValue
  }

  /// The number as text, exactly.
  public func value(for type: AttributeType) -> Value { .text(description) }
}
