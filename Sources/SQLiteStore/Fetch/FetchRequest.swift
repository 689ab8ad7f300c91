public import ImportModel

/// Which objects of an entity are wanted, and in what order.
public struct FetchRequest: Sendable, Hashable {
  /// One property to sort by.
  public struct SortKey: Sendable, Hashable {
    /// The attribute's or to-one relationship's name.
    public var name: String
    /// Whether small values come first; null comes before every value.
    public var isAscending: Bool

    /// Makes a sort key.
    public init(_ name: String, ascending: Bool = true) {
      self.name = name
      isAscending = ascending
    }
  }

  /// The entity's name.
  public var entity: String
  /// An SQL expression over the entity's columns that holds for what is wanted, as in `magnitude > ?`; nil for all. A
  /// relationship's column is its name and `_id`.
  public var predicate: String?
  /// The values of the predicate's `?`.
  public var arguments: [Value]
  /// What to sort by; objects that are equal in it, and all without it, come by id.
  public var sort: [SortKey]
  /// At most so many objects; nil for all.
  public var limit: Int?

  /// Asks for an entity's objects.
  public init(
    _ entity: String, where predicate: String? = nil, _ arguments: [Value] = [], sort: [SortKey] = [],
    limit: Int? = nil
  ) {
    self.entity = entity
    self.predicate = predicate
    self.arguments = arguments
    self.sort = sort
    self.limit = limit
  }
}
