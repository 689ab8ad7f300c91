internal import ChunkMerging
internal import GRDB
internal import ImportModel
internal import StoreInterface
internal import TypedRows

/// Applies the children of a chunk's records, or of other children, behind the chunk of these, in the same transaction.
///
/// The objects that hold them are there now, so each child learns its parent's id, which is a part of its key. From there on
/// children are rows like any others, with a writer of their own. Objects that many records may hold have keys without
/// a parent: they are linked to their records when they are there.
final class ChildWriter {
  let layout: ChunkLayout
  let writer: ChunkWriter
  private let links: LinkWriter?
  /// Finds the objects that hold the children.
  private let parents: RowFinder
  /// Of the last chunk, the rows that were left out, for what holds them was, and those that were left alone: what they hold
  /// themselves is treated alike.
  private(set) var leftOut: Set<Int> = []
  private(set) var leftAlone: Set<Int> = []

  /// - Parameters:
  ///   - number: which children of the pipeline they are, from 0.
  ///   - layout: the records'.
  ///   - main: writes the records.
  init(
    _ db: Database, _ pipeline: Pipeline, _ number: Int, layout: ChunkLayout, model: Model,
    beside main: ChunkWriter, triggersWrite: Bool, clock: @escaping () -> String
  ) throws {
    self.layout = layout.children[number]
    parents = try RowFinder(db, layout: self.layout.within.map { layout.children[$0] } ?? layout)
    let writer = try ChunkWriter(
      db, layout: self.layout, model: model, indexes: main.indexes, history: main.history,
      triggersWrite: triggersWrite, clock: clock)
    self.writer = writer
    let children = pipeline.children[number]
    links = try pipeline.pipelineOfLinks(to: children).map {
      try LinkWriter(
        db, layout: ChunkLayout($0, model: model, number: pipeline.children.count + number + 1), model: model,
        to: writer, by: children.relationship, when: children.timing, triggersWrite: triggersWrite,
        clock: clock)
    }
  }

  /// The writers of the children, and of their links where these are rows of their own.
  var writers: [ChunkWriter] { [writer] + [links?.writer].compactMap(\.self) }

  /// The objects that the children have met, and the links where all of the records' are looked at.
  var seen: [(ChunkLayout, ObjectSet)] {
    [(layout, writer.memory.seen)]
      + (links?.timing == .always ? links.map { [($0.writer.layout, $0.writer.memory.seen)] } ?? [] : [])
  }

  /// Counts of nothing for each of them.
  var counts: [ChildCounts] {
    writers.map { ChildCounts($0.layout.entity.name, areLinks: $0 === links?.writer) }
  }

  /// What holds some children, as it was applied just now.
  struct Holder {
    let chunk: Chunk
    /// The writer that applied it.
    let writer: ChunkWriter
    /// Rows that were not applied although nobody rejected them.
    let leftOut: Set<Int>
    /// Rows that were left alone, as older or because another keeps its place.
    let leftAlone: Set<Int>
  }

  /// Applies children whose holders were applied just now.
  ///
  /// Children of what was rejected are left out, as if they had not been read. Those of what was left alone are left alone.
  /// - Parameters:
  ///   - children: neither sorted nor folded yet.
  ///   - holder: their records, or the children that hold them.
  ///   - chunk: their records.
  ///   - main: the writer of the records; what the stages took is added to its times.
  ///   - others: those that have applied the records and other children of them.
  ///   - retried: children that were rejected before, by their number and their record's row.
  /// - Returns: counts for each of `writers`.
  func apply(
    _ children: Chunk, of holder: Holder, in chunk: Chunk, by main: ChunkWriter, behind others: [ChunkWriter],
    input: String, retried: Set<ParentReference>
  ) throws -> [ChunkCounts] {
    var gone = holder.leftOut
    for reject in holder.chunk.rejects where reject.isRow { gone.insert(reject.rowsBefore) }
    let owners = try owners(of: children, holder, &gone)
    leftOut = layout.holdsChildren ? Set(children.rows(heldBy: gone)) : []
    if !gone.isEmpty { children.leaveOutChildren(of: gone.contains) }
    let ignored = children.rows(heldBy: holder.leftAlone)
    if !ignored.isEmpty { children.setAside(holder.leftAlone.contains) }
    // Rows that are folded are linked all the same.
    let rows = links == nil ? [] : children.order
    children.sortAndFold()
    main.times.end(.links)
    writer.times = main.times
    var counts = [try writer.apply(children, input: input, behind: others)]
    counts[0].ignored += ignored.count
    leftAlone = layout.holdsChildren ? writer.setAside.union(ignored) : []
    if let links {
      links.writer.times = writer.times
      counts.append(
        try links.apply(
          rows, of: children, records: owners, holder: holder, behind: others + [writer], input: input,
          isRetried: { retried.contains(children.lineage[$0].inRecord) }))
    }
    main.times = links?.writer.times ?? writer.times
    // What a rejected child needs to be tried again is its record.
    for index in children.rejects.indices {
      children.rejects[index].stand(in: chunk.surroundings(ofRecord: children.rejects[index].record))
      children.rejects[index].key = children.rejects[index].parent.flatMap(chunk.keyDigest)
    }
    return counts
  }

  /// The object that holds each child, by row; it is put into the key of a child that belongs to it.
  ///
  /// - Parameter gone: rows of the holder that have none are added.
  private func owners(of children: Chunk, _ holder: Holder, _ gone: inout Set<Int>) throws -> [Int64] {
    var ids = [Int64](repeating: 0, count: children.count)
    var parent = -1
    var id: Int64 = 0
    // What one row holds follows each other.
    for row in children.order.lazy.map(Int.init) {
      let owner = Int(children.lineage[row].parent)
      if owner != parent {
        parent = owner
        if !gone.contains(owner) {
          if let found = try parents.id(holder.chunk, owner) {
            id = found
          } else if !holder.leftAlone.contains(owner) {
            gone.insert(owner)
          }
        }
      }
      ids[row] = id
      if let column = layout.references.first {
        children.set(.value, UInt64(bitPattern: id), column, row)
      }
    }
    return ids
  }
}
