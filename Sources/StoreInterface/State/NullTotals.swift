/// The sums that no number of their type is: past 64 bits, or past the largest double. Their columns are null.
public struct NullTotals: Sendable, Hashable {
  /// How many there are.
  public var count = 0
  /// The first of them: their owners and attributes.
  public var named: [Finding] = []

  /// Makes an empty list.
  public init() {}
}
