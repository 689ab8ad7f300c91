internal import FeedReading

/// Texts as YAML takes them, whatever they hold.
enum YAMLText {
  /// The text alone where that is safe in any YAML reader, in double quotes otherwise.
  static func scalar(_ text: String) -> String {
    isPlain(text) ? text : quoted(text)
  }

  /// A list in brackets.
  static func list(_ texts: [String]) -> String {
    "[" + texts.map(scalar).joined(separator: ", ") + "]"
  }

  /// The text in double quotes.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case _ where scalar.isVisible: result.unicodeScalars.append(scalar)
      case _ where scalar.value > 0xffff: result += "\\U" + hex(scalar.value, digits: 8)
      default: result += "\\u" + hex(scalar.value, digits: 4)
      }
    }
    return result + "\""
  }

  /// The text as a comment holds it: on one line, and without characters that no YAML may have.
  static func comment(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { result.append(scalar.isVisible ? scalar : " ") }
    return String(result)
  }

  private static func isPlain(_ text: String) -> Bool {
    let scalars = text.unicodeScalars
    guard let first = scalars.first, isLetter(first) || first == "_" || first == "<" && scalars.count > 2,
      !words.contains(text.lowercased())
    else { return false }
    return scalars.dropFirst().allSatisfy {
      isLetter($0) || "0"..."9" ~= $0 || "_-./<>~".unicodeScalars.contains($0)
    }
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    "a"..."z" ~= scalar || "A"..."Z" ~= scalar
  }

  private static func hex(_ value: UInt32, digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  /// Words that YAML readers take for something else.
  private static let words: Set<String> = [
    "y", "n", "yes", "no", "on", "off", "true", "false", "null",
  ]
}
