internal import GRDB
internal import ImportModel
internal import RowExpressions
internal import SQLiteAccess
internal import StoreInterface

/// A column's declaration in the text of its table.
///
/// SQLite can alter no declaration. What changes nothing in the rows, a type's name, NOT NULL, CHECK, DEFAULT or a foreign
/// key's rule, is written into the table's text, as its documentation describes; the caller gives the values another form.
enum ColumnText {
  /// Declares a column otherwise, in the caller's transaction.
  ///
  /// - Parameter declaration: it begins with the column's name.
  /// - Throws: `StoreError.foreignSchema` where another program has written the table so that the column is not found.
  static func replace(_ column: String, of table: String, by declaration: String, _ db: Database) throws {
    let find = try RawStatement(db, "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?")
    find.bind(table, at: 1)
    let sql = try find.step() ? find.string(0) ?? "" : ""
    find.reset()
    guard let tokens = try? PredicateTokens(sql), let range = range(of: column, in: tokens) else {
      throw StoreError.foreignSchema("the table \(table) is not as Bolide made it")
    }
    var text = Array(sql.utf8)
    text.replaceSubrange(range, with: declaration.utf8)
    try Connection.writingSchema(of: db) {
      try db.run(
        "UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?",
        .text(String(decoding: text, as: UTF8.self)), .text(table))
    }
  }

  /// The bytes of a column's declaration, its name included; nil where there is none.
  private static func range(of column: String, in text: PredicateTokens) -> Range<Int>? {
    var depth = 0
    // The token that a column's name may be: the one behind the table's parenthesis, or behind a comma of its list.
    var first = 0
    for (index, token) in text.tokens.enumerated() {
      switch token {
      case .symbol("("):
        depth += 1
        if depth == 1 { first = index + 1 }
        continue
      case .symbol(")"): depth -= 1
      case .symbol(","): break
      default: continue
      }
      guard depth == 0 || depth == 1 && token == .symbol(",") else { continue }
      if first < index, declares(text.tokens[first], column) {
        return text.places[first].lowerBound..<text.places[index - 1].upperBound
      }
      if depth == 0 { return nil }
      first = index + 1
    }
    return nil
  }

  /// Whether a declaration that begins so is the column's; SQLite takes a name in single quotes too.
  private static func declares(_ first: PredicateTokens.Token, _ column: String) -> Bool {
    first.name?.caseFolded == column.caseFolded || first.sql.caseFolded == literal(column).caseFolded
  }
}
