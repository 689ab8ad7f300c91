/// A state of a store that somebody reads from: the write-ahead log cannot be emptied meanwhile.
package struct PinnedState: Sendable, Hashable {
  /// The reader's process.
  package var process: Int32
  /// Since when.
  package var since: String
  /// Which state.
  package var token: String
  /// For how long, in seconds.
  package var age: Double

  package init(process: Int32, since: String, token: String, age: Double) {
    (self.process, self.since, self.token, self.age) = (process, since, token, age)
  }
}
