package import ImportModel

/// A value of a statement's `$1`, `$2`, …, in the server's binary form.
package struct Parameter: Sendable {
  /// The type's number in every PostgreSQL database (`pg_type.oid`).
  package enum ElementType: UInt32 {
    case boolean = 16
    case binary = 17
    case integer64 = 20
    case text = 25
    case json = 114
    case double = 701
    case day = 1082
    case date = 1184
    case uuid = 2950

    var array: UInt32 {
      switch self {
      case .boolean: 1000
      case .binary: 1001
      case .integer64: 1016
      case .text: 1009
      case .json: 199
      case .double: 1022
      case .day: 1182
      case .date: 1185
      case .uuid: 2951
      }
    }
  }

  let type: UInt32
  /// Nil for null.
  let bytes: [UInt8]?

  private init(_ type: ElementType, _ bytes: [UInt8]?) { (self.type, self.bytes) = (type.rawValue, bytes) }

  /// A null of whatever type the statement wants.
  package static let null = Parameter(unknown: ())

  private init(unknown: Void) { (type, bytes) = (0, nil) }

  fileprivate init(array type: ElementType, _ bytes: [UInt8]) {
    (self.type, self.bytes) = (type.array, bytes)
  }

  package static func integer(_ value: Int64?) -> Parameter {
    Parameter(.integer64, value.map { value in withUnsafeBytes(of: value.bigEndian) { Array($0) } })
  }

  package static func double(_ value: Double) -> Parameter {
    Parameter(.double, withUnsafeBytes(of: value.bitPattern.bigEndian) { Array($0) })
  }

  package static func text(_ value: String?) -> Parameter { Parameter(.text, value.map { Array($0.utf8) }) }

  package static func bytes(_ value: [UInt8]?) -> Parameter { Parameter(.binary, value) }

  package static func boolean(_ value: Bool) -> Parameter { Parameter(.boolean, [value ? 1 : 0]) }

  package static func integers(_ values: some Sequence<Int64>) -> Parameter {
    var array = ArrayParameter(.integer64)
    for value in values { array.append(value) }
    return array.parameter
  }

  package static func texts(_ values: some Sequence<String?>) -> Parameter {
    var array = ArrayParameter(.text)
    for value in values {
      if let value { array.append(utf8: value) } else { array.appendNull() }
    }
    return array.parameter
  }
}

/// An array of one dimension while it is written.
///
///     │ 1 dimension │ has nulls │ element's type │ count │ 1 │ length │ bytes │ length │ bytes │ …
///
/// All numbers are big-endian and of four bytes; a null has the length -1 and no bytes (PostgreSQL's `array_recv`).
package struct ArrayParameter {
  private let type: Parameter.ElementType
  private var bytes: [UInt8]
  private var count: Int32 = 0
  private var hasNull = false

  package init(_ type: Parameter.ElementType, capacity: Int = 0) {
    self.type = type
    bytes = Array(repeating: 0, count: 20)
    bytes.reserveCapacity(20 + capacity * 12)
  }

  package mutating func appendNull() {
    write(Int32(-1))
    (count, hasNull) = (count + 1, true)
  }

  package mutating func append(_ value: Int64) {
    write(Int32(8))
    write(value)
    count += 1
  }

  package mutating func append(_ value: Double) { append(Int64(bitPattern: value.bitPattern)) }

  package mutating func append(number value: Int32) {
    write(Int32(4))
    write(value)
    count += 1
  }

  package mutating func append(_ value: Bool) {
    write(Int32(1))
    bytes.append(value ? 1 : 0)
    count += 1
  }

  package mutating func append(_ value: UnsafeBufferPointer<UInt8>) {
    write(Int32(truncatingIfNeeded: value.count))
    bytes.append(contentsOf: value)
    count += 1
  }

  package mutating func append(utf8 value: String) {
    var value = value
    value.withUTF8 { append($0) }
  }

  private mutating func write(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// The finished array.
  package var parameter: Parameter {
    var bytes = bytes
    let head = [1, hasNull ? 1 : 0, Int32(bitPattern: type.rawValue), count, 1]
    bytes.withUnsafeMutableBytes { bytes in
      for (place, number) in head.enumerated() {
        bytes.storeBytes(of: number.bigEndian, toByteOffset: place * 4, as: Int32.self)
      }
    }
    return Parameter(array: type, bytes)
  }
}

extension Parameter {
  /// A value in its stored form, as the type that is nearest to it.
  package init(_ value: Value) {
    self =
      switch value {
      case .null: .null
      case .integer(let number): .integer(number)
      case .real(let number): .double(number)
      case .text(let text): .text(text)
      case .blob(let bytes): .bytes(bytes)
      }
  }
}
