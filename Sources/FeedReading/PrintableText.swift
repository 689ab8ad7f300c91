extension String {
  /// The text on one line, as a terminal may show it: what could move its cursor, change its colours or turn the order of
  /// letters around is escaped, as in `\u{1b}`.
  package var printable: String {
    if utf8.allSatisfy({ 0x20..<0x7f ~= $0 }) { return self }
    var result = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if scalar.isVisible {
        result.append(scalar)
      } else {
        result.append(contentsOf: scalar.escape.unicodeScalars)
      }
    }
    return String(result)
  }
}

extension Unicode.Scalar {
  /// Whether the character shows what it is, alone and without effect on others.
  package var isVisible: Bool {
    if isASCII { return value >= 0x20 && value < 0x7f }
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
      return false
    default: return true
    }
  }

  fileprivate var escape: String {
    switch self {
    case "\n": "\\n"
    case "\t": "\\t"
    case "\r": "\\r"
    default: "\\u{\(String(value, radix: 16))}"
    }
  }
}
