/// A store's content at one place of its history: what is not in it is not in the store.
public struct Snapshot: Sendable, Hashable {
  /// The place: the changes after it lead on from the snapshot.
  public var token: HistoryToken
  /// When the snapshot was taken: `YYYY-MM-DDTHH:MM:SS.mmmZ`.
  public var at: String
  /// The number of changes by other programs that are not in history yet. If it is not 0, rows may be newer than the token,
  /// and these changes follow again after the token.
  public var pendingChanges: Int
  /// How many rows each entity has, in the model's order.
  public var counts: [Count]

  /// Makes a snapshot's head.
  public init(token: HistoryToken, at: String, pendingChanges: Int, counts: [Count]) {
    self.token = token
    self.at = at
    self.pendingChanges = pendingChanges
    self.counts = counts
  }

  /// How many rows an entity has.
  public struct Count: Sendable, Hashable {
    /// The entity's name.
    public var entity: String
    /// The number of its rows.
    public var rows: Int

    /// Makes a count.
    public init(entity: String, rows: Int) {
      self.entity = entity
      self.rows = rows
    }
  }

  /// One object.
  public struct Row: Sendable, Hashable {
    /// The object's entity.
    public var entity: String
    /// The object's id, its table's `bolide_id`.
    public var id: Int64
    /// The object's key.
    public var key: [HistoryChange.Property]
    /// All stored properties, nulls too; of a fetch those that it asked for.
    public var values: [HistoryChange.Property]
    /// The objects that a fetch was asked to bring along; none in a snapshot.
    public var related: [Related] = []
    /// What the fetched properties found that a fetch was asked for, in its order; none in a snapshot.
    public var fetched: [Fetched] = []

    /// Makes an object.
    public init(
      entity: String, id: Int64, key: [HistoryChange.Property], values: [HistoryChange.Property],
      related: [Related] = [], fetched: [Fetched] = []
    ) {
      self.entity = entity
      self.id = id
      self.key = key
      self.values = values
      self.related = related
      self.fetched = fetched
    }

    /// An object that a to-one relationship leads to.
    public struct Related: Sendable, Hashable {
      /// The relationship's name.
      public var name: String
      /// The object; nil when the relationship leads nowhere.
      public var row: Row?

      /// Makes a related object.
      public init(name: String, row: Row? = nil) {
        self.name = name
        self.row = row
      }
    }

    /// What a fetched property found.
    public struct Fetched: Sendable, Hashable {
      /// The property's name.
      public var name: String
      /// The objects in its order. Their `entity` is that of their own store.
      public var rows: [Row]

      /// Makes what a fetched property found.
      public init(name: String, rows: [Row]) {
        self.name = name
        self.rows = rows
      }
    }
  }
}
