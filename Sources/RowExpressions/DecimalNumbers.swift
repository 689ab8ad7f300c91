package import GRDB
internal import GRDBSQLite
package import ImportModel
internal import SQLiteAccess
package import StoreInterface

/// Decimals in expressions. A column holds whole units of 10^-scale; an expression sees their number: 12.5, not 1250.
///
/// The quotient of two doubles that are whole is rounded once: up to 2^53 units it is the double nearest to the decimal.
package enum DecimalNumbers {
  private static let divideName = "bolide_decimal"
  private static let multiplyName = "bolide_units"

  /// A column's number, as any program can compute it.
  package static func number(_ column: String, scale: Int) -> String {
    scale == 0 ? column : "(\(column) / 1e\(scale))"
  }

  /// A number as units, whole where the scale can hold it: what a column with an index can be compared with.
  ///
  /// Bolide's own connections alone know the function.
  package static func units(_ value: String, scale: Int) -> String { "\(multiplyName)(\(value), \(scale))" }

  /// An expression with each name of a decimal written as its number.
  ///
  /// - Parameters:
  ///   - entity: whose attributes the expression names.
  ///   - isGuarded: whether units past 2^53 are refused; by a function that Bolide's own connections alone know.
  package static func numbers(
    in expression: String, of entity: Entity, isGuarded: Bool = false
  ) throws(StoreError) -> String {
    var scales: [String: Int] = [:]
    for attribute in entity.attributes {
      if case .decimal(let scale) = attribute.type, scale > 0 { scales[attribute.name.caseFolded] = scale }
    }
    if scales.isEmpty { return expression }
    let tokens = try PredicateTokens(expression).tokens
    let written = tokens.indices.map { index -> String in
      let token = tokens[index]
      let isCalled = index + 1 < tokens.count && tokens[index + 1] == .symbol("(")
      guard let name = token.name, !isCalled, let scale = scales[name.caseFolded] else { return token.sql }
      return isGuarded ? "\(divideName)(\(quoted(name)), \(scale))" : number(quoted(name), scale: scale)
    }
    return written.joined(separator: " ")
  }

  /// Makes a connection know the functions.
  package static func add(to db: Database) throws {
    try db.add(function: divideName, arguments: 2) { context, _, arguments in
      guard let value = arguments?[0], sqlite3_value_type(value) != SQLITE_NULL else {
        return sqlite3_result_null(context)
      }
      let units = sqlite3_value_int64(value)
      guard units.magnitude <= DecimalNumbers.mostUnits else {
        return sqlite3_result_error(context, ExpressionScan.largeDecimal, -1)
      }
      sqlite3_result_double(
        context, Double(units) / DecimalNumbers.powerOfTen(sqlite3_value_int(arguments?[1])))
    }
    try db.add(function: multiplyName, arguments: 2) { context, _, arguments in
      guard let value = arguments?[0] else { return sqlite3_result_null(context) }
      let scale = sqlite3_value_int(arguments?[1])
      let units: Value? =
        switch sqlite3_value_numeric_type(value) {
        case SQLITE_INTEGER: DecimalNumbers.units(sqlite3_value_int64(value), scale: scale)
        case SQLITE_FLOAT: DecimalNumbers.units(sqlite3_value_double(value), scale: scale)
        default: nil
        }
      switch units {
      case .integer(let units): sqlite3_result_int64(context, units)
      case .real(let units): sqlite3_result_double(context, units)
      default: sqlite3_result_value(context, value)
      }
    }
  }

  /// A number as units of `10^-scale`: whole where they can be.
  package static func units(_ number: Int64, scale: Int32) -> Value {
    let (units, isOverflow) = number.multipliedReportingOverflow(by: Int64(powerOfTen(scale)))
    return isOverflow ? .real(Double(number) * powerOfTen(scale)) : .integer(units)
  }

  /// As of a whole number; nil where the number is not finite.
  package static func units(_ number: Double, scale: Int32) -> Value? {
    // 1.1 is 110 hundredths, and not 110.00000000000001: by its shortest form, with the point moved.
    guard number.isFinite, let units = number.movingPoint(by: Int(scale)) else { return nil }
    return Int64(exactly: units).map(Value.integer) ?? .real(units)
  }

  /// More are not exact as a double.
  static let mostUnits: UInt64 = 1 << 53

  static func powerOfTen(_ exponent: Int32) -> Double {
    (0..<exponent).reduce(1) { power, _ in power * 10 }
  }
}

extension Double {
  /// The number whose shortest decimal form is this one's with so many places between the point and where it was.
  fileprivate func movingPoint(by places: Int) -> Double? {
    let parts = description.split(separator: "e", maxSplits: 1)
    let exponent = parts.count == 2 ? Int(parts[1]) ?? 0 : 0
    return Double("\(parts[0])e\(exponent + places)")
  }
}
