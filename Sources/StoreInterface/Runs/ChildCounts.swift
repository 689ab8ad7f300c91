/// What became of the children that records held, in a pipeline with `children`, or of their links where these are rows
/// of their own.
public struct ChildCounts: Sendable, Hashable {
  /// The children's entity.
  public var entity: String
  /// How many were read, and what became of them.
  public var counts = ChunkCounts()
  /// Whether they are links to children, and no children themselves.
  package let areLinks: Bool

  /// Makes counts of nothing yet.
  public init(_ entity: String, areLinks: Bool = false) {
    self.entity = entity
    self.areLinks = areLinks
  }
}
