internal import GRDB
internal import ImportModel

/// Applies the children of a chunk's records behind the chunk itself, in the same transaction.
///
/// The records' objects are there now, so each child learns its parent's id, which is a part of its key. From there on
/// children are rows like any others, with a writer of their own.
final class ChildWriter {
  private let layout: ChunkLayout
  let writer: ChunkWriter
  private let parents: RowFinder

  /// - Parameters:
  ///   - layout: the children's.
  ///   - main: writes their records.
  ///   - parents: finds their records' objects.
  init(
    _ db: Database, layout: ChunkLayout, model: Model, beside main: ChunkWriter, parents: RowFinder,
    triggersWrite: Bool, clock: @escaping () -> String
  ) throws {
    self.layout = layout
    self.parents = parents
    writer = try ChunkWriter(
      db, layout: layout, model: model, history: main.history, triggersWrite: triggersWrite, clock: clock)
  }

  /// What the writer remembers of the run's earlier chunks.
  var memory: (seen: ObjectSet, made: ObjectSet?) {
    get { writer.memory }
    set { writer.memory = newValue }
  }

  /// Drops what the writer made on the connection.
  func close() throws { try writer.close() }

  /// Applies children whose records were applied just now.
  ///
  /// Children of a record that was refused are left out, as if they had not been read. Those of a record that was left
  /// alone as older are left alone, those of one whose place another keeps are folded.
  /// - Parameters:
  ///   - children: neither sorted nor folded yet.
  ///   - chunk: their records.
  ///   - main: the writer that applied it; what the stages took is added to its times.
  ///   - others: those that have applied other children of the same records.
  ///   - isLeftOut: records that were not applied although nobody refused them.
  func apply(
    _ children: Chunk, of chunk: Chunk, by main: ChunkWriter, behind others: ArraySlice<ChildWriter>,
    input: String, without isLeftOut: Set<Int>
  ) throws -> ChunkCounts {
    var gone = isLeftOut
    for reject in chunk.rejects where reject.isRow { gone.insert(reject.rowsBefore) }
    try giveParents(children, chunk, &gone)
    if !gone.isEmpty { children.leaveOutChildren(of: gone.contains) }
    let older = main.setAside.older.isEmpty ? 0 : children.setAside(main.setAside.older.contains)
    let folded = main.setAside.folded.isEmpty ? 0 : children.setAside(main.setAside.folded.contains)
    children.sortAndFold()
    main.times.end(.links)
    writer.times = main.times
    var counts = try writer.apply(children, input: input, behind: [main] + others.map(\.writer))
    main.times = writer.times
    counts.ignored += older
    counts.folded += folded
    // What a refused child needs to be tried again is its record.
    for index in children.rejects.indices {
      children.rejects[index].around = chunk.surroundings(ofRecord: children.rejects[index].record)
      children.rejects[index].key = children.rejects[index].parent.flatMap(chunk.keyDigest)
    }
    return counts
  }

  /// Puts the id of its parent into each child's key. Whoever has none is gone.
  private func giveParents(_ children: Chunk, _ chunk: Chunk, _ gone: inout Set<Int>) throws {
    guard let column = layout.parent else { preconditionFailure("children have a parent") }
    var parent = -1
    var id: Int64 = 0
    // The children of one record follow each other.
    for row in children.order.lazy.map(Int.init) {
      let record = Int(children.lineage[row].parent)
      if record != parent {
        parent = record
        if !gone.contains(record) {
          if let found = try parents.id(chunk, record) { id = found } else { gone.insert(record) }
        }
      }
      children.set(.value, UInt64(bitPattern: id), column, row)
    }
  }
}
