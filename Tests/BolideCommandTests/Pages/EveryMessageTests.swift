import Foundation
import Testing

/// Every sentence stands in some test, word for word: what is in the modules' sentence files is looked for in the tests.
@Suite struct EveryMessageTests {
  @Test func `no sentence is without its test`() throws {
    let tests = try Self.texts(under: "Tests") { _ in true }
    // A line of a longer text is a sentence too.
    var lines: Set<String> = []
    for test in tests {
      lines.insert(test.text.replacing("\n", with: " "))
      for line in test.text.split(separator: "\n") { lines.insert(String(line)) }
    }
    let haystack = NSString(string: lines.filter { $0.contains(" ") }.joined(separator: "\n"))
    let sentences = try Self.texts(under: "Sources") { path in
      path.contains("/Messages/") || path.hasSuffix("Messages.swift") || path.hasSuffix("Message.swift")
    }
    .filter { $0.text.contains(#/[a-z] /#) }
    #expect(sentences.count > 250)
    let missing = sentences.filter { !Self.stands($0.text, in: haystack) }
    let places: [String] = missing.map { "\($0.file): \($0.text)" }
    #expect(places == [])
  }

  /// Whether some line has a sentence's words; anything may stand in its holes.
  private static func stands(_ sentence: String, in lines: NSString) -> Bool {
    // The tool writes a remedy's command in place of a hint's full stop.
    let sentence = sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    let words = sentence.replacing("\n", with: " ").split(
      separator: StringLiterals.hole, omittingEmptySubsequences: false
    ).map(String.init)
    let pattern = words.map(NSRegularExpression.escapedPattern).joined(separator: ".{0,160}?")
    // The longest words first: a regular expression over everything would take its time.
    let longest = words.max { $0.utf8.count < $1.utf8.count } ?? ""
    var rest = NSRange(location: 0, length: lines.length)
    while true {
      let place = lines.range(of: longest, options: .literal, range: rest)
      guard place.location != NSNotFound else { return false }
      let line = lines.lineRange(for: place)
      if lines.range(of: pattern, options: .regularExpression, range: line).location != NSNotFound {
        return true
      }
      rest = NSRange(location: NSMaxRange(line), length: lines.length - NSMaxRange(line))
    }
  }

  @Test func `no error is made with words beside the sentences`() throws {
    let sources = try Self.files(under: "Sources").filter { !$0.path.contains("/Messages") }
    #expect(sources.count > 150)
    for (path, text) in sources {
      let found = text.firstMatch(
        of:
          /\b(StoreError|ImportError|DerivationError|ValidationError|Failure|RejectionReason|Message|Reason)\(\s*(\.\w+,\s*)?(at: \w+,\s*)?(code: )?"/
      )
      #expect(found == nil, "\(path): \(found?.0 ?? "")")
    }
  }

  @Test func `literals are read as the compiler does`() {
    let source = """
      let a = "one \\(two("three")) \\"four\\""
        + "six" // "five"
      let b = #"se"ven \\(x)"#, c = ""
      """
    #expect(StringLiterals.all(in: source) == ["one \u{0} \"four\"six", #"se"ven \(x)"#, ""])
  }

  private static func files(under folder: String) throws -> [(path: String, text: String)] {
    let root = Folder.repository.appending(path: folder)
    let names = try FileManager.default.subpathsOfDirectory(atPath: root.path(percentEncoded: false))
    return try names.filter { $0.hasSuffix(".swift") }.sorted().map {
      ("/\($0)", try String(contentsOf: root.appending(path: $0), encoding: .utf8))
    }
  }

  private static func texts(
    under folder: String, where isWanted: (String) -> Bool
  ) throws -> [(file: String, text: String)] {
    try files(under: folder).filter { isWanted($0.path) }.flatMap { file in
      StringLiterals.all(in: file.text).map { (file.path, $0) }
    }
  }
}

/// The string literals of a Swift file: those that `+` joins are one, and a hole stands for each interpolation.
struct StringLiterals {
  static let hole = "\u{0}"

  private static let quote = UInt8(ascii: "\"")
  private let bytes: [UInt8]
  private var place = 0
  private var found: [(text: [UInt8], end: Int)] = []

  static func all(in source: String) -> [String] {
    var literals = StringLiterals(bytes: Array(source.utf8))
    literals.read()
    return literals.found.map { String(decoding: $0.text, as: UTF8.self) }
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private func has(_ text: StaticString) -> Bool {
    bytes[place...].starts(with: text.description.utf8)
  }

  private mutating func read() {
    while place < bytes.count {
      let byte = bytes[place]
      if byte != UInt8(ascii: "/"), byte != UInt8(ascii: "#"), byte != Self.quote {
        place += 1
      } else if has("//") {
        while place < bytes.count, bytes[place] != UInt8(ascii: "\n") { place += 1 }
      } else if has("#\"\"\"") {
        take(from: place + 4, until: "\"\"\"#", isRaw: true)
      } else if has("\"\"\"") {
        take(from: place + 3, until: "\"\"\"", isRaw: false)
      } else if has("#\"") {
        take(from: place + 2, until: "\"#", isRaw: true)
      } else if has("\"") {
        take(from: place + 1, until: "\"", isRaw: false)
      } else {
        place += 1
      }
    }
  }

  private mutating func take(from start: Int, until end: StaticString, isRaw: Bool) {
    let begin = place
    place = start
    let text = content(until: end, isRaw: isRaw)
    if let last = found.last,
      bytes[last.end..<begin].filter({ !" \n".utf8.contains($0) }) == [UInt8(ascii: "+")]
    {
      found[found.count - 1] = (last.text + text, place)
    } else {
      found.append((text, place))
    }
  }

  /// The text up to the literal's end, and passes it. What escapes a character is left out.
  private mutating func content(until end: StaticString, isRaw: Bool) -> [UInt8] {
    let isOneLine = end.utf8CodeUnitCount < 3
    var text: [UInt8] = []
    while place < bytes.count, bytes[place] != Self.quote || !has(end) {
      // A quote in a regular expression begins no literal.
      if isOneLine, bytes[place] == UInt8(ascii: "\n") { return text }
      if isRaw || bytes[place] != UInt8(ascii: "\\") {
        text.append(bytes[place])
        place += 1
      } else if has("\\(") {
        passInterpolation()
        text += Self.hole.utf8
      } else {
        place += 1
        if has("n") { text.append(UInt8(ascii: "\n")) } else if !has("\n") { text.append(bytes[place]) }
        place += 1
      }
    }
    place += end.utf8CodeUnitCount
    return text
  }

  private mutating func passInterpolation() {
    var depth = 0
    place += 1
    repeat {
      if has("(") { depth += 1 }
      if has(")") { depth -= 1 }
      place += 1
      if depth > 0, has("\"") {
        place += 1
        _ = content(until: "\"", isRaw: false)
      }
    } while depth > 0 && place < bytes.count
  }
}
