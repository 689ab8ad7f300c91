/// One instant for all that is written for a chunk: its rows, their children and what is derived from either.
final class ChunkClock {
  private let clock: () -> String
  private var instant: String?

  init(_ clock: @escaping () -> String) { self.clock = clock }

  /// Goes on to the next chunk.
  func advance() { instant = nil }

  /// The chunk's instant: the one at which it was first asked for.
  func now() -> String {
    let now = instant ?? clock()
    instant = now
    return now
  }
}
