/// One object of a store.
public struct ObjectID: Sendable, Hashable {
  /// The object's entity.
  public var entity: String
  /// Its table's `bolide_id`.
  public var id: Int64

  /// Names an object.
  public init(entity: String, id: Int64) {
    self.entity = entity
    self.id = id
  }
}
