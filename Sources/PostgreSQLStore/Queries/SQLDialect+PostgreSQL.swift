internal import ImportModel
internal import QueryPlans

extension SQLDialect {
  /// PostgreSQL's.
  static let postgreSQL = SQLDialect { sql, type in
    comparable(sql, type)
  } aggregate: { function, sql, type, isTotal in
    let value = computed(function, sql, type)
    // The total of a total that no number of its type is has none either.
    guard isTotal, function == .sum || function == .average else { return value }
    return "CASE WHEN bool_or(\(sql) IS NULL) THEN NULL ELSE \(value) END"
  }

  /// A column as it is compared, sorted and grouped by: JSON has neither order nor equality.
  static func comparable(_ column: String, _ type: AttributeType?) -> String {
    type == .json ? "(\(column)::text COLLATE \"C\")" : column
  }

  private static func computed(_ function: Derivation.Function, _ sql: String, _ type: AttributeType)
    -> String
  {
    switch (function, type) {
    case (.sum, _), (.average, _):
      let sum = ExactSum(sql, type).aggregate()
      return ExactSum.result(function, sum, "count(\(sql))", of: type, isQuery: true)
    case (.min, .uuid), (.max, .uuid): return "\(function.rawValue)(\(sql)::text COLLATE \"C\")::uuid"
    case (.count, _), (.min, _), (.max, _): return "\(function.rawValue)(\(sql))"
    }
  }
}
