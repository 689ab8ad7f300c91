package import FeedReading
internal import ImportInput
package import ImportModel
internal import JSONStream
internal import StoreInterface
package import TypedRows

/// How an input fits a pipeline, found out without a store: `bolide check PIPELINE INPUT`.
package struct FeedCheck {
  /// The input's name, as messages say it.
  package let input: String
  /// What shape was found, in plain words.
  package let shape: String
  /// Records read.
  package let read: Int
  /// Records that an import would reject.
  package let rejected: Int
  /// Children read, and those that an import would reject, by entity.
  package let children: [(entity: String, read: Int, rejected: Int)]
  /// The first rejected records and children, at most ten.
  package let firstRejects: [RejectedRecord]
  /// Attributes whose source was in no record, each with that source.
  let neverThere: [(attribute: String, source: String)]
  /// Keys of the records that the pipeline does not use, in the order of their coming; at most 256.
  package let unusedKeys: [String]
  /// Records whose key an earlier one had, with other values.
  package let repeatedKeys: Int
  /// Records that an earlier one was altogether like.
  package let copies: Int
  /// Children whose key an earlier one of their record had, with other values, by entity.
  let repeatedChildren: [(entity: String, count: Int)]
  /// Whether records of this input would give way to later ones, and the pipeline does not say that they are to.
  package let losesRecords: Bool
  /// Attributes whose times have no zone, which the pipeline does not speak of.
  package let localTimes: [String]
  /// One in so many keys was looked at for that.
  let keyShare: Int

  /// Reads a file through a pipeline; `-` is standard input.
  ///
  /// - Throws: `ImportError`, for what would end an import early.
  package init(_ pipeline: Pipeline, path: String) throws(ImportError) {
    try self.init(pipeline, .path(path), name: path == "-" ? "stdin" : path)
  }

  /// Reads bytes in memory through a pipeline.
  package init(_ pipeline: Pipeline, bytes: [UInt8], named name: String) throws(ImportError) {
    try self.init(pipeline, .bytes(bytes), name: name)
  }

  private init(_ pipeline: Pipeline, _ source: ByteInput.Source, name: String) throws(ImportError) {
    do {
      let input = try ByteInput(source, label: name, cancellation: Cancellation())
      var trial = try FeedTrial(pipeline, input)
      var counters = [KeyCounter()] + trial.children.map { _ in KeyCounter() }
      let limit = KeyCounter.budget / counters.count
      var chunks = 0
      try trial.run { chunk, rows in
        chunks += 1
        counters[0].take(chunk, rows, limit: limit)
        for (list, children) in chunk.children.enumerated() {
          counters[list + 1].take(children, children.acceptedRows, ofChunk: chunks, limit: limit)
        }
        return true
      }
      self.input = input.name
      shape = trial.shapeDescription ?? "nothing"
      read = trial.read
      rejected = trial.rejected
      children = trial.children
      firstRejects = trial.firstRejects
      neverThere = Self.neverThere(pipeline, trial)
      unusedKeys = trial.unusedKeys
      repeatedKeys = counters[0].repeats
      copies = counters[0].copies
      repeatedChildren = zip(trial.children, counters.dropFirst()).map { ($0.entity, $1.repeats) }
      keyShare = counters[0].share
      let isSaid = pipeline.sourceMap.contains(["repeated-key"]) || pipeline.mergePolicy != .update
      losesRecords = !isSaid && counters.contains { $0.repeats > 0 }
      localTimes = trial.localTimes
    } catch {
      throw ImportError(reading: error, input: name, isStored: false)
    }
  }

  private static func neverThere(
    _ pipeline: Pipeline, _ trial: borrowing FeedTrial
  ) -> [(attribute: String, source: String)] {
    guard trial.read > 0 else { return [] }
    let missed = trial.childFields.filter { $0.records > 0 && $0.present == 0 }.map {
      (attribute: "\($0.entity).\($0.attribute)", source: $0.field)
    }
    let unseen = trial.paths.indices.filter { trial.occurrences[$0] == 0 }
    return unseen.compactMap { index in
      let source = trial.paths[index].description
      let field = pipeline.fields.first { $0.source == .path(source) }
      return field.map { ($0.attribute, source) }
    } + missed
  }
}

extension KeyCounter {
  /// Takes the keys of a chunk's rows.
  ///
  /// - Parameter number: of children, their records' chunk: their keys are theirs among those of one record.
  fileprivate mutating func take(_ chunk: Chunk, _ rows: [Int], ofChunk number: Int? = nil, limit: Int) {
    let key = chunk.layout.keyColumns.filter { !chunk.layout.references.contains($0) }
    for row in rows {
      let digest = chunk.digest(of: key, row: row)
      take(
        number.map { number in digest.map { chunk.digest($0, ofChild: row, ofChunk: number) } } ?? digest,
        record: chunk.digestOfAll(row: row), limit: limit)
    }
  }
}
