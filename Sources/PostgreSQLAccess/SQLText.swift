internal import ImportModel

/// A name as SQL has it: `"Fireball"`.
package func quoted(_ name: String) -> String { "\"\(name.doubling(UInt8(ascii: "\"")))\"" }

/// A text as SQL has it: `'it''s'`, and the same whatever a session takes a backslash for.
package func literal(_ text: String) -> String {
  let backslash = UInt8(ascii: "\\")
  let text = text.doubling(UInt8(ascii: "'"))
  return text.utf8.contains(backslash) ? "E'\(text.doubling(backslash))'" : "'\(text)'"
}
