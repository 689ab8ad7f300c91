/// Reads what stands in brackets, and behind a backslash.
enum PatternClass {
  /// Reads a class.
  ///
  /// - Parameter place: behind its opening bracket; afterwards behind the closing one.
  static func parse(
    _ text: [Unicode.Scalar], _ place: inout Int, ignoresCase: Bool
  ) throws(TextPattern.Failure) -> ScalarClass {
    var parts: [ScalarClass.Part] = []
    let isInverted = place < text.count && text[place] == "^"
    if isInverted { place += 1 }
    while place < text.count {
      if text[place] == "]" {
        guard !parts.isEmpty else { throw .emptyClass }
        place += 1
        return ScalarClass(parts, isInverted: isInverted, ignoresCase: ignoresCase)
      }
      let first = try member(text, &place)
      guard place + 1 < text.count, text[place] == "-", text[place + 1] != "]" else {
        parts.append(first)
        continue
      }
      place += 1
      guard case .range(let low) = first, case .range(let high) = try member(text, &place),
        low.lowerBound <= high.lowerBound
      else { throw .badRange }
      parts.append(.range(low.lowerBound...high.lowerBound))
    }
    throw .unclosedClass
  }

  private static func member(
    _ text: [Unicode.Scalar], _ place: inout Int
  ) throws(TextPattern.Failure) -> ScalarClass.Part {
    let scalar = text[place]
    place += 1
    // Set operations of other engines, and Swift's.
    let isDoubled = place < text.count && text[place] == scalar
    if scalar == "[" || isDoubled && (scalar == "&" || scalar == "-" || scalar == "~") { throw .setOperation }
    return scalar == "\\" ? try escape(text, &place) : .range(scalar.value...scalar.value)
  }

  /// Reads what stands behind a backslash: one scalar, or several that stand for each other.
  static func escape(
    _ text: [Unicode.Scalar], _ place: inout Int
  ) throws(TextPattern.Failure) -> ScalarClass.Part {
    guard place < text.count else { throw .unendedEscape }
    let scalar = text[place]
    place += 1
    func not(_ part: ScalarClass.Part) -> ScalarClass.Part { .not(ScalarClass([part])) }
    switch scalar {
    case "d": return .digit
    case "D": return not(.digit)
    case "w": return .word
    case "W": return not(.word)
    case "s": return .space
    case "S": return not(.space)
    case "h": return .horizontalSpace
    case "H": return not(.horizontalSpace)
    case "v": return .newline
    case "V": return not(.newline)
    case "p": return try property(text, &place)
    case "P": return not(try property(text, &place))
    case "t": return one(0x09)
    case "n": return one(0x0a)
    case "r": return one(0x0d)
    case "f": return one(0x0c)
    case "a": return one(0x07)
    case "e": return one(0x1b)
    case "x": return one(try hexadecimal(text, &place, digits: 2))
    case "u": return one(try hexadecimal(text, &place, digits: 4))
    case "U": return one(try hexadecimal(text, &place, digits: 8))
    case "1"..."9", "k", "g": throw .backReference
    case "b", "B": throw .wordBoundary
    case "0", "a"..."z", "A"..."Z": throw .unknownEscape
    default: return one(scalar.value)
    }
  }

  private static func one(_ code: UInt32) -> ScalarClass.Part { .range(code...code) }

  /// `\x41`, `\x{41}`, `\u0041`, `\u{41}`
  private static func hexadecimal(
    _ text: [Unicode.Scalar], _ place: inout Int, digits: Int
  ) throws(TextPattern.Failure) -> UInt32 {
    var code = ""
    if place < text.count, text[place] == "{" {
      code = try braced(text, &place)
    } else {
      while code.utf8.count < digits, place < text.count, text[place].properties.isASCIIHexDigit {
        code.unicodeScalars.append(text[place])
        place += 1
      }
      guard code.utf8.count == digits else { throw .unknownScalar }
    }
    guard let number = UInt32(code, radix: 16), let scalar = Unicode.Scalar(number) else {
      throw .unknownScalar
    }
    return scalar.value
  }

  private static func property(
    _ text: [Unicode.Scalar], _ place: inout Int
  ) throws(TextPattern.Failure) -> ScalarClass.Part {
    guard place < text.count, text[place] == "{" else { throw .unknownProperty }
    let name = try braced(text, &place)
    let isInverted = name.hasPrefix("^")
    guard let part = ScalarClass.Part(property: isInverted ? String(name.dropFirst()) : name) else {
      throw .unknownProperty
    }
    return isInverted ? .not(ScalarClass([part])) : part
  }

  private static func braced(
    _ text: [Unicode.Scalar], _ place: inout Int
  ) throws(TextPattern.Failure) -> String {
    var name = ""
    place += 1
    while place < text.count, text[place] != "}" {
      name.unicodeScalars.append(text[place])
      place += 1
    }
    guard place < text.count else { throw .unendedEscape }
    place += 1
    return name
  }
}
