/// The import that holds a store's lock.
package struct LockHolder: Sendable, Hashable {
  /// Its process.
  package var process: Int32
  /// Its pipeline's name.
  package var pipeline: String
  /// When it took the lock.
  package var since: String

  package init(process: Int32, pipeline: String, since: String) {
    self.process = process
    self.pipeline = pipeline
    self.since = since
  }
}
