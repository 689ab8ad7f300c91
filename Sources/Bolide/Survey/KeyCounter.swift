/// Counts records whose key came before, from hashes of the keys.
///
/// Memory is bounded: past its limit it keeps every second hash, by the hash's own bits, then every fourth, and so
/// on. Equal keys have equal hashes, so what is kept is a fair sample of the keys.
struct KeyCounter {
  /// Records whose key was looked at.
  private(set) var looked = 0
  /// Those of them whose key an earlier one had.
  private(set) var repeats = 0
  /// One in so many keys is looked at.
  private(set) var share = 1
  private var seen: Set<Int> = []

  /// How many hashes a process keeps in all; about 16 bytes each.
  static let budget = 1 << 20

  /// Takes the hash of a record's key.
  ///
  /// - Parameter limit: how many hashes may be kept.
  mutating func take(_ digest: Int, limit: Int) {
    guard digest & (share - 1) == 0 else { return }
    looked += 1
    if !seen.insert(digest).inserted { repeats += 1 }
    guard seen.count > limit else { return }
    share *= 2
    let mask = share - 1
    seen = seen.filter { $0 & mask == 0 }
  }

  /// Whether so many keys repeat that it will not be the key.
  var isHopeless: Bool { looked >= 1000 && repeats * 20 > looked }

  /// Forgets the hashes; the counts stay.
  mutating func stop() {
    seen = []
  }
}
