internal import ImportInput
internal import TypedRows

/// Sorts an import's records by key where they do not fit into memory: full chunks become sorted runs on disk, and the merged runs
/// become chunks again.
struct RecordSort {
  /// How many rows the runs have.
  private(set) var count = 0
  private let runs: SortedRuns
  private var entry: [UInt8] = []

  /// - Parameter input: the input's name, for messages.
  /// - Throws: `cannotSpool`.
  init(for input: String) throws(InputError) {
    runs = try SortedRuns(for: input)
  }

  /// Moves a chunk's rows to a run of their own. Rejected records stay in the chunk.
  ///
  /// - Throws: `cannotSpool`.
  mutating func move(_ chunk: Chunk) throws(InputError) {
    chunk.sortForBytes()
    if !chunk.order.isEmpty { runs.beginRun() }
    for row in chunk.order.lazy.map(Int.init) {
      entry.removeAll(keepingCapacity: true)
      chunk.appendKey(ofRow: row, to: &entry)
      let keyCount = entry.count
      chunk.appendRecord(ofRow: row, to: &entry)
      try entry.withUnsafeBufferPointer { entry throws(InputError) in
        try runs.append(entry, keyCount: keyCount)
      }
    }
    count += chunk.order.count
    chunk.leaveRejects()
  }

  /// Merges the runs; see `SortedRuns`.
  ///
  /// - Throws: `cannotSpool`.
  func merge(memory: Int) throws(InputError) -> RunMerge { try runs.merge(memory: memory) }
}
