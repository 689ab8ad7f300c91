internal import ChunkMerging
internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface
internal import TypedRows

/// One of an import's sessions, and what applies chunks in it. One thread at a time uses it.
final class ImportWorker {
  let connection: PostgreSQLConnection
  /// The pipeline's lock, where this session holds it.
  let lock: AdvisoryLock?
  var transaction: WriteTransaction
  let writer: ChunkWriter
  private let children: [ChildWriter]

  init(
    _ connection: PostgreSQLConnection, _ lock: AdvisoryLock?, _ pipeline: Pipeline, _ layout: ChunkLayout,
    _ stored: StoredModel
  ) {
    (self.connection, self.lock) = (connection, lock)
    transaction = WriteTransaction(connection: connection, stored: stored)
    writer = ChunkWriter(connection, layout: layout, stored: stored)
    children = pipeline.children.indices.map {
      ChildWriter(connection, pipeline, $0, layout: layout, stored: stored)
    }
  }

  deinit { connection.rollBack() }

  /// Those of the records, of each list of children, and of the links that are rows.
  var writers: [ChunkWriter] { [writer] + children.flatMap(\.writers) }

  /// For each of them whether a full feed says all of its rows.
  var sayAll: [Bool] { [true] + children.flatMap(\.sayAll) }

  /// Counts of nothing for all but the records'.
  var childCounts: [ChildCounts] { children.flatMap(\.counts) }

  /// What the writers remember of the run's earlier chunks: to be put back when a chunk is applied again.
  var memory: [(seen: ObjectSet, made: ObjectSet?)] {
    get { writers.map(\.memory) }
    set { for (writer, memory) in zip(writers, newValue) { writer.memory = memory } }
  }

  /// Applies a chunk, and behind it its children, in the transaction that is open.
  ///
  /// - Parameters:
  ///   - left: rows that were taken out of it.
  ///   - retried: children that were rejected before, by their entity.
  ///   - input: the input's name, for rejects.
  /// - Returns: counts of the records, and for each list of children theirs and their links'.
  func apply(
    _ chunk: Chunk, without left: Set<Int> = [], retrying retried: [String: Set<ParentReference>] = [:],
    input: String
  ) throws -> [[ChunkCounts]] {
    let now = timestamp()
    var counts = [[try writer.apply(chunk, now: now, input: input)]]
    let records = ChildWriter.Holder(
      chunk: chunk, writer: writer, leftOut: left, leftAlone: writer.setAside)
    for (rows, writing) in zip(chunk.children, children) {
      let holder = writing.layout.within.map { list in
        let holding = children[list]
        return ChildWriter.Holder(
          chunk: chunk.children[list], writer: holding.writer, leftOut: holding.leftOut,
          leftAlone: holding.leftAlone)
      }
      counts.append(
        try writing.apply(
          rows, of: holder ?? records, in: chunk, now: now, input: input,
          retried: retried[rows.layout.entity.name, default: []]))
    }
    return counts
  }
}

/// What a chunk did that was applied.
struct AppliedChunk {
  /// How far history went before.
  var start: Int64 = 0
  /// As `ImportWorker.apply` returns them.
  var counts: [[ChunkCounts]] = []
}

extension RunProgress {
  /// Counts a chunk that was applied.
  ///
  /// - Parameter counts: as `ImportWorker.apply` returns them.
  mutating func add(_ counts: [[ChunkCounts]]) {
    for counts in counts[0] { self.counts += counts }
    for (index, counts) in counts.dropFirst().joined().enumerated() { children[index].counts += counts }
    chunks += 1
  }
}
