internal import ChunkMerging
internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface
internal import TypedRows

/// Applies the children of a chunk's records, or of other children, behind the chunk of these, in the same transaction.
///
/// The objects that hold them are there now, so each child learns its parent's id, which is a part of its key. From there on
/// children are rows like any others. Objects that many records may hold have keys without a parent: they are linked to their
/// records when they are there.
final class ChildWriter {
  let layout: ChunkLayout
  let writer: ChunkWriter
  private let links: LinkWriter?
  private let connection: PostgreSQLConnection
  private let holderLayout: ChunkLayout
  /// Of the last chunk, the rows that were left out, for what holds them was, and those that were left alone.
  private(set) var leftOut: Set<Int> = []
  private(set) var leftAlone: Set<Int> = []

  /// - Parameters:
  ///   - number: which children of the pipeline they are, from 0.
  ///   - layout: the records'.
  init(
    _ connection: PostgreSQLConnection, _ pipeline: Pipeline, _ number: Int, layout: ChunkLayout,
    stored: StoredModel
  ) {
    self.connection = connection
    self.layout = layout.children[number]
    holderLayout = self.layout.within.map { layout.children[$0] } ?? layout
    writer = ChunkWriter(connection, layout: self.layout, stored: stored)
    let children = pipeline.children[number]
    links = pipeline.pipelineOfLinks(to: children).map {
      LinkWriter(
        connection,
        layout: ChunkLayout($0, model: stored.model, number: pipeline.children.count + number + 1),
        stored: stored, by: children.relationship, when: children.timing)
    }
  }

  /// The writers of the children, and of their links where these are rows of their own.
  var writers: [ChunkWriter] { [writer] + [links?.writer].compactMap(\.self) }

  /// For each of them whether a full feed says all of its rows: of links that are made with new records alone it does not.
  var sayAll: [Bool] { [true] + [links?.timing].compactMap(\.self).map { $0 == .always } }

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

  /// Applies children whose holders were applied just now: those of what was rejected are left out, as if they had not been
  /// read; those of what was left alone are left alone.
  ///
  /// - Parameter retried: children that were rejected before, by their number and their record's row.
  /// - Returns: counts for each of `writers`.
  func apply(
    _ children: Chunk, of holder: Holder, in chunk: Chunk, now: String, input: String,
    retried: Set<ParentReference>
  ) throws -> [ChunkCounts] {
    var gone = holder.leftOut
    for reject in holder.chunk.rejects where reject.isRow { gone.insert(reject.rowsBefore) }
    let owners = try owners(of: children, holder, &gone)
    leftOut = Set(children.rows(heldBy: gone))
    if !gone.isEmpty { children.leaveOutChildren(of: gone.contains) }
    let ignored = children.rows(heldBy: holder.leftAlone)
    if !ignored.isEmpty { children.setAside(holder.leftAlone.contains) }
    // Rows that are folded are linked all the same.
    let rows = links == nil ? [] : children.order
    children.sortAndFold()
    var counts = [try writer.apply(children, now: now, input: input)]
    counts[0].ignored += ignored.count
    leftAlone = writer.setAside.union(ignored)
    if let links {
      counts.append(
        try links.apply(
          rows, of: children, by: writer, records: owners, holder: holder, now: now, input: input,
          isRetried: { retried.contains(children.lineage[$0].inRecord) }))
    }
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
    var known = holder.writer.met
    let parents = Set(children.order.lazy.map { children.lineage[Int($0)].parent })
    // Rows that were folded into others, or left alone, are found by their keys.
    let unknown = parents.filter { row in
      known[Int(row)] == 0 && !gone.contains(Int(row))
        && holderLayout.keyColumns.allSatisfy { holder.chunk.state($0, Int(row)) == .value }
    }.sorted()
    if !unknown.isEmpty {
      let found = try StoredRows(connection, holderLayout, holder.chunk, unknown)
      for row in unknown { if let tuple = found.tuple(row) { known[Int(row)] = found.id(tuple) } }
    }
    for parent in parents.lazy.map(Int.init) where known[parent] == 0 && !holder.leftAlone.contains(parent) {
      gone.insert(parent)
    }
    var ids = [Int64](repeating: 0, count: children.count)
    for row in children.order.lazy.map(Int.init) {
      ids[row] = known[Int(children.lineage[row].parent)]
      if let column = layout.references.first {
        children.set(.value, UInt64(bitPattern: ids[row]), column, row)
      }
    }
    return ids
  }
}

/// Links the objects of a chunk's records with those that their children have become, where the relationship is many-to-many.
/// The links are rows of the join entity. One that is there stays, and none is ever taken away.
final class LinkWriter {
  let writer: ChunkWriter
  private let chunk: Chunk
  /// The columns of the record's object and of the child's.
  private let columns: (record: Int, child: Int)
  let timing: Link.Timing
  private let connection: PostgreSQLConnection

  /// - Parameters:
  ///   - layout: the links'.
  ///   - relationship: leads to the children.
  init(
    _ connection: PostgreSQLConnection, layout: ChunkLayout, stored: StoredModel, by relationship: String,
    when timing: Link.Timing
  ) {
    guard let index = layout.entity.keyRelationships.firstIndex(where: { $0.name == relationship }) else {
      preconditionFailure("a join entity's key has both ends")
    }
    let child = layout.references.lowerBound + index
    columns = (layout.references.lowerBound + 1 - index, child)
    (self.timing, self.connection) = (timing, connection)
    chunk = Chunk(layout: layout)
    writer = ChunkWriter(connection, layout: layout, stored: stored)
  }

  /// Links children that were applied just now.
  ///
  /// - Parameters:
  ///   - rows: those that were not left out; of them, rejected ones are not linked.
  ///   - records: the object of each child's record, by row.
  ///   - holder: the records: unless the pipeline owns the links, those that are new get theirs, and of several with one key
  ///     the first, as if each had been applied in turn.
  ///   - isRetried: whether a child was rejected before, and so never had its link.
  func apply(
    _ rows: [Int32], of children: Chunk, by childWriter: ChunkWriter, records: [Int64],
    holder: ChildWriter.Holder, now: String, input: String, isRetried: (Int) -> Bool
  ) throws -> ChunkCounts {
    let rejected = Set(children.rejects.lazy.filter(\.isRow).map(\.rowsBefore))
    let wanted = rows.filter { row in
      let row = Int(row)
      let isNew =
        holder.writer.newIDs.contains(records[row])
        && !holder.chunk.laterRows.contains(children.lineage[row].parent)
      return (timing == .always || isNew || isRetried(row)) && !rejected.contains(row)
    }
    guard !wanted.isEmpty else { return ChunkCounts() }
    let found = try StoredRows(connection, childWriter.layout, children, wanted)
    chunk.clear()
    for row in wanted {
      guard let tuple = found.tuple(row) else { continue }
      if chunk.isBatchFull { chunk.flushBatch() }
      chunk.recordsRead += 1
      chunk.beginRow()
      chunk.set(records[Int(row)], columns.record)
      chunk.set(found.id(tuple), columns.child)
      chunk.commitRow(RecordPosition(record: 0, byte: 0, line: 0, column: 0), text: nil)
    }
    chunk.sortAndFold()
    return try writer.apply(chunk, now: now, input: input)
  }
}
