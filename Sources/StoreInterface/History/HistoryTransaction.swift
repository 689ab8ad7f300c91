public import ImportModel

/// One commit, as readers see it: all its changes, or none.
public struct HistoryTransaction: Sendable, Hashable {
  /// The transaction's number. Numbers rise in commit order and are never given out twice.
  public var number: Int64
  /// The place after this transaction, or after what was read of it.
  public var token: HistoryToken
  /// When it was committed, or when another program's changes were assigned to it: `YYYY-MM-DDTHH:MM:SS.mmmZ`.
  public var at: String
  /// Who wrote it; nil for another program.
  public var author: String?
  /// The pipeline whose run wrote it.
  public var pipeline: String?
  /// That run's number.
  public var run: Int64?
  /// The model's version when it was committed: it counts up with every change of the model.
  public var model: Int64
  /// The attributes that it gave a wider type. Their objects are among its changes where a value has another form.
  public var widened: [Widened] = []
  /// How many changes were asked for and read; without a filter, all of the transaction's.
  public var changeCount: Int
  /// Whether its last change was read; false at the end of a page inside it.
  public var isWhole: Bool
  /// The changes, in the order in which they were made; empty where they are handed over one by one.
  public var changes: [HistoryChange]

  /// Makes a transaction.
  public init(
    number: Int64, token: HistoryToken, at: String, author: String? = nil, pipeline: String? = nil,
    run: Int64? = nil, model: Int64 = 1, widened: [Widened] = [], changeCount: Int, isWhole: Bool = true,
    changes: [HistoryChange]
  ) {
    self.number = number
    self.token = token
    self.at = at
    self.author = author
    self.pipeline = pipeline
    self.run = run
    self.model = model
    self.widened = widened
    self.changeCount = changeCount
    self.isWhole = isWhole
    self.changes = changes
  }
}

/// An attribute that has a wider type from a transaction on. Values before are told in it too: they are the same.
public struct Widened: Sendable, Hashable {
  /// The entity's name.
  public var entity: String
  /// The attribute's name.
  public var attribute: String
  /// The type before, as in `decimal with scale 2`.
  public var was: String
  /// The type from then on.
  public var type: String

  /// Makes a note of a wider type.
  public init(entity: String, attribute: String, was: String, type: String) {
    self.entity = entity
    self.attribute = attribute
    self.was = was
    self.type = type
  }
}

/// What happened to one object in one transaction.
public struct HistoryChange: Sendable, Hashable {
  /// What happened.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The object is new.
    case insert
    /// Some of its properties have other values.
    case update
    /// The object is gone.
    case delete
  }

  /// One property of an object, with a value.
  public struct Property: Sendable, Hashable {
    /// The attribute's or relationship's name.
    public var name: String
    /// The attribute's type; nil for a relationship, whose value is the other object's id.
    public var type: AttributeType?
    /// The value.
    public var value: Value

    /// Makes a property with a value.
    @inlinable public init(name: String, type: AttributeType? = nil, value: Value) {
      self.name = name
      self.type = type
      self.value = value
    }
  }

  /// The transaction's number.
  public var transaction: Int64
  /// What happened.
  public var kind: Kind
  /// The object's entity.
  public var entity: String
  /// The object's id, its table's `bolide_id`.
  public var id: Int64
  /// The object's key; empty when it was erased, or its row vanished without a trace.
  public var key: [Property]
  /// An update's changed properties with the values before it; all that were not null for a delete.
  public var previous: [Property]
  /// The object's present row, if it was asked for; nil for an object that is gone. It may have changed since.
  public var values: [Property]?
  /// Whether the store itself made the change: only derived attributes have other values.
  public var isDerived: Bool
  /// What an erasure has taken of it; nil for nothing.
  public var erased: Erased?

  /// What an erasure takes of a change.
  public enum Erased: String, Sendable, Hashable {
    /// The object was erased: its key and all its values.
    case object
    /// Values of derived attributes that were copies of an erased object's.
    case values
  }

  /// Makes a change.
  @inlinable public init(
    transaction: Int64, kind: Kind, entity: String, id: Int64, key: [Property], previous: [Property],
    values: [Property]? = nil, isDerived: Bool, erased: Erased? = nil
  ) {
    self.transaction = transaction
    self.kind = kind
    self.entity = entity
    self.id = id
    self.key = key
    self.previous = previous
    self.values = values
    self.isDerived = isDerived
    self.erased = erased
  }
}
