internal import ImportInput
internal import ImportModel
internal import JSONStream
package import SQLiteStore

/// How an input fits a pipeline, found out without a store: `bolide check PIPELINE INPUT`.
package struct FeedCheck {
  /// The input's name, as messages say it.
  package let input: String
  /// What shape was found, in plain words.
  package let shape: String
  /// Records read.
  package let read: Int
  /// Records that an import would refuse.
  package let refused: Int
  /// Children read, and those that an import would refuse, by entity.
  package let children: [(entity: String, read: Int, refused: Int)]
  /// The first refused records and children, at most ten.
  package let firstRejects: [Reject]
  /// Attributes whose source was in no record, each with that source.
  package let neverThere: [(attribute: String, source: String)]
  /// Keys of the records that the pipeline does not use, in the order of their coming; at most 256.
  package let unusedKeys: [String]
  /// Records whose key an earlier one had.
  package let repeatedKeys: Int
  /// One in so many keys was looked at for that.
  package let keyShare: Int

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
      var counter = KeyCounter()
      let key = trial.keyColumns
      try trial.run { chunk, rows in
        for row in rows {
          guard let digest = chunk.digest(of: key, row: row) else { continue }
          counter.take(digest, limit: KeyCounter.budget)
        }
      }
      self.input = input.name
      shape = trial.shapeDescription ?? "nothing"
      read = trial.read
      refused = trial.refused
      children = trial.children
      firstRejects = trial.firstRejects
      neverThere = Self.neverThere(pipeline, trial)
      unusedKeys = trial.unusedKeys
      repeatedKeys = counter.repeats
      keyShare = counter.share
    } catch {
      throw ImportError(reading: error, input: name, isStored: false)
    }
  }

  private static func neverThere(
    _ pipeline: Pipeline, _ trial: borrowing FeedTrial
  ) -> [(attribute: String, source: String)] {
    guard trial.read > 0 else { return [] }
    var missed: [(attribute: String, source: String)] = []
    for absent in trial.absentInChildren {
      for children in pipeline.children {
        guard let entity = pipeline.toMany(of: children)?.destination.name,
          trial.children.contains(where: { $0.entity == entity && $0.read == absent.records }),
          let field = children.fields.first(where: { "\(entity).\($0.attribute)" == absent.attribute }),
          case .path(let source) = field.source
        else { continue }
        missed.append((absent.attribute, "\(children.records)/\(source)"))
      }
    }
    let unseen = trial.paths.indices.filter { trial.occurrences[$0] == 0 }
    return unseen.compactMap { index in
      let source = trial.paths[index].description
      let field = pipeline.fields.first { $0.source == .path(source) }
      return field.map { ($0.attribute, source) }
    } + missed
  }
}
