public import ImportModel

/// One change of an object, with who made it and its values before and after.
public struct ObjectChange: Sendable, Hashable {
  /// A property with its value before and after a change; null where the object was not there.
  public struct Difference: Sendable, Hashable {
    /// The attribute's or relationship's name.
    public var name: String
    /// The attribute's type; nil for a relationship, whose value is the other object's id.
    public var type: AttributeType?
    /// The value before.
    public var old: Value
    /// The value after.
    public var new: Value

    package init(name: String, type: AttributeType?, old: Value, new: Value) {
      self.name = name
      self.type = type
      self.old = old
      self.new = new
    }
  }

  /// The transaction's number.
  public var transaction: Int64
  /// When it was committed: `YYYY-MM-DDTHH:MM:SS.mmmZ`.
  public var at: String
  /// Who wrote it; nil for another program.
  public var author: String?
  /// The run of an import that wrote it.
  public var run: Int64?
  /// The object's id.
  public var id: Int64
  /// What happened.
  public var kind: HistoryChange.Kind
  /// Whether the store itself made the change: only derived attributes have other values.
  public var isDerived: Bool
  /// Whether an erasure has taken values of it: these are not among the differences.
  public var isErased: Bool
  /// What differs; of an insert and a delete all values that are not null.
  public var differences: [Difference]

  package init(
    transaction: Int64, at: String, author: String?, run: Int64?, id: Int64, kind: HistoryChange.Kind,
    isDerived: Bool, isErased: Bool, differences: [Difference]
  ) {
    self.transaction = transaction
    self.at = at
    self.author = author
    self.run = run
    self.id = id
    self.kind = kind
    self.isDerived = isDerived
    self.isErased = isErased
    self.differences = differences
  }
}

/// Which object's log is wanted.
public enum LoggedObject: Sendable, Hashable {
  /// Those that have or had a key: its value, or `name=value` for each part of it.
  case key([String])
  /// The one with an id.
  case id(Int64)
}
