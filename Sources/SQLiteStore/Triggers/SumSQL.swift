/// Adding to a sum in four parts, as SQL: what `ExactSum` does.
///
/// A row of `bolide_deriving` has in `p2` to `p5` the parts of an owner's sum, the smallest first, and in `p0` and `p1`
/// what comes to it. Where it is inserted, a trigger adds them up by passes of two-sum from the smallest to the largest.
/// A part is null then where the parts do not hold the sum, and the first one where the sum is beyond the range of a
/// double: the owner is to be computed anew.
enum SumSQL {
  /// The parts, the smallest first.
  static let columns = (0...5).map { "p\($0)" }

  private static let largest = "1.7976931348623157e308"
  private static let isNormalized = "p0 = 0.0 AND p1 = 0.0 AND p5 + p4 = p5 AND p4 + p3 = p4 AND p3 + p2 = p3"
  /// Halfway between two doubles, the parts below decide.
  private static let isHalfway =
    "(p5 + 2.0 * p4) - p5 = 2.0 * p4 AND (p4 > 0.0 AND p3 > 0.0 OR p4 < 0.0 AND p3 < 0.0)"

  static var trigger: String {
    let row = "WHERE rowid = NEW.rowid"
    let add = "UPDATE bolide_deriving SET (\(columns.joined(separator: ", "))) = (\(pass)) \(row)"
    // A pass moves what is left by one part: usual sums take two, and four parts are normalized after four.
    return """
      CREATE TRIGGER bolide_deriving_adds AFTER INSERT ON bolide_deriving WHEN NEW.part IS NOT NULL BEGIN
        \(add);
      \(String(repeating: "  \(add) AND NOT (\(isNormalized));\n", count: 3))\
        UPDATE bolide_deriving SET p5 = CASE WHEN abs(p5) <= \(largest) THEN p5 + CASE WHEN \(isHalfway) THEN 2.0 * p4 ELSE 0.0 END END,
          p4 = CASE WHEN \(isHalfway) THEN -p4 ELSE p4 END,
          p2 = CASE WHEN \(isNormalized) AND abs(p5 + 2.0 * p4) <= \(largest) THEN p2 END \(row);
      END
      """
  }

  /// One pass. The limits keep SQLite from putting one level into the next, which would double the expression at each.
  private static var pass: String {
    var sql = "SELECT \(columns.joined(separator: ", ")) LIMIT 1"
    for (index, part) in columns.enumerated().dropFirst() {
      let (below, carried) = (columns[index - 1], index == 1 ? columns[0] : "s")
      let values = columns + (index == 1 ? [] : ["s"]) + ["\(part) + \(carried) AS t"]
      sql = "SELECT \(values.joined(separator: ", ")) FROM (\(sql)) LIMIT 1"
      let error = "(\(part) - (t - (t - \(part)))) + (\(carried) - (t - \(part))) AS \(below)"
      let isLast = index == columns.count - 1
      let kept = columns.map { $0 == below ? error : $0 }.dropLast(isLast ? 1 : 0)
      sql = "SELECT \((kept + [isLast ? "t" : "t AS s"]).joined(separator: ", ")) FROM (\(sql)) LIMIT 1"
    }
    return sql
  }
}
