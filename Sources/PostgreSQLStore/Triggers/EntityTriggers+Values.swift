internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface

/// Values that the server takes and Bolide does not: no number, infinity, a decimal of more than 64 bits, and times beyond the years
/// 0000 to 9999. A statement by which one comes is refused, as a file's CHECK does it. What is there already stays: `verify` names it.
///
/// So are texts whose other spelling an index would not take: that is computed by a later command, which they would end.
///
/// It is the triggers that look, as the server reads a CHECK from its text for each statement. An import's rows they look at where another
/// program's trigger may have changed them.
extension EntityTriggers {
  /// Values of a column that are refused.
  private struct Limit {
    let column: String
    let type: AttributeType
    /// The condition on a row, under its name.
    let isRight: (_ row: String) -> String
    /// What is said of another value, of this column or one of several.
    let error: (_ column: String?) -> StoreError
  }

  private var limited: [Limit] { outOfRange + tooLong }

  private var outOfRange: [Limit] {
    entity.storedAttributes.filter { $0.derivation == nil }.compactMap { attribute in
      attribute.type.limit.map { limit in
        Limit(column: attribute.name, type: attribute.type) {
          limit("\($0).\(quoted(attribute.name))")
        } error: { [entity] in
          .valueOutOfRange(entity.name, $0)
        }
      }
    }
  }

  /// For each index with another spelling in it, all that it has of the row.
  private var tooLong: [Limit] {
    let most = EntityTable.indexedBytes
    return model.indexedAttributes(of: entity).flatMap { attributes -> [Limit] in
      let texts = attributes.filter { [.string, .json, .binary].contains($0.type) }
      guard texts.contains(where: { !$0.foldings.isEmpty }) else { return [] }
      return texts.map { attribute in
        Limit(column: attribute.name, type: attribute.type) { row in
          let sizes = texts.map { text in
            let column = "\(row).\(quoted(text.name))\(text.type == .json ? "::text" : "")"
            return texts.count == 1 ? "octet_length(\(column))" : "coalesce(octet_length(\(column)), 0)"
          }
          return "\(sizes.joined(separator: " + ")) <= \(most)"
        } error: { [entity] in
          let names = entity.storedAttributes.map(\.name).filter(texts.map(\.name).contains)
          return .textTooLong(entity.name, $0 == nil ? [] : names, most: most)
        }
      }
    }
  }

  /// Ends a statement whose one row has such a value in a column, in PL/pgSQL.
  func checkOne(_ column: String) -> String { checkOne(limited.filter { $0.column == column }) }

  /// The same of a new row.
  var checkNewOne: String { checkOne(limited) }

  /// What an index has of several columns together is said of each, and asked once.
  private func checkOne(_ limits: [Limit]) -> String {
    Set(
      limits.map { "IF NOT (\($0.isRight("bolide_is"))) THEN \(raise($0.error($0.column))) END IF;\n" }
    ).sorted().joined()
  }

  /// The same of a statement's new rows.
  var checkNew: String {
    check("NOT bolide_is_one") { "EXISTS (SELECT FROM bolide_new AS n WHERE \(Self.areWrong($0)))" }
  }

  /// The same of a statement's changed rows: only what is another value than before.
  var checkChanged: String {
    check("true") { limits in
      let came = limits.map {
        "NOT (\($0.isRight("n"))) AND \($0.type.differs("o.\(quoted($0.column))", "n.\(quoted($0.column))"))"
      }
      return """
        EXISTS (SELECT FROM bolide_new AS n WHERE \(Self.areWrong(limits))) AND EXISTS (
          SELECT FROM \(old) AS o JOIN \(new) AS n USING (bolide_id) WHERE \(came.joined(separator: " OR ")))
        """
    }
  }

  private func check(_ isDue: String, _ isWrong: ([Limit]) -> String) -> String {
    if limited.isEmpty { return "" }
    let others = "bolide_has_others(\(literal(quoted(entity.name)))::regclass)"
    let checks = [outOfRange, tooLong].filter { !$0.isEmpty }.map {
      "IF \(isWrong($0)) THEN \(raise($0[0].error(nil))) END IF;"
    }
    return "IF \(isDue) AND (\(hasNoRuns) OR \(others)) THEN \(checks.joined(separator: "\n")) END IF;"
  }

  private static func areWrong(_ limits: [Limit]) -> String {
    Set(limits.map { "NOT (\($0.isRight("n")))" }).sorted().joined(separator: " OR ")
  }

  private func raise(_ error: StoreError) -> String {
    "RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE = \(literal(error.reason)), "
      + "HINT = \(literal(error.hint ?? ""));"
  }
}

extension Attribute {
  /// The condition on its column's value that it is one of the type, as SQL; nil where the server sees to that.
  var condition: String? { type.limit.map { $0(quoted(name)) } }
}

extension AttributeType {
  /// What must hold of a value that the server takes for the type. To the server, what is no number is larger than any.
  fileprivate var limit: ((_ column: String) -> String)? {
    func between(_ least: String, _ most: String) -> (String) -> String {
      { "\($0) BETWEEN \(least) AND \(most)" }
    }
    return switch self {
    case .double, .float: { "abs(\($0)) <= \(Double.greatestFiniteMagnitude)" }
    case .decimal(let scale):
      between("\(Int64.min) * '1e-\(scale)'::numeric", "\(Int64.max) * '1e-\(scale)'::numeric")
    case .date:
      between("timestamptz '0001-01-01 00:00:00Z BC'", "timestamptz '9999-12-31 23:59:59.999999Z'")
    case .day: between("date '0001-01-01 BC'", "date '9999-12-31'")
    case .integer16, .integer32, .integer64, .string, .boolean, .uuid, .binary, .json: nil
    }
  }
}
