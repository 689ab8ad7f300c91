/// How many of a number of rows something holds for.
public struct RowShare: Sendable, Hashable {
  /// How many it holds for.
  public var count: Int
  /// How many there are.
  public var total: Int

  package init(_ count: Int, of total: Int) {
    self.count = count
    self.total = total
  }

  /// Whether it is more than a share from 0 to 1.
  public func exceeds(_ share: Double) -> Bool { Double(count) > share * Double(total) }
}
