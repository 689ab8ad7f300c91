public import ImportModel

/// Which objects of an entity are wanted, what of them, and in what order.
///
/// Attributes and to-one relationships are named as in the model. A path leads over to-one relationships to another
/// object's attribute: `group.year`, `quake.region.name`. Where a link on the way leads nowhere, the path gives null. A
/// relationship's own name, and its column `group_id`, stand for the object id that it leads to; `bolide_id` is the
/// object's own.
public struct ObjectQuery: Sendable, Hashable {
  /// One property to sort by.
  public struct SortKey: Sendable, Hashable {
    /// The attribute's or to-one relationship's name, or a path.
    public var name: String
    /// Whether small values come first. Null comes before every value, and so last where large ones come first.
    public var isAscending: Bool

    /// Makes a sort key.
    public init(_ name: String, ascending: Bool = true) {
      self.name = name
      isAscending = ascending
    }
  }

  /// The entity's name.
  public var entity: String
  /// An SQL expression that holds for what is wanted, as in `group.year = 2013 AND energy > ?`; nil for all. It may name
  /// attributes, relationships and paths, and has no subqueries. An attribute that is called like one of SQL's
  /// operators is written in double quotes.
  public var predicate: Predicate?
  /// The values of the `?` that are written in the predicate; one with interpolated values brings its own.
  public var arguments: [Value]
  /// What to sort by; objects that are equal in it, and all without it, come by id.
  public var sort: [SortKey]
  /// What divides the answer into sections, as a name or path: it is sorted by first. `Store.difference` tells of sections.
  public var section: String?
  /// At most so many objects; nil for all.
  public var limit: Int?
  /// How many objects are passed over before the first.
  public var offset = 0
  /// Which properties are fetched, as names and paths, in this order; empty for all of the object's own.
  public var properties: [String] = []
  /// The to-one relationships, or paths of such, whose objects are brought along with all their properties, and the
  /// entity's fetched properties that are.
  public var related: [String] = []
  /// Each combination of values of `properties` comes once, whose `id` is that of its first object.
  public var isDistinct = false
  /// What the objects are grouped by, as names and paths: the answer has a row for each combination of values, with these
  /// and the aggregates, whose `id` is that of its first object. Null is a group of its own. Rows come by what they are
  /// sorted by, which are groups and aggregates, and then by the groups. Of a path's relationship, a row has the first object
  /// that it leads to.
  public var groups: [String] = []
  /// What is computed of the objects of each group; without groups, of all objects.
  public var aggregates: [Aggregate] = []
  /// A fetched property: only objects for which it finds nothing are wanted.
  public var dangling: String?
  /// Files in place of those that fetched properties name, by the name or by its last part.
  public var stores: [String: String] = [:]
  /// Nil: all objects come from one state of the store, in one read transaction. Otherwise each so many are a query of
  /// their own, which goes on behind the last object: no transaction stays open between them, and an object that
  /// nobody writes meanwhile comes once and in its place. Without an index for the sort each batch reads all objects.
  public var batchSize: Int?

  /// Asks for an entity's objects.
  public init(
    _ entity: String, where predicate: Predicate? = nil, _ arguments: [Value] = [], sort: [SortKey] = [],
    limit: Int? = nil
  ) {
    self.entity = entity
    self.predicate = predicate
    self.arguments = arguments
    self.sort = sort
    self.limit = limit
  }
}
