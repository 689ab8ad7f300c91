package import FeedReading
package import ImportInput
package import ImportModel
internal import JSONStream
internal import StoreInterface
public import TypedRows

/// How an input fits a pipeline, found out without a store.
public struct FeedCheck: Sendable {
  /// An attribute, and where its values come from.
  public struct Source: Sendable, Hashable {
    /// The attribute; a child's is named behind its entity and a period.
    public let attribute: String
    /// The path of the field.
    public let field: String
  }

  /// Children of one entity.
  public struct Children: Sendable, Hashable {
    /// The children's entity.
    public let entity: String
    /// Children read.
    public let read: Int
    /// Children that an import would reject.
    public let rejected: Int
    /// Children whose key an earlier one of their record had, with other values.
    public let repeatedKeys: Int
  }

  /// The input's name, as messages say it.
  public let input: String
  /// What shape was found, in plain words.
  public let shape: String
  /// Records read.
  public let read: Int
  /// Records that an import would reject.
  public let rejected: Int
  /// How the records' children fared, by entity.
  public let children: [Children]
  /// The first rejected records and children, at most ten.
  public let firstRejects: [RejectedRecord]
  /// Attributes whose field was in no record.
  public let absent: [Source]
  /// Keys of the records that the pipeline does not use, in the order of their coming; at most 256.
  public let unusedKeys: [String]
  /// Records whose key an earlier one had, with other values.
  public let repeatedKeys: Int
  /// Records that an earlier one was altogether like.
  public let copies: Int
  /// Whether records of this input would give way to later ones, and the pipeline does not say that they are to.
  public let losesRecords: Bool
  /// Attributes whose times have no zone, which the pipeline does not speak of.
  public let localTimes: [String]
  /// One in so many keys was looked at for that.
  let keyShare: Int

  /// Reads a file through a pipeline; `-` is standard input.
  ///
  /// - Throws: `ImportError`, for what would end an import early.
  package init(_ pipeline: Pipeline, path: String) throws(ImportError) {
    try self.init(pipeline, .path(path))
  }

  /// Reads bytes in memory through a pipeline.
  package init(_ pipeline: Pipeline, bytes: [UInt8], named name: String) throws(ImportError) {
    try self.init(pipeline, .bytes(bytes), label: name)
  }

  /// Reads a source through a pipeline.
  ///
  /// - Parameter cancellation: ends the reading, by an error of the kind `cancelled`.
  package init(
    _ pipeline: Pipeline, _ source: ByteInput.Source, label: String? = nil,
    cancellation: Cancellation = Cancellation()
  ) throws(ImportError) {
    var name = label ?? "the input"
    if label == nil, case .path(let path) = source { name = path == "-" ? "stdin" : path }
    do {
      let input = try ByteInput(source, label: name, cancellation: cancellation)
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
      children = zip(trial.children, counters.dropFirst()).map {
        Children(entity: $0.entity, read: $0.read, rejected: $0.rejected, repeatedKeys: $1.repeats)
      }
      firstRejects = trial.firstRejects
      absent = Self.absent(pipeline, trial)
      unusedKeys = trial.unusedKeys
      repeatedKeys = counters[0].repeats
      copies = counters[0].copies
      keyShare = counters[0].share
      let isSaid = pipeline.sourceMap.contains(["repeated-key"]) || pipeline.mergePolicy != .update
      losesRecords = !isSaid && counters.contains { $0.repeats > 0 }
      localTimes = trial.localTimes
    } catch {
      throw ImportError(reading: error, input: name, isStored: false)
    }
  }

  private static func absent(_ pipeline: Pipeline, _ trial: borrowing FeedTrial) -> [Source] {
    guard trial.read > 0 else { return [] }
    let missed = trial.childFields.filter { $0.records > 0 && $0.present == 0 }.map {
      Source(attribute: "\($0.entity).\($0.attribute)", field: $0.field)
    }
    let unseen = trial.paths.indices.filter { trial.occurrences[$0] == 0 }
    return unseen.compactMap { index in
      let source = trial.paths[index].description
      let field = pipeline.fields.first { $0.source == .path(source) }
      return field.map { Source(attribute: $0.attribute, field: source) }
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
