internal import ImportModel
internal import PostgreSQLAccess

/// Sums that are exact whatever came and went: as `numeric`, in which every real number is itself.
///
/// Nearly every real number is from 2^-20 to below 2^42, or zero, and so a whole number of 2^-72: it is taken in two parts that are
/// whole numbers themselves, as the server is fast with these. The others are taken apart one by one.
///
///     x = high × 2^-20 + low × 2^-72,   |low| < 2^52
struct ExactSum {
  private let column: String
  private let type: AttributeType

  init(_ column: String, _ type: AttributeType) {
    (self.column, self.type) = (column, type)
  }

  private var high: String { "trunc(\(column) * 1048576)" }
  /// A number of 2^-52, below 1.
  private var rest: String { "(\(column) * 1048576 - \(high))" }
  private var low: String { "\(rest) * \(Self.ofRest)" }
  private static let ofRest = "4503599627370496"
  /// For a value that is not usual, the parts may be beyond the server's numbers.
  private var isUsual: String {
    "abs(\(column)) < \(Self.most) AND (abs(\(column)) >= \(Self.least) OR \(column) = 0)"
  }
  private static let (most, least) = ("4398046511104", "9.5367431640625e-7")

  private static func whole(_ high: String, _ low: String) -> String {
    "\(high) * 9.5367431640625e-7 + \(low) * (9.5367431640625e-7 * 2.220446049250313080847263336181640625e-16)"
  }

  /// One value.
  var value: String {
    guard type.storage == .real else { return "\(column)::numeric" }
    return "CASE WHEN \(isUsual) THEN \(Self.whole("(\(high))::bigint", "(\(low))::bigint")) "
      + "ELSE bolide_exact(\(column)) END"
  }

  /// Sets a variable to how much more one value is than another of the same type, in PL/pgSQL.
  static func difference(_ new: ExactSum, _ old: ExactSum, into variable: String) -> String {
    func set(_ value: String) -> String { "\(variable) := trim_scale(\(value));" }
    guard new.type.storage == .real else {
      return set("coalesce(\(new.column), 0)::numeric - coalesce(\(old.column), 0)::numeric")
    }
    let exact = "coalesce(bolide_exact(\(new.column)), 0) - coalesce(bolide_exact(\(old.column)), 0)"
    // What two rests differ by is below 2, and exact.
    let whole = whole(
      "((\(new.high))::bigint - (\(old.high))::bigint)", "((\(new.rest) - \(old.rest)) * \(ofRest))::bigint")
    let sizes = [new, old].map { "abs(\($0.column))" }
    let areUsual =
      "\(sizes.map { "\($0) < \(most) AND " }.joined())"
      + "least(\(sizes.map { "nullif(\($0), 0)" }.joined(separator: ", "))) >= \(least)"
    // The server looks up the functions of what it runs alone, and each part of an expression takes as long as what it does.
    return "IF \(areUsual) THEN \(set(whole)) ELSE \(set(exact)) END IF;"
  }

  /// All values of a query's rows.
  ///
  /// - Parameters:
  ///   - sign: what each value is multiplied by.
  ///   - condition: more that must hold of a row, from ` AND` on.
  func aggregate(sign: String = "", condition: String = "") -> String {
    func sum(_ value: String, _ isTaken: String = "true") -> String {
      "coalesce(sum(\(sign)\(value)) FILTER (WHERE \(isTaken)\(condition)), 0)"
    }
    guard type.storage == .real else { return sum("\(column)::numeric") }
    let whole = Self.whole(sum("(\(high))::bigint", isUsual), sum("(\(low))::bigint", isUsual))
    return "trim_scale(\(whole) + \(sum("bolide_exact(\(column))", "NOT (\(isUsual))")))"
  }

  // MARK: Results

  /// The double that is nearest to a sum; null beyond their range, which ends half a unit behind the largest one, and where a value was
  /// no number.
  static func double(_ sum: String) -> String {
    "CASE WHEN abs(\(sum)) < 1.797693134862315807937289714053034150799e308 THEN (\(sum))::double precision END"
  }

  static func bigint(_ sum: String) -> String {
    "CASE WHEN \(sum) BETWEEN -9223372036854775808 AND 9223372036854775807 THEN (\(sum))::bigint END"
  }

  /// A mean, to forty digits more than its sum has: rounding it once more changes no double but by chance of 1 in 10^20.
  static func mean(_ sum: String, _ number: String) -> String {
    "CASE WHEN \(number) > 0 THEN CASE WHEN abs(\(sum)) < 1e-280 THEN bolide_small_mean(\(sum), \(number)) "
      + "ELSE \(double("((\(sum)) * 1e40 / (\(number)) * 1e-40)")) END END"
  }

  /// A mean so small that the server's 1,000 decimal places of a quotient do not tell which double is the nearest: 1,075 do, those of
  /// half of the smallest one. Up to that half it is zero, which the server would call out of range.
  static let smallMean = """
    CREATE OR REPLACE FUNCTION bolide_small_mean(x numeric, n bigint) RETURNS double precision
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
    BEGIN
      IF abs(x) < 2.4703282292062328e-324 * n THEN RETURN 0; END IF;
      RETURN (x * 1e120 / n * 1e-120)::double precision;
    END $$
    """

  /// A sum, or a mean, of values of a type.
  ///
  /// - Parameter isQuery: whether the sum is a query or a function over rows, which must not stand there twice.
  static func result(
    _ function: Derivation.Function, _ sum: String, _ number: String, of type: AttributeType, isQuery: Bool
  ) -> String {
    if function == .average { return isQuery ? "bolide_mean(\(sum), \(number))" : mean(sum, number) }
    switch type {
    case .double, .float: return isQuery ? "bolide_double(\(sum))" : double(sum)
    case .decimal(let scale):
      let unit = "'1e-\(scale)'::numeric"
      return
        "CASE WHEN \(sum) BETWEEN -9223372036854775808 * \(unit) AND 9223372036854775807 * \(unit) THEN \(sum) END"
    default: return isQuery ? "bolide_bigint(\(sum))" : bigint(sum)
    }
  }
}

extension Aggregates.Member {
  /// A sum or a mean as the attribute has it.
  func total(_ sum: String, _ number: String, isQuery: Bool) -> String {
    ExactSum.result(aggregate.function, sum, number, of: attribute.type, isQuery: isQuery)
  }
}
