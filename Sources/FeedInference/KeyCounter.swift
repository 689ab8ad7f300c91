/// Counts records whose key came before, from hashes of the keys.
///
/// Memory is bounded: past its limit it keeps every second hash, by the hash's own bits, then every fourth, and so
/// on. Equal keys have equal hashes, so what is kept is a fair sample of the keys.
struct KeyCounter {
  /// Records that were offered.
  private(set) var offered = 0
  /// Those of them that have no key: a part of it is missing.
  private(set) var keyless = 0
  /// Records whose key was looked at.
  private(set) var looked = 0
  /// Those of them whose key an earlier one had, with other values.
  private(set) var repeats = 0
  /// Those of them that an earlier one was altogether like.
  private(set) var copies = 0
  /// One in so many keys is looked at.
  private(set) var share = 1
  /// The hash of the last record with each key.
  private var seen: [Int: Int] = [:]

  /// How many hashes a process keeps in all; about 32 bytes each.
  static let budget = 1 << 19

  /// Takes the hash of a record's key, nil for none, and of the whole record.
  ///
  /// - Parameter limit: how many hashes may be kept.
  mutating func take(_ digest: Int?, record: Int, limit: Int) {
    offered += 1
    guard let digest else { return keyless += 1 }
    guard digest & (share - 1) == 0 else { return }
    looked += 1
    if let last = seen.updateValue(record, forKey: digest) {
      if last == record { copies += 1 } else { repeats += 1 }
    }
    guard seen.count > limit else { return }
    share *= 2
    let mask = share - 1
    seen = seen.filter { $0.key & mask == 0 }
  }

  /// Which part of the records would not land under the key, or give way to a later one.
  var lost: Double {
    guard offered > 0 else { return 1 }
    let repeated = looked > 0 ? Double(repeats) / Double(looked) : 0
    return (Double(keyless) + repeated * Double(offered - keyless)) / Double(offered)
  }

  /// Whether so many records are lost that it will not be the key.
  var isHopeless: Bool { Self.isHopeless(lost: lost, of: offered) }

  /// Whether the key that loses such a part of the records will not be the key.
  static func isHopeless(lost: Double, of records: Int) -> Bool { records >= 1000 && lost > 0.05 }

  /// Forgets the hashes; the counts stay.
  mutating func stop() {
    seen = [:]
  }
}
