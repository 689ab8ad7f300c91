/// What a copy of objects into another store did, or would do.
public struct CopyReport: Sendable, Hashable {
  /// How many objects of one entity were copied: those that were asked for, and those that they took along.
  public struct Count: Sendable, Hashable {
    /// The entity's name.
    public var entity: String
    /// Objects that the other store did not have.
    public var inserted: Int
    /// Objects that had other values there.
    public var updated: Int
    /// Objects that were there as they are.
    public var unchanged: Int

    package init(entity: String, inserted: Int, updated: Int, unchanged: Int) {
      (self.entity, self.inserted, self.updated, self.unchanged) = (entity, inserted, updated, unchanged)
    }
  }

  /// The entities of which any object was copied, in the model's order.
  public var counts: [Count]
  /// The place in the other store's history behind the copy; nil when nothing changed, or was only tried.
  public var token: HistoryToken?

  package init(counts: [Count], token: HistoryToken?) {
    (self.counts, self.token) = (counts, token)
  }
}
