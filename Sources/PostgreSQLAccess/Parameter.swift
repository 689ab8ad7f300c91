package import ImportModel

/// A value of a statement's `$1`, `$2`, …, in the server's binary form.
package struct Parameter: Sendable {
  /// The type's number in every PostgreSQL database (`pg_type.oid`).
  package enum ElementType: UInt32 {
    case boolean = 16
    case binary = 17
    case integer64 = 20
    case integer16 = 21
    case integer32 = 23
    case text = 25
    case json = 114
    case double = 701
    case day = 1082
    case date = 1184
    case decimal = 1700
    case uuid = 2950

    var array: UInt32 {
      switch self {
      case .boolean: 1000
      case .binary: 1001
      case .integer64: 1016
      case .integer16: 1005
      case .integer32: 1007
      case .text: 1009
      case .json: 199
      case .double: 1022
      case .day: 1182
      case .date: 1185
      case .decimal: 1231
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
    for value in values { array.fields.append(value) }
    return array.parameter
  }

  package static func texts(_ values: some Sequence<String?>) -> Parameter {
    var array = ArrayParameter(.text)
    for value in values {
      if let value { array.fields.append(utf8: value) } else { array.fields.appendNull() }
    }
    return array.parameter
  }
}

/// An array of one dimension while it is written.
///
///     │ 1 dimension │ has nulls │ element's type │ count │ 1 │ elements …          (PostgreSQL's `array_recv`)
package struct ArrayParameter {
  private let type: Parameter.ElementType
  /// The elements.
  package var fields: BinaryFields

  package init(_ type: Parameter.ElementType, capacity: Int = 0) {
    self.type = type
    fields = BinaryFields(head: 20, capacity: capacity)
  }

  /// The finished array.
  package var parameter: Parameter {
    Parameter(
      array: type,
      fields.with(head: [1, fields.hasNull ? 1 : 0, Int32(bitPattern: type.rawValue), fields.count, 1]))
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
