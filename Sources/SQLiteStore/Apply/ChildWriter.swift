internal import GRDB
internal import ImportModel
internal import StoreInterface
internal import TypedRows

/// Applies the children of a chunk's records behind the chunk itself, in the same transaction.
///
/// The records' objects are there now, so each child learns its parent's id, which is a part of its key. From there on
/// children are rows like any others, with a writer of their own. Objects that many records may hold have keys without
/// a parent: they are linked to their records when they are there.
final class ChildWriter {
  private let layout: ChunkLayout
  private let writer: ChunkWriter
  private let links: LinkWriter?
  private let parents: RowFinder

  /// - Parameters:
  ///   - number: which children of the pipeline they are, from 0.
  ///   - layout: the records'.
  ///   - main: writes the records.
  ///   - parents: finds the records' objects.
  init(
    _ db: Database, _ pipeline: Pipeline, _ number: Int, layout: ChunkLayout, model: Model,
    beside main: ChunkWriter, parents: RowFinder, triggersWrite: Bool, clock: @escaping () -> String
  ) throws {
    self.layout = layout.children[number]
    self.parents = parents
    let writer = try ChunkWriter(
      db, layout: self.layout, model: model, history: main.history, triggersWrite: triggersWrite, clock: clock
    )
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

  /// Applies children whose records were applied just now.
  ///
  /// Children of a record that was rejected are left out, as if they had not been read. Those of a record that was left
  /// alone, as older or because another keeps its place, are left alone.
  /// - Parameters:
  ///   - children: neither sorted nor folded yet.
  ///   - chunk: their records.
  ///   - main: the writer that applied it; what the stages took is added to its times.
  ///   - others: those that have applied other children of the same records.
  ///   - isLeftOut: records that were not applied although nobody rejected them.
  ///   - retried: children that were rejected before.
  /// - Returns: counts for each of `writers`.
  func apply(
    _ children: Chunk, of chunk: Chunk, by main: ChunkWriter, behind others: [ChunkWriter],
    input: String, without isLeftOut: Set<Int>, retried: Set<ParentReference>
  ) throws -> [ChunkCounts] {
    var gone = isLeftOut
    for reject in chunk.rejects where reject.isRow { gone.insert(reject.rowsBefore) }
    let records = try records(of: children, chunk, &gone)
    if !gone.isEmpty { children.leaveOutChildren(of: gone.contains) }
    let ignored = main.setAside.isEmpty ? 0 : children.setAside(main.setAside.contains)
    // Rows that are folded are linked all the same.
    let rows = links == nil ? [] : children.order
    children.sortAndFold()
    main.times.end(.links)
    writer.times = main.times
    var counts = [try writer.apply(children, input: input, behind: others)]
    counts[0].ignored += ignored
    if let links {
      links.writer.times = writer.times
      counts.append(
        try links.apply(
          rows, of: children, records: records, by: main, behind: others + [writer], input: input,
          isRetried: { retried.contains(children.lineage[$0]) }))
    }
    main.times = links?.writer.times ?? writer.times
    // What a rejected child needs to be tried again is its record.
    for index in children.rejects.indices {
      children.rejects[index].stand(in: chunk.surroundings(ofRecord: children.rejects[index].record))
      children.rejects[index].key = children.rejects[index].parent.flatMap(chunk.keyDigest)
    }
    return counts
  }

  /// The object of each child's record, by row; it is put into the key of a child that belongs to it.
  ///
  /// - Parameter gone: records that have none are added.
  private func records(of children: Chunk, _ chunk: Chunk, _ gone: inout Set<Int>) throws -> [Int64] {
    var ids = [Int64](repeating: 0, count: children.count)
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
      ids[row] = id
      if let column = layout.references.first {
        children.set(.value, UInt64(bitPattern: id), column, row)
      }
    }
    return ids
  }
}
