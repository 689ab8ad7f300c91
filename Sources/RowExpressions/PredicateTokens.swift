internal import ImportModel
internal import SQLiteAccess
package import StoreInterface

/// A predicate's text as SQL's words.
///
/// Spaces and comments are left out. What no expression can hold is refused here: a text that goes on behind the
/// expression, and whatever would hide it.
package struct PredicateTokens {
  package enum Token: Hashable {
    /// A name or a word of SQL.
    case word(String)
    /// A name in quotes, without them.
    case name(String)
    /// A number, a text or bytes, as written.
    case literal(String)
    /// `?`, or `?` and a number.
    case parameter(String)
    /// `$` and a name.
    case variable(String)
    /// An operator, a parenthesis, a comma or a dot.
    case symbol(String)
  }

  package private(set) var tokens: [Token] = []
  /// The bytes of each token.
  package private(set) var places: [Range<Int>] = []
  private let text: [UInt8]
  private var place = 0

  /// - Throws: `StoreError` when the text is no sequence of SQL's words, or has a semicolon.
  package init(_ predicate: String) throws(StoreError) {
    text = Array(predicate.utf8)
    while place < text.count {
      let start = place
      guard let token = try next() else { continue }
      tokens.append(token)
      places.append(start..<place)
    }
  }

  /// The names of a path that goes on behind a token, each with the dot before it.
  package func names(behind index: Int) -> [String] {
    var names: [String] = []
    var place = index + 1
    while place + 1 < tokens.count, tokens[place] == .symbol(".") {
      guard let name = tokens[place + 1].name else { return names }
      names.append(name)
      place += 2
    }
    return names
  }

  /// The word at the place; nil for space.
  private mutating func next() throws(StoreError) -> Token? {
    let byte = text[place]
    switch byte {
    case UInt8(ascii: " "), 0x09, 0x0a, 0x0c, 0x0d:
      place += 1
      return nil
    case UInt8(ascii: "-") where follows("--"):
      while place < text.count, text[place] != 0x0a { place += 1 }
      return nil
    case UInt8(ascii: "/") where follows("/*"):
      try skipComment()
      return nil
    case UInt8(ascii: "'"):
      return .literal(literal(of: try quoted(by: byte, "a text")))
    case UInt8(ascii: "\""), UInt8(ascii: "`"):
      return .name(try quoted(by: byte, "a name"))
    case UInt8(ascii: "["):
      return .name(try quoted(by: UInt8(ascii: "]"), "a name"))
    case UInt8(ascii: "?"):
      return .parameter(take(Self.isDigit))
    case UInt8(ascii: "$"):
      return .variable(take(Self.isNamePart))
    case UInt8(ascii: ":"), UInt8(ascii: "@"):
      throw .namedParameter(take(Self.isNamePart))
    case UInt8(ascii: "x"), UInt8(ascii: "X"):
      guard place + 1 < text.count, text[place + 1] == UInt8(ascii: "'") else {
        return .word(take(Self.isNamePart))
      }
      place += 1
      return .literal("x" + literal(of: try quoted(by: UInt8(ascii: "'"), "a text")))
    default:
      if Self.isNameStart(byte) { return .word(take(Self.isNamePart)) }
      if Self.isDigit(byte)
        || (byte == UInt8(ascii: ".") && place + 1 < text.count && Self.isDigit(text[place + 1]))
      {
        return .literal(number())
      }
      return .symbol(try symbol())
    }
  }

  private func follows(_ part: String) -> Bool { text[place...].starts(with: part.utf8) }

  private mutating func skipComment() throws(StoreError) {
    place += 2
    while !follows("*/") {
      guard place < text.count else { throw .predicateEnds(within: "a comment") }
      place += 1
    }
    place += 2
  }

  /// What stands in quotes; twice the closing one is that character itself.
  private mutating func quoted(by end: UInt8, _ what: String) throws(StoreError) -> String {
    var bytes: [UInt8] = []
    place += 1
    while place < text.count {
      let byte = text[place]
      // SQLite would take it for the text's end.
      guard byte != 0 else { throw .strangeCharacter("\0") }
      place += 1
      if byte == end {
        guard end != UInt8(ascii: "]"), place < text.count, text[place] == end else {
          return String(decoding: bytes, as: UTF8.self)
        }
        place += 1
      }
      bytes.append(byte)
    }
    throw .predicateEnds(within: what)
  }

  private func literal(of text: String) -> String { SQLiteAccess.literal(text) }

  /// The byte at the place, and those behind it that belong to it.
  private mutating func take(_ belongs: (UInt8) -> Bool) -> String {
    let start = place
    place += 1
    while place < text.count, belongs(text[place]) { place += 1 }
    return String(decoding: text[start..<place], as: UTF8.self)
  }

  /// A number as far as it can go; SQLite says whether it is one.
  private mutating func number() -> String {
    let start = place
    while place < text.count {
      let byte = text[place]
      let isSign = byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
      let isExponent =
        isSign && place > start && text[place - 1] | 0x20 == UInt8(ascii: "e")
        && !text[start...].starts(with: "0x".utf8)
      guard Self.isNamePart(byte) || byte == UInt8(ascii: ".") || isExponent else { break }
      place += 1
    }
    return String(decoding: text[start..<place], as: UTF8.self)
  }

  private static let symbols = [
    "->>", "->", "<=", "<>", "<<", "<", ">=", ">>", ">", "==", "=", "!=", "||", "|", "&", "~", "+", "-", "*",
    "/", "%",
    "(", ")", ",", ".",
  ]

  private mutating func symbol() throws(StoreError) -> String {
    if let symbol = Self.symbols.first(where: follows) {
      place += symbol.utf8.count
      return symbol
    }
    throw .strangeCharacter(Unicode.Scalar(text[place]))
  }

  private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

  private static func isNameStart(_ byte: UInt8) -> Bool {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || byte == UInt8(ascii: "_") || byte >= 0x80
  }

  private static func isNamePart(_ byte: UInt8) -> Bool {
    Self.isNameStart(byte) || Self.isDigit(byte) || byte == UInt8(ascii: "$")
  }
}

extension PredicateTokens.Token {
  /// The name that it is, in quotes or not; nil for anything else.
  package var name: String? {
    switch self {
    case .word(let name), .name(let name): name
    default: nil
    }
  }

  /// The token as SQL writes it.
  package var sql: String {
    switch self {
    case .name(let name): quoted(name)
    case .word(let text), .literal(let text), .parameter(let text), .variable(let text), .symbol(let text):
      text
    }
  }

  /// Whether it is a word of SQL, in lower case here.
  package func isWord(_ word: String) -> Bool {
    if case .word(let text) = self { text.caseFolded == word } else { false }
  }
}
