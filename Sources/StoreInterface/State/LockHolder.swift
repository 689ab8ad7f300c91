/// The import that holds a store's lock.
public struct LockHolder: Sendable, Hashable {
  /// Its process.
  public var process: Int32
  /// Its pipeline's name.
  public var pipeline: String
  /// When it took the lock.
  public var since: String

  package init(process: Int32, pipeline: String, since: String) {
    self.process = process
    self.pipeline = pipeline
    self.since = since
  }
}
