internal import ImportModel

/// When a chunk is full.
struct ChunkLimits: Sendable {
  /// So many records, or more while the writing thread is busy with the chunk before.
  var rows = 32_768
  /// Whether exactly so many.
  var isFixed = false
  /// So many bytes in memory at most.
  var bytes = ImportSettings().budget.chunk
  /// So long after its first record.
  var time = Duration.seconds(1)
}
