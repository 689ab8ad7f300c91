/// Unicode scalars that stand for each other in a pattern: what `[a-z]`, `\d` or a single character takes.
struct ScalarClass: Sendable {
  /// One part of a class.
  enum Part: Sendable {
    case range(ClosedRange<UInt32>)
    /// As Unicode recommends for regular expressions (UTS 18, annex C).
    case digit, word, space, horizontalSpace, newline
    case category(@Sendable (Unicode.GeneralCategory) -> Bool)
    case alphabetic, uppercase, lowercase
    /// All that another class does not take.
    indirect case not(ScalarClass)
  }

  private let parts: [Part]
  private let isInverted: Bool
  private let ignoresCase: Bool
  /// What is taken of ASCII, a bit each.
  private var low: UInt64 = 0
  private var high: UInt64 = 0

  init(_ parts: [Part], isInverted: Bool = false, ignoresCase: Bool = false) {
    self.parts = parts
    self.isInverted = isInverted
    self.ignoresCase = ignoresCase
    for code in UInt32(0)..<128 where holds(code) {
      if code < 64 { low |= 1 << UInt64(code) } else { high |= 1 << UInt64(code - 64) }
    }
  }

  @inline(__always)
  func contains(_ code: UInt32) -> Bool {
    if code < 64 { return low >> UInt64(code) & 1 == 1 }
    if code < 128 { return high >> UInt64(code - 64) & 1 == 1 }
    return holds(code)
  }

  private func holds(_ code: UInt32) -> Bool {
    guard let scalar = Unicode.Scalar(code) else { return false }
    var isTaken = parts.contains { $0.contains(scalar) }
    if !isTaken, ignoresCase {
      for other in [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping] {
        let scalars = other.unicodeScalars
        guard scalars.count == 1, let other = scalars.first else { continue }
        // A character and a range of them; what is said by a property is meant.
        isTaken =
          isTaken
          || parts.contains { if case .range(let range) = $0 { range.contains(other.value) } else { false } }
      }
    }
    return isTaken != isInverted
  }
}

extension ScalarClass.Part {
  func contains(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    switch self {
    case .range(let range): return range.contains(scalar.value)
    case .digit: return properties.generalCategory == .decimalNumber
    case .word:
      switch properties.generalCategory {
      case .connectorPunctuation, .decimalNumber, .nonspacingMark, .spacingMark, .enclosingMark: return true
      default: return properties.isAlphabetic || properties.isJoinControl
      }
    case .space: return properties.isWhitespace
    case .horizontalSpace: return scalar == "\t" || properties.generalCategory == .spaceSeparator
    case .newline: return 0x0a...0x0d ~= scalar.value || [0x85, 0x2028, 0x2029].contains(scalar.value)
    case .category(let isIn): return isIn(properties.generalCategory)
    case .alphabetic: return properties.isAlphabetic
    case .uppercase: return properties.isUppercase
    case .lowercase: return properties.isLowercase
    case .not(let other): return !other.contains(scalar.value)
    }
  }

  /// A property by its name in `\p{…}`; nil for one that patterns do not know.
  init?(property name: String) {
    switch name {
    case "Alphabetic", "alpha": self = .alphabetic
    case "Uppercase", "upper": self = .uppercase
    case "Lowercase", "lower": self = .lowercase
    case "White_Space", "space": self = .space
    default:
      guard let names = Self.categories[name] else { return nil }
      self = .category { names.contains($0) }
    }
  }

  private static let categories: [String: Set<Unicode.GeneralCategory>] = {
    let all: [(String, Unicode.GeneralCategory)] = [
      ("Lu", .uppercaseLetter), ("Ll", .lowercaseLetter), ("Lt", .titlecaseLetter), ("Lm", .modifierLetter),
      ("Lo", .otherLetter), ("Mn", .nonspacingMark), ("Mc", .spacingMark), ("Me", .enclosingMark),
      ("Nd", .decimalNumber), ("Nl", .letterNumber), ("No", .otherNumber), ("Pc", .connectorPunctuation),
      ("Pd", .dashPunctuation), ("Ps", .openPunctuation), ("Pe", .closePunctuation),
      ("Pi", .initialPunctuation), ("Pf", .finalPunctuation), ("Po", .otherPunctuation), ("Sm", .mathSymbol),
      ("Sc", .currencySymbol), ("Sk", .modifierSymbol), ("So", .otherSymbol), ("Zs", .spaceSeparator),
      ("Zl", .lineSeparator), ("Zp", .paragraphSeparator), ("Cc", .control), ("Cf", .format),
      ("Cs", .surrogate), ("Co", .privateUse), ("Cn", .unassigned),
    ]
    var sets: [String: Set<Unicode.GeneralCategory>] = [:]
    for (name, category) in all {
      sets[name] = [category]
      sets[String(name.prefix(1)), default: []].insert(category)
    }
    return sets
  }()
}
