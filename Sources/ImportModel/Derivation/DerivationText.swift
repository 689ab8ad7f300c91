extension Derivation {
  /// Reads a derivation expression.
  ///
  /// - Parameter filter: what stands under `where` beside it.
  /// - Throws: `DerivationError` with a sentence that names the form which is not supported, or the mistake.
  public init(parsing text: String, where filter: String? = nil) throws(DerivationError) {
    let isCall = text.contains("(") || text.contains(")")
    let derivation = try isCall ? Self.call(text) : Self.path(text, filter)
    guard filter == nil || derivation.aggregate != nil else {
      throw .filterWithoutAggregate(text)
    }
    self = derivation
  }

  private static func call(_ text: String) throws(DerivationError) -> Derivation {
    if text == "now()" { return .now }
    let name = String(text.prefix { $0 != "(" && $0 != ":" })
    if name == "now" { throw .argumentOfNow }
    guard let folding = TextFolding(rawValue: name) else {
      throw .unsupported(name)
    }
    guard text.hasPrefix("\(name):("), text.hasSuffix(")") else {
      throw .withoutColon(name)
    }
    let path = String(text.dropFirst(name.count + 2).dropLast())
    let parts = try parts(of: path)
    if let unexpected = parts.first(where: { $0.hasPrefix("@") || $0.contains("(") || $0.contains(")") }) {
      throw .notAPath(unexpected, in: name)
    }
    return .folded(folding, path: parts)
  }

  private static func path(_ text: String, _ filter: String?) throws(DerivationError) -> Derivation {
    let parts = try parts(of: text)
    guard let last = parts.last, last.hasPrefix("@") else {
      if let middle = parts.first(where: { $0.hasPrefix("@") }) { throw .operatorInside(middle) }
      return .copy(path: parts)
    }
    guard !parts.dropLast().contains(where: { $0.hasPrefix("@") }) else {
      throw .severalOperators
    }
    guard let function = Function(rawValue: String(last.dropFirst())) else {
      throw .unsupportedOperator(last)
    }
    if function == .count {
      guard parts.count == 2 else { throw .countOfAttribute }
      return .count(relationship: parts[0], where: filter)
    }
    guard parts.count == 3 else { throw .operatorAlone(last) }
    return .aggregate(Aggregate(function, of: parts[1], over: parts[0], where: filter))
  }

  /// The names between the dots.
  private static func parts(of text: String) throws(DerivationError) -> [String] {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard !parts.contains(where: \.isEmpty) else {
      throw .emptyName(in: text)
    }
    return parts
  }
}

/// A derivation that cannot be read, in one sentence.
public struct DerivationError: Error, Sendable, Hashable {
  /// The sentence.
  public var message: String
}
