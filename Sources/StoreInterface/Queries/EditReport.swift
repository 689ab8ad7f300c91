package import ImportModel

/// What an edit did, or would do: also to the objects that follow by delete rules and derived attributes.
public struct EditReport: Sendable, Hashable {
  /// How many objects of one entity.
  public struct Count: Sendable, Hashable {
    /// The entity's name.
    public var entity: String
    /// Objects that are new.
    public var inserted: Int
    /// Objects that have other values.
    public var updated: Int
    /// Objects that are gone.
    public var deleted: Int

    /// Makes a count.
    public init(entity: String, inserted: Int, updated: Int, deleted: Int) {
      self.entity = entity
      self.inserted = inserted
      self.updated = updated
      self.deleted = deleted
    }
  }

  /// The entities of which anything changed, in the model's order.
  public var counts: [Count]
  /// The place in history behind the edit; nil when nothing changed, or was only tried.
  public var token: HistoryToken?

  /// Makes a report.
  public init(counts: [Count], token: HistoryToken? = nil) {
    self.counts = counts
    self.token = token
  }
}

/// How an edit is made.
public struct EditOptions: Sendable, Hashable {
  /// Who the history says has written.
  public var author: String
  /// Everything is taken back: the report says what would happen.
  public var isTrial: Bool
  /// How long to wait for other writers; nil for as long as the store does.
  public var lockWait: Duration?

  /// Makes options.
  public init(author: String = "bolide", isTrial: Bool = false, lockWait: Duration? = nil) {
    self.author = author
    self.isTrial = isTrial
    self.lockWait = lockWait
  }
}

/// What a call that writes one object does about one with its key.
package enum ObjectWrite: Sendable {
  /// Refuses.
  case insert
  /// Gives it the values.
  case upsert
}

/// What becomes of the links of objects.
package enum LinkEdit: Sendable {
  /// They lead to the object with a key; many-to-many ones do so beside others.
  case to([String: Value])
  /// Remove the links to the object with this key.
  case from([String: Value])
  /// They lead nowhere.
  case toNone

  package var key: [String: Value]? {
    switch self {
    case .to(let key), .from(let key): key
    case .toNone: nil
    }
  }

  /// Whether links come to be.
  package var isNew: Bool { if case .to = self { true } else { false } }
}
