import ImportModel
import Testing

/// Patterns: held against Swift's own regular expressions, where these cannot explode, and against the clock.
@Suite struct TextPatternTests {
  private static let letters = [
    "a", "b", "C", "1", "_", "-", " ", "é", "É", "\n", "漢", "🎈", "\u{2028}",
  ]

  // Swift's `\w` depends on what stands behind a digit, so words are not compared.

  /// A pattern of a few parts, and no repetition of repetitions that a backtracking engine would try for ever.
  private static func pattern(_ random: inout SplitMix, depth: Int) -> String {
    let atoms = [
      "a", "b", "C", "1", "é", "漢", ".", "\\d", "\\D", "\\s", "\\S", "[a-c]", "[^a-c]",
      "[ab1\\-]", "[a-]",
      "[^\\s1]", "[\\d_é]", "\\.", "\\x61", "\\u00e9", "\\u{1F388}", "\\n", "\\p{L}", "\\P{Lu}", "\\p{Nd}",
      "[\\p{Ll}1]",
      "[^\\p{L}]", "-", " ",
    ]
    var text = ""
    for _ in 0...random.below(3) {
      var atom = atoms[random.below(atoms.count)]
      if depth > 0, random.below(3) == 0 {
        let open = ["(", "(?:", "(?<name\(random.next() % 1_000_000)>", "(?i:"][random.below(4)]
        let inner = (0...random.below(2)).map { _ in pattern(&random, depth: depth - 1) }
        atom = open + inner.joined(separator: "|") + ")"
      }
      let repetitions = ["", "", "*", "+", "?", "{2}", "{1,2}", "{0,1}", "{1,}", "*?", "+?", "??", "{1,3}?"]
      text += atom + repetitions[random.below(repetitions.count)]
    }
    return text
  }

  @Test(arguments: 0..<8) func `patterns mean what Swift's regular expressions mean`(seed: UInt64) throws {
    var random = SplitMix(state: seed)
    for _ in 0..<120 {
      var text = Self.pattern(&random, depth: 2)
      switch random.below(6) {
      case 0: text = "^\(text)$"
      case 1: text = "(?i)\(text)"
      case 2: text = "(?s)\(text)|\\A\(Self.pattern(&random, depth: 1))\\z"
      case 3: text += "|" + Self.pattern(&random, depth: 1)
      default: break
      }
      let pattern = try TextPattern(text)
      let regex = try Regex(text).matchingSemantics(.unicodeScalar)
      for _ in 0..<25 {
        let sample = (0..<random.below(7)).map { _ in Self.letters[random.below(Self.letters.count)] }
          .joined()
        let expected = try regex.wholeMatch(in: sample) != nil
        #expect(pattern.matches(sample) == expected, "\(text) \(sample.debugDescription)")
      }
    }
  }

  @Test(arguments: [
    "\\s", "\\h", "\\v", ".", "\\p{L}", "\\p{N}", "\\p{P}", "\\p{Sc}", "\\p{Lt}",
    "\\p{Alphabetic}",
    "\\p{Uppercase}", "\\p{White_Space}", "(?i)[k-sß]", "(?i)é", "[^\\h\\s]",
  ]) func `classes take the scalars that Swift's take`(text: String) throws {
    let pattern = try TextPattern(text)
    let regex = try Regex(text).matchingSemantics(.unicodeScalar)
    var random = SplitMix(state: 7)
    let codes =
      Array(0..<0x700) + [0x2028, 0x2029, 0x200c, 0x200d, 0x3000, 0xfeff]
      + (0..<3_000).map { _ in
        UInt32(random.below(0x11_0000))
      }
    for scalar in codes.compactMap(Unicode.Scalar.init) {
      let sample = String(scalar)
      let expected = try regex.wholeMatch(in: sample) != nil
      #expect(pattern.matches(sample) == expected, "\(text) U+\(String(scalar.value, radix: 16))")
    }
  }

  @Test(
    .timeLimit(.minutes(10)),
    arguments: [
      ("([a-z]+)*[0-9]", "a"), ("([a-zA-Z0-9]+[._-]?)+@x", "a"), ("(a|b)+", "b"), ("(a|aa)*c", "a"),
      ("(a?){50}a{50}c", "a"),
      (".*.*.*x", "é"),
    ]) func `a megabyte is compared at once`(text: String, letter: String) throws
  {
    let pattern = try TextPattern(text)
    let sample = Array(String(repeating: letter, count: 1_000_000).utf8)
    // Without one pass it would be hours.
    #expect(pattern.compare(sample.span) == (text == "(a|b)+" ? .matches : .differs))
  }

