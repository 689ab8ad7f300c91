internal import ImportModel

/// A name as SQL has it: `"Fireball"`.
package func quoted(_ name: String) -> String { "\"\(name.doubling(UInt8(ascii: "\"")))\"" }

/// A text as SQL has it: `'it''s'`, and the same whatever a session takes a backslash for. Without `$$`, which would end a function's body.
package func literal(_ text: String) -> String {
  let (backslash, dollar) = (UInt8(ascii: "\\"), UInt8(ascii: "$"))
  let text = text.doubling(UInt8(ascii: "'"))
  guard text.utf8.contains(backslash) || text.utf8.contains([dollar, dollar]) else { return "'\(text)'" }
  let parts = text.doubling(backslash).utf8.split(separator: dollar, omittingEmptySubsequences: false)
  return "E'\(parts.map { String(Substring($0)) }.joined(separator: #"\x24"#))'"
}
