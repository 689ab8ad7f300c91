internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import StoreInterface
internal import TypedRows

/// Links the objects of a chunk's records with those that their children have become, where the relationship is
/// many-to-many. The links are rows of the join entity, with a writer of their own.
///
/// A link that is there stays, and none is ever taken away.
final class LinkWriter {
  let writer: ChunkWriter
  private let chunk: Chunk
  /// The columns of the record's object and of the child's.
  private let columns: (record: Int, child: Int)
  let timing: Link.Timing
  private let children: ChunkWriter
  private let find: RawStatement

  /// - Parameters:
  ///   - layout: the links'.
  ///   - children: writes the objects that are linked.
  ///   - relationship: leads to them.
  init(
    _ db: Database, layout: ChunkLayout, model: Model, to children: ChunkWriter, by relationship: String,
    when timing: Link.Timing, triggersWrite: Bool, clock: @escaping () -> String
  ) throws {
    guard let index = layout.entity.keyRelationships.firstIndex(where: { $0.name == relationship }) else {
      preconditionFailure("a join entity's key has both ends")
    }
    let child = layout.references.lowerBound + index
    columns = (layout.references.lowerBound + 1 - index, child)
    self.timing = timing
    self.children = children
    chunk = Chunk(layout: layout)
    writer = try ChunkWriter(
      db, layout: layout, model: model, indexes: children.indexes, history: children.history,
      triggersWrite: triggersWrite, clock: clock)
    find = try RawStatement(
      db, "SELECT x.bolide_place, t.bolide_id FROM \(children.layout.joinedByKey)")
  }

  /// Links children that were applied just now.
  ///
  /// - Parameters:
  ///   - rows: those that were not left out; of them, rejected ones are not linked.
  ///   - children: the children's chunk.
  ///   - records: the object of each child's record, by row.
  ///   - holder: the records: unless the pipeline owns the links, those that are new get theirs, and of several with one key
  ///     the first, as if each had been applied in turn.
  ///   - isRetried: whether a child was rejected before, and so never had its link.
  func apply(
    _ rows: [Int32], of children: Chunk, records: [Int64], holder: ChildWriter.Holder,
    behind others: [ChunkWriter],
    input: String, isRetried: (Int) -> Bool
  ) throws -> ChunkCounts {
    let rejected = Set(children.rejects.lazy.filter(\.isRow).map(\.rowsBefore))
    let wanted = rows.filter { row in
      let row = Int(row)
      let isNew =
        holder.writer.newIDs?.contains(records[row]) == true
        && !holder.chunk.laterRows.contains(children.lineage[row].parent)
      let isOurs = timing == .always || isNew || isRetried(row)
      return isOurs && !rejected.contains(row)
    }
    guard !wanted.isEmpty else { return ChunkCounts() }
    chunk.clear()
    try self.children.table.show(children, rows: wanted[...]) {
      while try find.step() {
        guard !find.isNull(1) else { continue }
        if chunk.isBatchFull { chunk.flushBatch() }
        chunk.recordsRead += 1
        chunk.beginRow()
        chunk.set(records[Int(wanted[Int(find.integer(0))])], columns.record)
        chunk.set(find.integer(1), columns.child)
        chunk.commitRow(RecordPosition(record: 0, byte: 0, line: 0, column: 0), text: nil)
      }
    }
    chunk.sortAndFold()
    return try writer.apply(chunk, input: input, behind: others)
  }
}
