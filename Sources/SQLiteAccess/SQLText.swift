internal import ImportModel

// Text that stands inside a statement. Values are bound wherever SQLite takes a parameter; what is left are names, the
// statements of schemas and triggers, and the literals of predicates, and all of them are written here.

/// A name as SQL writes it.
///
/// - Precondition: no U+0000, which would end the statement; checks of models and requests refuse it.
package func quoted(_ name: String) -> String { enclosed(name, in: UInt8(ascii: "\"")) }

/// A text as SQL writes it.
///
/// - Precondition: no U+0000.
package func literal(_ text: String) -> String { enclosed(text, in: UInt8(ascii: "'")) }

private func enclosed(_ text: String, in quote: UInt8) -> String {
  precondition(!text.utf8.contains(0), "U+0000 ends a statement")
  let mark = String(decoding: [quote], as: UTF8.self)
  return mark + text.doubling(quote) + mark
}

extension Value {
  /// The value as SQL writes it.
  package var sql: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): "\(value)"
    case .real(let value) where value.isNaN: "NULL"
    case .real(let value) where value.isInfinite: value < 0 ? "-9e999" : "9e999"
    case .real(let value): "\(value)"
    case .text(let text) where text.utf8.contains(0):
      // In brackets, as DEFAULT wants it.
      "(CAST(\(Value.blob(Array(text.utf8)).sql) AS TEXT))"
    case .text(let text): literal(text)
    case .blob(let bytes):
      "x'" + bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + "'"
    }
  }
}
