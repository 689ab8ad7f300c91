internal import GRDB
internal import ImportModel

/// A column's declaration in the text of its table.
///
/// SQLite can alter no declaration. What changes nothing in the rows, a type's name, NOT NULL, CHECK, DEFAULT or a foreign
/// key's rule, is written into the table's text, as its documentation describes; the caller gives the values another form.
struct ColumnText {
  private let text: [UInt8]
  private var place = 0

  /// Declares a column otherwise, in the caller's transaction.
  ///
  /// - Parameter declaration: it begins with the column's name.
  /// - Throws: `StoreError.foreignSchema` where another program has written the table so that the column is not found.
  static func replace(_ column: String, of table: String, by declaration: String, _ db: Database) throws {
    let find = try RawStatement(db, "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?")
    find.bind(table, at: 1)
    let sql = try find.step() ? find.string(0) ?? "" : ""
    find.reset()
    var text = ColumnText(text: Array(sql.utf8))
    guard let range = text.range(of: column) else {
      throw StoreError.foreignSchema("the table \(table) is not as Bolide made it")
    }
    var changed = text.text
    changed.replaceSubrange(range, with: declaration.utf8)
    try Connection.writingSchema(of: db) {
      try db.run(
        "UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?",
        .text(String(decoding: changed, as: UTF8.self)), .text(table))
    }
  }

  private init(text: [UInt8]) { self.text = text }

  /// Where a column's declaration is, its name included; nil where there is none.
  private mutating func range(of column: String) -> Range<Int>? {
    place = 0
    skip { $0 == UInt8(ascii: "(") }
    while place < text.count {
      // Behind the parenthesis or a comma.
      place += 1
      skipBlanks()
      let start = place
      let name = self.name()
      var depth = 0
      skip {
        if $0 == UInt8(ascii: "(") { depth += 1 }
        if $0 == UInt8(ascii: ")") { depth -= 1 }
        return depth < 0 || depth == 0 && $0 == UInt8(ascii: ",")
      }
      if name.caseFolded == column.caseFolded, place < text.count { return start..<place }
      if depth < 0 { return nil }
    }
    return nil
  }

  /// Goes on to a byte that is in no quotes and in no comment.
  private mutating func skip(to isEnd: (UInt8) -> Bool) {
    while place < text.count {
      if skipComment() { continue }
      if quote != nil {
        _ = name()
      } else if isEnd(text[place]) {
        return
      } else {
        place += 1
      }
    }
  }

  private mutating func skipBlanks() {
    while place < text.count, text[place] <= 0x20 || follows("--") || follows("/*") {
      if !skipComment() { place += 1 }
    }
  }

  private mutating func skipComment() -> Bool {
    guard follows("--") || follows("/*") else { return false }
    let end = follows("--") ? "\n" : "*/"
    place += 2
    while place < text.count, !follows(end) { place += 1 }
    place = min(place + end.utf8.count, text.count)
    return true
  }

  private func follows(_ part: String) -> Bool { text[place...].starts(with: part.utf8) }

  /// What ends the quotes that begin here.
  private var quote: UInt8? {
    switch text[place] {
    case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): text[place]
    case UInt8(ascii: "["): UInt8(ascii: "]")
    default: nil
    }
  }

  /// The name that stands here, in quotes or not.
  private mutating func name() -> String {
    var name: [UInt8] = []
    guard place < text.count else { return "" }
    if let quote {
      place += 1
      while place < text.count {
        let byte = text[place]
        place += 1
        if byte == quote {
          guard quote != UInt8(ascii: "]"), place < text.count, text[place] == quote else { break }
          place += 1
        }
        name.append(byte)
      }
    } else {
      while place < text.count, text[place] > 0x20, !"(),".utf8.contains(text[place]) {
        name.append(text[place])
        place += 1
      }
    }
    return String(decoding: name, as: UTF8.self)
  }
}
