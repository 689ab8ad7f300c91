public import ImportModel

extension ObjectQuery {
  /// A value that is computed of all objects of a group: `count`, `sum(energy)`.
  public struct Aggregate: Sendable, Hashable {
    /// What is computed, as of derived attributes: a sum is exact and for reals rounded once.
    public var function: Derivation.Function
    /// The attribute's name, or a path; nil for the number of objects.
    public var property: String?
    /// What the value is called in the answer, and as a sort key.
    public var name: String

    /// Makes an aggregate.
    ///
    /// - Parameters:
    ///   - function: what is computed.
    ///   - property: of which attribute, or of what a path leads to; `count` counts those that are not null, and without
    ///     a property all objects.
    ///   - name: nil for the function with its property, as in `sum(energy)`.
    public init(_ function: Derivation.Function, of property: String? = nil, as name: String? = nil) {
      self.function = function
      self.property = property
      self.name = name ?? function.rawValue + (property.map { "(\($0))" } ?? "")
    }
  }

  /// What is sorted by, with the section first.
  package var sortKeys: [SortKey] {
    guard let section, sort.first?.name.caseFolded != section.caseFolded else { return sort }
    return [SortKey(section)] + sort
  }

  /// Whether the answer's rows are groups, and not objects.
  package var isGrouped: Bool { isDistinct || !groups.isEmpty || !aggregates.isEmpty }
}
