extension Derivation {
  /// Reads a derivation expression.
  ///
  /// - Parameter filter: what stands under `where` beside it.
  /// - Throws: `DerivationError` with a sentence that names the form which is not supported, or the mistake.
  public init(parsing text: String, where filter: String? = nil) throws(DerivationError) {
    let isCall = text.contains("(") || text.contains(")")
    let derivation = try isCall ? Self.call(text) : Self.path(text, filter)
    guard filter == nil || derivation.aggregate != nil else {
      throw DerivationError(message: "'where' belongs to an aggregate, and '\(text)' is none")
    }
    self = derivation
  }

  private static let forms =
    "supported are a path such as group.name, relationship.@count, relationship.attribute.@sum, @min, @max or "
    + "@average, canonical:(path), uppercase:(path), lowercase:(path) and now()"

  private static func call(_ text: String) throws(DerivationError) -> Derivation {
    if text == "now()" { return .now }
    let name = String(text.prefix { $0 != "(" && $0 != ":" })
    if name == "now" { throw DerivationError(message: "now() takes no argument") }
    guard let folding = TextFolding(rawValue: name) else {
      throw DerivationError(message: "the derivation '\(name)' is not supported; \(forms)")
    }
    guard text.hasPrefix("\(name):("), text.hasSuffix(")") else {
      throw DerivationError(message: "\(name) is written with a colon, as in \(name):(group.name)")
    }
    let path = String(text.dropFirst(name.count + 2).dropLast())
    let parts = try parts(of: path)
    if let unexpected = parts.first(where: { $0.hasPrefix("@") || $0.contains("(") || $0.contains(")") }) {
      throw DerivationError(message: "\(name) takes a path of names, and '\(unexpected)' is none")
    }
    return .folded(folding, path: parts)
  }

  private static func path(_ text: String, _ filter: String?) throws(DerivationError) -> Derivation {
    let parts = try parts(of: text)
    guard let last = parts.last, last.hasPrefix("@") else {
      if let middle = parts.first(where: { $0.hasPrefix("@") }) {
        throw DerivationError(message: "the operator \(middle) must come last")
      }
      return .copy(path: parts)
    }
    guard !parts.dropLast().contains(where: { $0.hasPrefix("@") }) else {
      throw DerivationError(message: "a derivation has one operator, and it comes last")
    }
    guard let function = Function(rawValue: String(last.dropFirst())) else {
      let operators = Function.allCases.map { "@\($0.rawValue)" }.listed
      throw DerivationError(message: "the operator \(last) is not supported; the operators are \(operators)")
    }
    if function == .count {
      guard parts.count == 2 else {
        throw DerivationError(message: "@count follows one to-many relationship, as in fireballs.@count")
      }
      return .count(relationship: parts[0], where: filter)
    }
    guard parts.count == 3 else {
      throw DerivationError(
        message: "\(last) follows one to-many relationship and one attribute, as in fireballs.energy.\(last)")
    }
    return .aggregate(Aggregate(function, of: parts[1], over: parts[0], where: filter))
  }

  /// The names between the dots.
  private static func parts(of text: String) throws(DerivationError) -> [String] {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard !parts.contains(where: \.isEmpty) else {
      throw DerivationError(message: "'\(text)' is not a path: a name is missing beside a dot")
    }
    return parts
  }
}

/// A derivation that cannot be read, in one sentence.
public struct DerivationError: Error, Sendable, Hashable {
  /// The sentence.
  public var message: String
}
