/// How much a store keeps of the records that one run rejects. What goes beyond is counted, and cannot be replayed.
public struct RejectBounds: Sendable, Hashable, Encodable {
  /// So many rejected records and children, the first ones.
  public var rows = 10_000
  /// So many bytes of each record, and of what it stood in: a longer text is cut.
  public var text = 64 << 10
  /// So many bytes of their texts together.
  public var total = 64 << 20

  /// Makes the usual bounds.
  public init() {}
}
