package import ImportModel

/// What an engine's SQL says in its own way in a fetch; the predicate apart.
package struct SQLDialect: Sendable {
  /// A column as it is compared, sorted and grouped by; the type is nil for an object id.
  let column: @Sendable (_ sql: String, _ type: AttributeType?) -> String
  /// What is computed of a group's values, in the attribute's own form.
  let aggregate: @Sendable (Derivation.Function, _ sql: String, AttributeType, _ isTotal: Bool) -> String

  /// - Parameters:
  ///   - column: a column as it is compared, sorted and grouped by; the type is nil for an object id.
  ///   - aggregate: what is computed of a group's values. A total that no number of its type is makes a sum or a mean null.
  package init(
    column: @escaping @Sendable (_ sql: String, _ type: AttributeType?) -> String,
    aggregate:
      @escaping @Sendable (Derivation.Function, _ sql: String, AttributeType, _ isTotal: Bool) -> String
  ) {
    (self.column, self.aggregate) = (column, aggregate)
  }

  package static let sqlite = SQLDialect { sql, _ in
    sql
  } aggregate: { function, sql, type, isTotal in
    let isTotal = isTotal ? 1 : 0
    switch function {
    case .sum where type.storage == .real: return "\(AggregateSQL.realSum)(\(sql), \(isTotal), 0)"
    case .sum: return "\(AggregateSQL.integerSum)(\(sql), \(isTotal), 0)"
    case .average:
      let scale = if case .decimal(let scale) = type { scale } else { 0 }
      return "\(AggregateSQL.average)(\(sql), \(isTotal), \(scale))"
    case .count, .min, .max: return "\(function.rawValue)(\(sql))"
    }
  }
}
