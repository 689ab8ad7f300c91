/// A to-one relationship that an import makes, to the owner with a given key.
///
/// An owner that is not there is made.
public struct Link: Sendable, Hashable, Encodable {
  /// When the link is made.
  public enum Timing: String, Sendable, Hashable, Encodable {
    /// Only for rows that the run inserts: later changes by anyone stay.
    case insert
    /// For every record: the pipeline owns the link.
    case always
  }

  /// One attribute of the owner's key, and the expression over the record's attributes that gives its value.
  public struct KeyPart: Sendable, Hashable, Encodable {
    /// The owner's attribute.
    public var attribute: String
    /// An SQL scalar expression over the attributes of the record's entity.
    public var expression: String

    /// Makes a part of a key.
    public init(_ attribute: String, _ expression: String) {
      self.attribute = attribute
      self.expression = expression
    }
  }

  /// The to-one relationship.
  public var relationship: String
  /// The owner's whole key.
  ///
  /// A null in it makes no link.
  public var ownerKey: [KeyPart]
  /// When the link is made.
  public var timing: Timing

  /// Makes a link.
  public init(_ relationship: String, ownerKey: [KeyPart], when timing: Timing = .insert) {
    self.relationship = relationship
    self.ownerKey = ownerKey
    self.timing = timing
  }
}
