package import ImportInput
package import ImportModel
package import JSONStream
package import StoreInterface
package import TypedRows

/// Turns records into rows of a chunk, with the arrays in them that become rows of chunks beside it.
package struct RecordStage {
  package private(set) var builder: RowBuilder
  /// What `count` in an envelope counts, where the pipeline says it.
  let count: FeedCount?
  private var expressions: ExpressionStage
  /// The same for each list of children.
  private var children: [Children]

  private struct Children {
    var builder: RowBuilder
    var expressions: ExpressionStage
    let array: RowBuilder.ChildArray
    /// The list whose elements hold the array; nil for the record.
    let within: Int?
  }

  /// - Parameter stop: ends the evaluation of expressions.
  package init(_ pipeline: Pipeline, layout: ChunkLayout, input: String, stop: Cancellation = Cancellation())
    throws
  {
    let arrays = try pipeline.children.enumerated().map { try RowBuilder.ChildArray($1, list: $0) }
    func held(within list: Int?) -> [RowBuilder.ChildArray] {
      arrays.filter { layout.children[$0.list].within == list }
    }
    builder = try RowBuilder(pipeline, layout: layout, input: input, arrays: held(within: nil))
    count = pipeline.count
    expressions = try ExpressionStage(pipeline, layout: layout, input: input, stop: stop)
    children = try pipeline.children.enumerated().compactMap { list, children in
      guard let pipeline = pipeline.pipeline(of: children) else { return nil }
      let layout = layout.children[list]
      return Children(
        builder: try RowBuilder(
          pipeline, layout: layout, input: input, arrays: held(within: list), list: children.records),
        expressions: try ExpressionStage(pipeline, layout: layout, input: input, stop: stop),
        array: arrays[list], within: layout.within)
    }
  }

  /// The builders of the children's rows.
  package var childBuilders: [RowBuilder] { children.map(\.builder) }

  /// Goes on with another input.
  ///
  /// - Parameter before: the number of the last record, to number its records through; 0 to number them as they stand in it.
  package mutating func begin(input: String, after before: Int = 0) {
    (builder.input, builder.before) = (input, before)
    expressions.input = input
    for list in children.indices {
      (children[list].builder.input, children[list].builder.before) = (input, before)
      children[list].expressions.input = input
    }
  }

  /// A reader that brings what the rows need.
  package func reader(_ shape: RecordShape, limits: ReaderLimits = ReaderLimits()) throws(PathError)
    -> RecordReader
  {
    try RecordReader(
      fields: builder.paths,
      children: children.map {
        ChildFields(path: $0.array.path, fields: $0.builder.paths, within: $0.within)
      },
      shape: shape, limits: limits)
  }

  /// What the records and their children had under the fields of attributes.
  package var fieldCounts: [FieldCount] { builder.fieldCounts + children.flatMap(\.builder.fieldCounts) }

  /// Takes the reader's current record into the chunk, as a row or as a reject, and its children when it is a row.
  ///
  /// - Parameter place: where the record stood, if not in this reader's input.
  /// - Returns: whether it is a row.
  @discardableResult
  package func add(
    _ reader: inout RecordReader, to chunk: Chunk, at place: RecordPosition? = nil
  ) throws -> Bool {
    guard builder.add(reader, to: chunk, at: place) else { return false }
    for array in builder.arrays {
      try addChildren(array.list, &reader, to: chunk, heldBy: chunk.count - 1, at: place)
    }
    return true
  }

  /// Takes the children of a list that one row holds, and behind each those in its arrays.
  private func addChildren(
    _ list: Int, _ reader: inout RecordReader, to chunk: Chunk, heldBy holder: Int, at place: RecordPosition?
  ) throws {
    let (rows, stage) = (chunk.children[list], children[list])
    while reader.nextChild(of: list) {
      if rows.isBatchFull { try stage.expressions.flushBatch(rows) }
      let lineage = ParentReference(
        parent: holder, number: reader.childNumber(of: list), record: chunk.count - 1)
      guard stage.builder.addChild(list, reader, to: rows, lineage, at: place) else { continue }
      for inner in stage.builder.arrays {
        try addChildren(inner.list, &reader, to: chunk, heldBy: rows.count - 1, at: place)
      }
    }
  }

  /// Evaluates everything for the rows of the chunk's window and of its children's, and ends them.
  package func flushBatch(_ chunk: Chunk) throws {
    for list in children.indices { try children[list].expressions.flushBatch(chunk.children[list]) }
    try expressions.flushBatch(chunk)
  }
}
