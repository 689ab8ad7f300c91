/// A named reference from one entity to another.
///
/// A to-one relationship `group` is a column `group_id` that holds the destination's object id. A to-many
/// relationship has no column: it is the other end of its inverse. So is a has-one relationship, and then the inverse's
/// column is unique. Where both ends are to-many, the links have a table of their own, named after the entity and
/// relationship that come first in the alphabet, as in `Post_tags`.
public struct Relationship: Sendable, Hashable, Codable {
  /// How many objects the relationship leads to.
  public enum Kind: String, Sendable, Hashable, Codable {
    /// At most one, which this end's object names.
    case toOne
    /// At most one, which names this end's object: the inverse is to-one, and no two lead to the same object.
    case hasOne
    /// Any number.
    case toMany
  }

  /// What happens to the objects at the other end when this end's object is deleted.
  public enum DeleteRule: String, Sendable, Hashable, Codable {
    /// They stay, and lead nowhere.
    case nullify
    /// They are deleted too.
    case cascade
    /// The deletion is refused while there are any.
    case deny
  }

  /// The relationship's name.
  public var name: String
  /// To one, has one, or to many.
  public var kind: Kind
  /// The entity at the other end.
  public var destination: String
  /// The name of the relationship back, if there is one.
  ///
  /// A to-many or has-one relationship always has one.
  public var inverse: String?
  /// What a deletion of this end's object does to the other end.
  public var deleteRule: DeleteRule

  /// Makes a relationship.
  public init(
    name: String, kind: Kind, destination: String, inverse: String? = nil, deleteRule: DeleteRule = .nullify
  ) {
    self.name = name
    self.kind = kind
    self.destination = destination
    self.inverse = inverse
    self.deleteRule = deleteRule
  }

  /// The column of a to-one relationship.
  package var column: String { "\(name)_id" }
}