  @Test func `a text that would take too long is given up`() throws {
    let pattern = try TextPattern("(.*a.{900})*b")
    let sample = Array(String(repeating: "a", count: 100_000).utf8)
    #expect(pattern.compare(sample.span) == .tooLong)
    #expect(pattern.matches("b") && !pattern.matches("a"))
  }

  @Test(arguments: [
    ("(a", "expected ')'"), ("a)", "there is a ')' without its '('"), ("[a", "expected ']'"),
    ("[]", "there is nothing between '[' and ']'"),
    ("[z-a]", "a range in brackets goes from one character to a later one"),
    ("[a-\\d]", "a range in brackets goes from one character to a later one"),
    ("+a", "there is nothing to repeat before '*', '+' or '?'"),
    ("a**", "a repetition follows another repetition"),
    ("a{", "a '{' begins a count such as {2} or {2,5}; write \\{ for the character"),
    ("{2}", "a '{' begins a count such as {2} or {2,5}; write \\{ for the character"),
    ("a{3,2}", "a count such as {2,5} goes from the smaller number to the larger"),
    ("a\\", "it ends within an escape"),
    ("\\q", "this escape is not supported: a backslash before a letter or 0"),
    ("\\u12", "\\x, \\u and \\U need the number of a character, such as \\x41 or \\u{1F600}"),
    (
      "\\p{Greek}",
      "\\p needs a category such as {L}, {Lu} or {Nd}, or {Alphabetic}, {Uppercase}, {Lowercase} or {White_Space}"
    ),
    ("(?x)a", "a '(?' begins none of (?:, (?<name>, (?i), (?s) and (?#"),
    ("(a)\\1", "back-references are not supported"),
    ("(?<a>b)\\k<a>", "back-references are not supported"),
    ("(?=a)b", "look-ahead and look-behind are not supported"),
    ("(?<!a)b", "look-ahead and look-behind are not supported"),
    ("a*+", "possessive and atomic parts are not supported; remove the '+' or '(?>'"),
    ("(?>a)", "possessive and atomic parts are not supported; remove the '+' or '(?>'"),
    ("\\ba", "word boundaries are not supported; name the characters that may be there"),
    ("[a&&b]", "nested brackets and the operators &&, -- and ~~ are not supported in brackets"),
    ("[[:alpha:]]", "nested brackets and the operators &&, -- and ~~ are not supported in brackets"),
    ("a^b", "the whole text has to match, so '^' can only be at the beginning and '$' at the end"),
    ("(a$)+", "the whole text has to match, so '^' can only be at the beginning and '$' at the end"),
    (String(repeating: "(", count: 300), "its groups are nested more than 200 deep"),
    ("(a{100}){100}", "it is too large: with its counts written out it has more than 2000 places"),
    ("((a?){1000}){2}", "it is too large: with its counts written out it has more than 2000 places"),
    ("a{99999999999999999999}", "it is too large: with its counts written out it has more than 2000 places"),
  ]) func `what is no pattern has its reason`(text: String, reason: String) throws {
    let failure = try #require(throws: TextPattern.Failure.self) { try TextPattern(text) }
    #expect(failure.reason == reason)
  }

  @Test func `digits and letters are Unicode's, where Swift's digits have fractions and its words no digits`()
    throws
  {
    let (digit, word) = (try TextPattern("\\d"), try TextPattern("\\w"))
    for text in ["7", "٣", "𝟟"] { #expect(digit.matches(text) && word.matches(text)) }
    for text in ["a", "_", "é", "\u{301}", "漢", "‿"] { #expect(!digit.matches(text) && word.matches(text)) }
    for text in ["½", "²", "-", " ", "🎈"] { #expect(!digit.matches(text) && !word.matches(text)) }
  }

  @Test func `the whole text counts, scalar by scalar`() throws {
    let pattern = try TextPattern("[a-z]{2}-?[0-9]+|\u{e9}|")
    for text in ["ab1", "ab-12", "\u{e9}", ""] { #expect(pattern.matches(text)) }
    for text in ["ab", "xab1", "ab1x", "e\u{301}", "ab1\n"] { #expect(!pattern.matches(text)) }
    let empty = try TextPattern("(?#nothing)(|a{0})*")
    #expect(empty.matches("") && !empty.matches("a"))
  }
}

/// Random numbers that are the same each time.
private struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }

  mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
}
