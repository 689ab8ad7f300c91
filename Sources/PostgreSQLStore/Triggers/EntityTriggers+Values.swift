internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface

/// Values that the server takes and Bolide does not: no number, infinity, a decimal of more than 64 bits, and times beyond the years
/// 0000 to 9999. A statement by which one comes is refused, as a file's CHECK does it. What is there already stays: `verify` names it.
///
/// It is the triggers that look, as the server reads a CHECK from its text for each statement. An import's rows they look at where another
/// program's trigger may have changed them.
extension EntityTriggers {
  /// Columns that may hold such a value, each with the condition on one that is right.
  private var limited: [(column: String, type: AttributeType, isRight: (String) -> String)] {
    entity.storedAttributes.filter { $0.derivation == nil }.compactMap { attribute in
      attribute.type.limit.map { limit in
        (attribute.name, attribute.type, { "\($0).\(quoted(attribute.name)) \(limit)" })
      }
    }
  }

  /// Ends a statement whose one row has such a value in a column, in PL/pgSQL.
  func checkOne(_ column: String) -> String {
    limited.filter { $0.column == column }.map {
      "IF NOT (\($0.isRight("bolide_is"))) THEN \(raise(column)) END IF;\n"
    }.joined()
  }

  /// The same of a new row.
  var checkNewOne: String { limited.map { checkOne($0.column) }.joined() }

  /// The same of a statement's new rows.
  var checkNew: String { check("NOT bolide_is_one", "EXISTS (SELECT FROM bolide_new AS n WHERE \(isWrong))") }

  /// The same of a statement's changed rows: only what is another value than before.
  var checkChanged: String {
    let came = limited.map { column, type, isRight in
      "NOT (\(isRight("n"))) AND \(type.differs("o.\(quoted(column))", "n.\(quoted(column))"))"
    }
    return check(
      "true",
      """
      EXISTS (SELECT FROM bolide_new AS n WHERE \(isWrong)) AND EXISTS (
        SELECT FROM \(old) AS o JOIN \(new) AS n USING (bolide_id) WHERE \(came.joined(separator: " OR ")))
      """)
  }

  private func check(_ isDue: String, _ isWrong: String) -> String {
    if limited.isEmpty { return "" }
    let others = "bolide_has_others(\(literal(quoted(entity.name)))::regclass)"
    return "IF \(isDue) AND (\(hasNoRuns) OR \(others)) THEN IF \(isWrong) THEN \(raise(nil)) END IF; END IF;"
  }

  private var isWrong: String { limited.map { "NOT (\($0.isRight("n")))" }.joined(separator: " OR ") }

  private func raise(_ column: String?) -> String {
    let error = StoreError.valueOutOfRange(entity.name, column)
    return "RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE = \(literal(error.reason)), "
      + "HINT = \(literal(error.hint ?? ""));"
  }
}

extension Attribute {
  /// The condition on its column's value that it is one of the type, as SQL; nil where the server sees to that.
  var condition: String? { type.limit.map { "\(quoted(name)) \($0)" } }
}

extension AttributeType {
  /// What must hold of a value that the server takes for the type, behind its name. To the server, what is no number is larger than any.
  fileprivate var limit: String? {
    switch self {
    case .double, .float: "BETWEEN \(-Double.greatestFiniteMagnitude) AND \(Double.greatestFiniteMagnitude)"
    case .decimal(let scale):
      "BETWEEN \(Int64.min) * '1e-\(scale)'::numeric AND \(Int64.max) * '1e-\(scale)'::numeric"
    case .date: "BETWEEN timestamptz '0001-01-01 00:00:00Z BC' AND timestamptz '9999-12-31 23:59:59.999999Z'"
    case .day: "BETWEEN date '0001-01-01 BC' AND date '9999-12-31'"
    case .integer16, .integer32, .integer64, .string, .boolean, .uuid, .binary, .json: nil
    }
  }
}
