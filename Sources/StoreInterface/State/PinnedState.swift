/// A state of a store that somebody reads from: the write-ahead log cannot be emptied meanwhile.
public struct PinnedState: Sendable, Hashable {
  /// The reader's process.
  public var process: Int32
  /// Since when.
  public var since: String
  /// Which state.
  public var token: String
  /// For how long, in seconds.
  public var age: Double

  package init(process: Int32, since: String, token: String, age: Double) {
    (self.process, self.since, self.token, self.age) = (process, since, token, age)
  }
}
