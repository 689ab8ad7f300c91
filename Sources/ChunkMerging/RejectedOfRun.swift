package import TypedRows

/// What a run of a full feed rejected: a record whose key could be read counts as seen, whatever else is wrong with it.
package struct RejectedOfRun {
  /// A run that rejects more records than this does not know all keys: they are kept in memory.
  private static let most = 100_000

  /// The digests of the rejected records' keys.
  package private(set) var keys: Set<Int64> = []
  /// Whether the key of every rejected record could be read.
  package private(set) var knowsKeys = true
  /// Whether the children of every record were read.
  package private(set) var knowsChildren = true

  package init() {}

  /// Notes what an applied chunk rejected.
  package mutating func note(_ chunk: Chunk) {
    for reject in chunk.rejects {
      knowsChildren = false
      if let key = reject.key, keys.count < Self.most {
        keys.insert(key)
      } else {
        knowsKeys = false
      }
    }
  }
}
