/// How the store computes a derived attribute, in Core Data's grammar.
public enum Derivation: Sendable, Hashable, Codable {
  /// `fireballs.@count`: how many objects a to-many relationship leads to.
  case count(relationship: String)
  /// `fireballs.impactEnergy.@sum`: the sum of an attribute of those objects; nulls add nothing, none is 0.
  case sum(relationship: String, attribute: String)

  /// The to-many relationship that the derivation runs over.
  package var relationship: String {
    switch self {
    case .count(let relationship), .sum(let relationship, _): relationship
    }
  }

  /// The text as a pipeline file writes it.
  public var text: String {
    switch self {
    case .count(let relationship): "\(relationship).@count"
    case .sum(let relationship, let attribute): "\(relationship).\(attribute).@sum"
    }
  }

  /// Reads a derivation expression.
  ///
  /// - Throws: `DerivationError` with a sentence that names the form which is not supported, or the mistake.
  public init(parsing text: String) throws(DerivationError) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    if let call = parts.first, call.contains("("), text.hasSuffix(")") {
      let name = call.prefix { $0 != "(" && $0 != ":" }
      throw DerivationError(
        message: "the derivation '\(name)' is not supported; supported are @count and @sum")
    }
    guard !parts.contains(where: \.isEmpty) else {
      throw DerivationError(message: "'\(text)' is not a path: a name is missing beside a dot")
    }
    guard let last = parts.last, last.hasPrefix("@") else {
      if let middle = parts.first(where: { $0.hasPrefix("@") }) {
        throw DerivationError(message: "the operator \(middle) must come last")
      }
      throw DerivationError(
        message: "a derivation by copy is not supported; "
          + "supported are relationship.@count and relationship.attribute.@sum"
      )
    }
    guard !parts.dropLast().contains(where: { $0.hasPrefix("@") }) else {
      throw DerivationError(message: "a derivation has one operator, and it comes last")
    }
    switch last {
    case "@count":
      guard parts.count == 2 else {
        throw DerivationError(message: "@count follows one to-many relationship, as in fireballs.@count")
      }
      self = .count(relationship: parts[0])
    case "@sum":
      guard parts.count == 3 else {
        throw DerivationError(
          message: "@sum follows one to-many relationship and one attribute, as in fireballs.energy.@sum")
      }
      self = .sum(relationship: parts[0], attribute: parts[1])
    default:
      throw DerivationError(message: "the operator \(last) is not supported; supported are @count and @sum")
    }
  }
}

/// A derivation that cannot be read, in one sentence.
public struct DerivationError: Error, Sendable, Hashable {
  /// The sentence.
  public var message: String
}
