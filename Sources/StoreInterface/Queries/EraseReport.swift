/// What an erasure took out of a store, or would take.
public struct EraseReport: Sendable, Hashable {
  /// How many objects of one entity were erased.
  public struct Count: Sendable, Hashable {
    /// The entity's name.
    public var entity: String
    /// The objects, also those that had been deleted before.
    public var objects: Int

    package init(entity: String, objects: Int) {
      self.entity = entity
      self.objects = objects
    }
  }

  /// What changed in the rows.
  public var edit: EditReport
  /// The erased objects, in the model's order: the named one, and those that its delete rules take along. Empty where an
  /// earlier erasure had only to be completed.
  public var objects: [Count] = []
  /// Copies of their values that were erased from the history of other objects.
  public var copies = 0
  /// Rejected records with the objects' keys, which were erased.
  public var rejects = 0
  /// Rejected records that are kept, as their keys could not be read: they may be the objects'.
  public var unclearRejects = 0

  package init(edit: EditReport) { self.edit = edit }
}
