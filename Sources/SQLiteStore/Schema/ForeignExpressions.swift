internal import GRDB
internal import ImportModel
internal import RowExpressions
internal import SQLiteAccess

/// Expressions of another program's that a write of a table would compute. Where a schema is not trusted they have none but
/// SQLite's harmless functions; yet one of these may take seconds a row, and no handler can end it.
enum ForeignExpressions {
  /// What has one among the tables of the model; nil where nothing has.
  static func first(_ db: Database, model: Model) throws -> String? {
    let tables = Set(model.entities.map(\.name.caseFolded))
    let objects = try RawStatement(
      db,
      "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE type IN ('table', 'index') AND sql IS NOT NULL"
    )
    while try objects.step() {
      let (name, table, sql) = (objects.string(1) ?? "", objects.string(2) ?? "", objects.string(3) ?? "")
      guard tables.contains(table.caseFolded) else { continue }
      if objects.string(0) == "index" {
        if isIn(index: sql) { return "an expression of the index \(name)" }
      } else if isIn(table: sql) {
        return "an expression in the table \(table)"
      }
    }
    return nil
  }

  /// Whether a table's text has one: in a computed column or a default. Bolide's connections ignore CHECKs.
  static func isIn(table sql: String) -> Bool {
    contains(sql) { word, next in
      next == .symbol("(") && ["as", "default"].contains { word.isWord($0) }
    }
  }

  /// Whether an index's text has one, or holds a part of the rows.
  static func isIn(index sql: String) -> Bool {
    var parentheses = 0
    return contains(sql) { token, _ in
      switch token {
      case .symbol("("): parentheses += 1
      case .symbol(","), .symbol(")"), .word, .name: break
      default: return true
      }
      return parentheses > 1 || token.isWord("where")
    }
  }

  /// Whether a statement has such a pair of words beside each other.
  private static func contains(
    _ sql: String, _ isOne: (PredicateTokens.Token, PredicateTokens.Token) -> Bool
  ) -> Bool {
    // What is no sequence of words is nothing that Bolide has made.
    guard let tokens = try? PredicateTokens(sql).tokens else { return true }
    return zip(tokens, tokens.dropFirst()).contains(where: isOne)
  }
}
