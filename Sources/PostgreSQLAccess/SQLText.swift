/// A name as SQL has it: `"Fireball"`.
package func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

/// A text as SQL has it: `'it''s'`.
package func literal(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }
