/// Reads a regular expression, as far as it can be matched in one pass.
///
///     choice    sequence | sequence | …
///     sequence  piece piece …
///     piece     atom, then * + ? {n} {n,} {,m} {n,m}, each with a ? behind it or without
///     atom      character, escape, class, group
///
/// Groups only group, and whether a repetition takes much or little makes no difference to a whole text.
struct PatternParser {
  private let text: [Unicode.Scalar]
  private var place = 0
  private var depth = 0
  private var ignoresCase = false
  private var dotTakesNewlines = false

  private static let deepest = 200
  /// What a repetition may count to.
  private static let mostCounted = 100_000

  static func node(of text: String) throws(TextPattern.Failure) -> PatternNode {
    var parser = PatternParser(text: Array(text.unicodeScalars))
    let node = try parser.choice()
    guard parser.place == parser.text.count else { throw .unopenedGroup }
    return node
  }

  private init(text: [Unicode.Scalar]) {
    self.text = text
  }

  // MARK: Structure

  private mutating func choice() throws(TextPattern.Failure) -> PatternNode {
    depth += 1
    guard depth <= Self.deepest else { throw .tooDeep }
    defer { depth -= 1 }
    let (caseBefore, dotBefore) = (ignoresCase, dotTakesNewlines)
    var branches: [PatternNode] = []
    repeat { branches.append(try sequence()) } while take("|")
    (ignoresCase, dotTakesNewlines) = (caseBefore, dotBefore)
    return branches.count == 1 ? branches[0] : .choice(branches)
  }

  private mutating func sequence() throws(TextPattern.Failure) -> PatternNode {
    var pieces: [PatternNode] = []
    while let next = peek, next != "|", next != ")" {
      // The whole text has to match: at its ends an anchor says nothing new, and elsewhere nothing could match.
      if depth == 1, pieces.isEmpty, takeAnchor("^", "A") { continue }
      if depth == 1, takeAnchor("$", "z") {
        guard peek == nil || peek == "|" else { throw .anchorInside }
        break
      }
      let piece = try piece()
      if case .empty = piece { continue }
      pieces.append(piece)
    }
    return pieces.count == 1 ? pieces[0] : pieces.isEmpty ? .empty : .sequence(pieces)
  }

  private mutating func takeAnchor(_ sign: Unicode.Scalar, _ letter: Unicode.Scalar) -> Bool {
    if take(sign) { return true }
    guard peek == "\\", place + 1 < text.count, text[place + 1] == letter else { return false }
    place += 2
    return true
  }

  private mutating func piece() throws(TextPattern.Failure) -> PatternNode {
    let atom = try atom()
    guard let (least, most) = try repetition() else { return atom }
    return .repeated(atom, least: least, most: most)
  }

  private mutating func repetition() throws(TextPattern.Failure) -> (least: Int, most: Int?)? {
    var bounds: (Int, Int?)
    switch peek {
    case "*": bounds = (0, nil)
    case "+": bounds = (1, nil)
    case "?": bounds = (0, 1)
    case "{":
      place += 1
      bounds = try counts()
      place -= 1
    default: return nil
    }
    place += 1
    if take("+") { throw .possessive }
    _ = take("?")
    if let next = peek, "*+?{".unicodeScalars.contains(next) { throw .repeatedRepetition }
    return bounds
  }

  /// What stands between braces, the closing one included.
  private mutating func counts() throws(TextPattern.Failure) -> (Int, Int?) {
    let least = try count()
    var most = least
    if take(",") { most = try count() } else if least == nil { throw .strayBrace }
    guard take("}"), least != nil || most != nil else { throw .strayBrace }
    if let least, let most, least > most { throw .emptyCount }
    return (least ?? 0, most)
  }

  private mutating func count() throws(TextPattern.Failure) -> Int? {
    var number: Int?
    while let digit = peek.flatMap({ $0.isASCII ? Int(String($0)) : nil }) {
      number = (number ?? 0) * 10 + digit
      guard let number, number <= Self.mostCounted else { throw .tooLarge }
      place += 1
    }
    return number
  }

  // MARK: Atoms

  private mutating func atom() throws(TextPattern.Failure) -> PatternNode {
    guard let next = peek else { return .empty }
    place += 1
    switch next {
    case "(": return try group()
    case "[": return .scalar(try PatternClass.parse(text, &place, ignoresCase: ignoresCase))
    case ".": return .scalar(ScalarClass(dotTakesNewlines ? [] : [.newline], isInverted: true))
    case "\\":
      if peek == "A" || peek == "z" { throw .anchorInside }
      let part = try PatternClass.escape(text, &place)
      return .scalar(ScalarClass([part], ignoresCase: ignoresCase))
    case "^", "$": throw .anchorInside
    case "*", "+", "?": throw .nothingToRepeat
    case "{": throw .strayBrace
    default: return .scalar(ScalarClass([.range(next.value...next.value)], ignoresCase: ignoresCase))
    }
  }

  private mutating func group() throws(TextPattern.Failure) -> PatternNode {
    let (caseBefore, dotBefore) = (ignoresCase, dotTakesNewlines)
    if take("?") {
      guard try opensGroup() else { return .empty }
    }
    let node = try choice()
    guard take(")") else { throw .unclosedGroup }
    (ignoresCase, dotTakesNewlines) = (caseBefore, dotBefore)
    return node
  }

  /// Reads what stands behind `(?`.
  ///
  /// - Returns: false for settings, and a comment, that stand by themselves.
  private mutating func opensGroup() throws(TextPattern.Failure) -> Bool {
    switch peek {
    case "=", "!": throw .lookaround
    case ">": throw .possessive
    case "#":
      while let next = peek, next != ")" { _ = take(next) }
      guard take(")") else { throw .unclosedGroup }
      return false
    case ":":
      place += 1
      return true
    case "P", "<", "'":
      _ = take("P")
      guard peek == "<" || peek == "'" else { throw .unknownGroup }
      let end: Unicode.Scalar = peek == "<" ? ">" : "'"
      place += 1
      if peek == "=" || peek == "!" { throw .lookaround }
      let start = place
      while let next = peek, next == "_" || next.properties.isAlphabetic || next.properties.numericType != nil
      {
        place += 1
      }
      guard place > start, take(end) else { throw .unknownGroup }
      return true
    default: return try settings()
    }
  }

  private mutating func settings() throws(TextPattern.Failure) -> Bool {
    var isOn = true
    while let next = peek {
      place += 1
      switch next {
      case "i": ignoresCase = isOn
      case "s": dotTakesNewlines = isOn
      case "-": isOn = false
      case ":": return true
      case ")": return false
      default: throw .unknownGroup
      }
    }
    throw .unclosedGroup
  }

  // MARK: Scalars

  private var peek: Unicode.Scalar? { place < text.count ? text[place] : nil }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard peek == scalar else { return false }
    place += 1
    return true
  }
}
