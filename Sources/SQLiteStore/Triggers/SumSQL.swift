/// Adding to a sum in four parts, as SQL: what `ExactSum` does.
///
/// A row of `bolide_deriving` has in `p2` to `p5` the parts of an owner's sum, the smallest first, and in `p0` and `p1`
/// what is still to be added. The statement that inserts it adds what two parts hold, which is the usual case. Where
/// something is left, a trigger adds it by passes of two-sum from the smallest part to the largest. A part is null then
/// where the parts do not hold the sum, and the first one where the sum is beyond the range of a double: the owner is to
/// be computed anew.
enum SumSQL {
  /// What is left, and the parts, the smallest first.
  static let columns = (0...5).map { "p\($0)" }

  /// A query for a sum after a value was taken and another added; what two parts do not hold is left in `p0` to `p3`.
  ///
  /// - Parameters:
  ///   - parts: the columns of the owner's sum, the largest part first.
  ///   - old: the value that is taken, as SQL; nil for none.
  ///   - new: the value that is added; nil for none.
  ///   - owner: the owner's row, as SQL behind `FROM`.
  static func adding(
    to parts: [String], taking old: String?, adding new: String?, from owner: String
  ) -> String {
    let added = [old.map { "-ifnull(\($0), 0.0)" }, new.map { "ifnull(\($0), 0.0)" }].compactMap(\.self)
    // What four parts did not hold before counts as nothing.
    let values =
      (added.count == 1 ? ["0.0"] : []) + added + ["ifnull(\(parts[3]), 0.0)", parts[2], parts[1], parts[0]]
    let first = zip(values, columns).map { "\($0) AS \($1)" }.joined(separator: ", ")
    // A value, or the difference of two, goes into the largest part, and what that loses into the next.
    let steps = added.count == 1 ? [(1, 5), (1, 4), (4, 5)] : [(0, 1), (1, 5), (1, 4), (0, 4), (4, 5)]
    return steps.reduce("SELECT \(first) FROM \(owner) LIMIT 1") { query, step in
      let (small, large) = (columns[step.0], columns[step.1])
      let sum = "(\(large) + \(small))"
      let error = "(\(large) - (\(sum) - (\(sum) - \(large)))) + (\(small) - (\(sum) - \(large))) AS \(small)"
      let list = columns.map { $0 == small ? error : $0 == large ? "\(sum) AS \(large)" : $0 }
      return "SELECT \(list.joined(separator: ", ")) FROM (\(query)) LIMIT 1"
    }
  }

  /// The statement that lets the trigger add what is left in the row that was inserted last, if anything is. What is not a
  /// number is null.
  static let addRest = """
    UPDATE bolide_deriving SET part = part WHERE rowid = last_insert_rowid() AND part IS NOT NULL
        AND (p0 = 0.0 AND p1 = 0.0 AND p2 = 0.0 AND p3 = 0.0 AND p4 IS NOT NULL) IS NOT TRUE
    """

  private static let largest = "1.7976931348623157e308"
  private static let isNormalized = "p0 = 0.0 AND p1 = 0.0 AND p5 + p4 = p5 AND p4 + p3 = p4 AND p3 + p2 = p3"
  /// Halfway between two doubles, the parts below decide.
  private static let isHalfway =
    "(p5 + 2.0 * p4) - p5 = 2.0 * p4 AND (p4 > 0.0 AND p3 > 0.0 OR p4 < 0.0 AND p3 < 0.0)"

  /// The triggers by name. A pass moves what is left by one part: usual sums take two, and four parts are normalized after
  /// four. It is a trigger of its own, as SQLite would compile each of several alike anew with every statement.
  static var triggers: [String: String] {
    let pass = "UPDATE bolide_deriving SET object = object \(row)"
    return [
      "bolide_deriving_passes": """
      CREATE TRIGGER bolide_deriving_passes AFTER UPDATE OF object ON bolide_deriving BEGIN
        \(add);
      END
      """,
      adds: """
      CREATE TRIGGER \(adds) AFTER UPDATE OF part ON bolide_deriving BEGIN
        \(pass);
      \(String(repeating: "  \(pass) AND NOT (\(isNormalized));\n", count: 3))\
        \(round);
      END
      """,
    ]
  }

  /// The trigger of earlier versions, whose other triggers left all adding to it.
  static var former: (name: String, sql: String) {
    (
      adds,
      """
      CREATE TRIGGER \(adds) AFTER INSERT ON bolide_deriving WHEN NEW.part IS NOT NULL BEGIN
        \(add);
      \(String(repeating: "  \(add) AND NOT (\(isNormalized));\n", count: 3))\
        \(round);
      END
      """
    )
  }

  private static let adds = "bolide_deriving_adds"
  private static let row = "WHERE rowid = NEW.rowid"
  private static let add =
    "UPDATE bolide_deriving SET (\(columns.joined(separator: ", "))) = (\(onePass)) \(row)"
  private static let round = """
    UPDATE bolide_deriving SET p5 = CASE WHEN abs(p5) <= \(largest) THEN p5 + CASE WHEN \(isHalfway) THEN 2.0 * p4 ELSE 0.0 END END,
        p4 = CASE WHEN \(isHalfway) THEN -p4 ELSE p4 END,
        p2 = CASE WHEN \(isNormalized) AND abs(p5 + 2.0 * p4) <= \(largest) THEN p2 END \(row)
    """

  /// One pass. The limits keep SQLite from putting one level into the next, which would double the expression at each.
  private static var onePass: String {
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
