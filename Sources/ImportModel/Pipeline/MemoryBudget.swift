/// How much memory an import takes at most, and how its parts share it.
///
///     memory     program  two chunks  page cache  the longest record
///     48 MiB         39        2 × 2           3                   3
///     96 MiB         39       2 × 14          16                  64
///      1 GiB         39      2 × 241         276                  64
///
/// What is left over is for the rows' order, the reader, and the allocator. A chunk's size depends on this alone and not on the
/// machine, so that counts and tokens do not either: where less is allowed, the page cache goes first and then one of the chunks.
package struct MemoryBudget: Sendable {
  /// Bytes in all.
  package let bytes: Int
  /// Whether chunks are moved into parts.
  private let hasParts: Bool
  /// What is more than may be taken.
  private var excess = 0

  private static let usual = 96 << 20
  /// Below the least there is no room for chunks; past the most a chunk's texts could not be addressed.
  package static let range = 48 << 20...4 << 30
  /// What the program and its libraries take with the smallest input.
  private static let program = 39 << 20

  package init(bytes: Int, connections: Int = 1) {
    self.bytes = min(max(bytes, Self.range.lowerBound), Self.range.upperBound)
    hasParts = connections > 1
  }

  /// Reads a size such as `48MiB`; nil for anything else, and for one that is out of the range.
  package init?(_ text: String) {
    guard let size = SizeText(text), Self.range.contains(size.bytes) else { return nil }
    self.init(bytes: size.bytes)
  }

  /// The same budget where no more may be taken than a limit; nil for none.
  package func within(_ limit: Int?) -> MemoryBudget {
    var budget = self
    budget.excess = limit.map { max(0, bytes - max(0, $0)) } ?? 0
    return budget
  }

  /// One chunk.
  package var chunk: Int { share(of: (hasParts ? 9 : 14) << 20) }
  /// How many chunks exist at a time: one is filled while one is applied, or both threads take turns with a single one.
  package var chunkCount: Int { excess > wholeCache - pageCache ? 1 : 2 }
  /// Pages of the store that are kept; as many as SQLite keeps by itself at least.
  package var pageCache: Int { max(min(wholeCache, 2 << 20), wholeCache - excess) }
  private var wholeCache: Int { share(of: 16 << 20) }
  /// The longest record. It is held three times: as it was read, as a cell, and as SQLite's row. The usual budget does not hold for
  /// the longest ones.
  package var record: Int {
    let mebibyte = 1 << 20
    return bytes < Self.usual ? (bytes - Self.program) / 3 / mebibyte * mebibyte : 64 * mebibyte
  }

  /// A part that has so much of the usual budget.
  private func share(of usual: Int) -> Int {
    Int(Double(usual) * Double(bytes - Self.program) / Double(Self.usual - Self.program))
  }
}
