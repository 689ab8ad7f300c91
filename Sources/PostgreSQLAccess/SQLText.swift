/// A name as SQL has it: `"Fireball"`.
package func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

/// A text as SQL has it: `'it''s'`, and the same whatever a session takes a backslash for.
package func literal(_ text: String) -> String {
  let text = text.replacing("'", with: "''")
  return text.contains("\\") ? "E'\(text.replacing("\\", with: "\\\\"))'" : "'\(text)'"
}
