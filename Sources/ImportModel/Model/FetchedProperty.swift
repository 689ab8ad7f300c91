/// A named question that each object of an entity has an answer to: which objects of another entity belong to it.
///
/// It is a soft link: nothing is stored, it is asked anew at each read, and its objects may be in another store's file.
public struct FetchedProperty: Sendable, Hashable, Codable {
  /// How many objects may be found.
  public enum Cardinality: String, Sendable, Hashable, Codable {
    /// Exactly one; none, or two, is an error.
    case one
    /// At most one; two is an error.
    case optional
    /// Any number.
    case many
  }

  /// The property's name.
  public var name: String
  /// The entity of the objects that are found.
  public var destination: String
  /// What holds for them: an expression as in a fetch, over the destination, with `$FETCH_SOURCE.path` for the owner's
  /// properties (`$FETCH_SOURCE` alone is its object id) and `$FETCHED_PROPERTY.name` for a value of `userInfo`. Nil for
  /// all of the destination's objects.
  public var predicate: String?
  /// What the objects are sorted by: names or paths of the destination, the largest first with `-` before the name.
  /// Objects that are equal in it come by object id.
  public var sort: [String]
  /// At most so many objects for each owner, the first in the order; nil for all. What is beyond it does not count.
  public var limit: Int?
  /// How many objects may be found, within the limit.
  public var cardinality: Cardinality
  /// Values that the predicate may ask for by name.
  public var userInfo: [String: Value]
  /// Another store's file, from the folder of the owner's store unless absolute; nil for the same store.
  public var store: String?

  /// Makes a fetched property.
  public init(
    name: String, destination: String, predicate: String? = nil, sort: [String] = [], limit: Int? = nil,
    cardinality: Cardinality = .many, userInfo: [String: Value] = [:], store: String? = nil
  ) {
    self.name = name
    self.destination = destination
    self.predicate = predicate
    self.sort = sort
    self.limit = limit
    self.cardinality = cardinality
    self.userInfo = userInfo
    self.store = store
  }
}

extension Entity {
  /// The fetched property of that name, if there is one. Case does not count, as in SQL.
  ///
  /// Linear in the number of fetched properties.
  public func fetchedProperty(named name: String) -> FetchedProperty? {
    fetchedProperties.first { $0.name.caseFolded == name.caseFolded }
  }
}
