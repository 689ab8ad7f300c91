/// How the store computes a derived attribute, in Core Data's grammar and a little beyond.
public enum Derivation: Sendable, Hashable, Codable {
  /// `fireballs.@count`, `fireballs.energy.@max`: one value of the objects that a to-many relationship leads to.
  case aggregate(Aggregate)
  /// `name`, `group.name`: the attribute at the end of a path of to-one relationships.
  case copy(path: [String])
  /// `canonical:(group.name)`: the text at the end of such a path, in another spelling.
  case folded(TextFolding, path: [String])
  /// `now()`: when the object was made, or its stored values last changed.
  case now

  /// `RELATIONSHIP.@count`: how many objects there are.
  public static func count(relationship: String, where filter: String? = nil) -> Derivation {
    .aggregate(Aggregate(.count, over: relationship, where: filter))
  }

  /// `RELATIONSHIP.ATTRIBUTE.@sum`: the sum of an attribute of theirs.
  public static func sum(relationship: String, attribute: String, where filter: String? = nil) -> Derivation {
    .aggregate(Aggregate(.sum, of: attribute, over: relationship, where: filter))
  }

  /// One value of many objects.
  public struct Aggregate: Sendable, Hashable, Codable {
    /// What is computed.
    public var function: Function
    /// The attribute of the objects; nil for a count.
    public var attribute: String?
    /// The to-many relationship.
    public var relationship: String
    /// An SQL scalar expression over the objects' stored attributes; those for which it is true take part.
    public var filter: String?

    /// Makes an aggregate.
    public init(
      _ function: Function, of attribute: String? = nil, over relationship: String,
      where filter: String? = nil
    ) {
      self.function = function
      self.attribute = attribute
      self.relationship = relationship
      self.filter = filter
    }
  }

  /// What an aggregate computes. Nulls take no part.
  public enum Function: String, Sendable, Hashable, Codable, CaseIterable {
    /// The number of objects; 0 for none.
    case count
    /// The sum, exact and for reals rounded once; 0 for none.
    case sum
    /// The smallest value; null for none.
    case min
    /// The largest value; null for none.
    case max
    /// The sum divided by the number of values, a double; null for none.
    case average
  }

  /// The aggregate, if it is one.
  package var aggregate: Aggregate? {
    if case .aggregate(let aggregate) = self { aggregate } else { nil }
  }

  /// The path of to-one relationships and the attribute at its end; nil for what follows none.
  package var path: [String]? {
    switch self {
    case .copy(let path), .folded(_, let path): path
    case .aggregate, .now: nil
    }
  }

  /// The text as a pipeline file writes it, without the filter, which has a key of its own.
  public var text: String {
    switch self {
    case .aggregate(let aggregate):
      ([aggregate.relationship] + (aggregate.attribute.map { [$0] } ?? []) + [
        "@\(aggregate.function.rawValue)"
      ])
      .joined(separator: ".")
    case .copy(let path): path.joined(separator: ".")
    case .folded(let folding, let path): "\(folding.rawValue):(\(path.joined(separator: ".")))"
    case .now: "now()"
    }
  }
}

extension Attribute {
  /// Whether it is a sum: null where it is beyond the range of its type.
  package var isTotal: Bool { derivation?.aggregate?.function == .sum }
}
