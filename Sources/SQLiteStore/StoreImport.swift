internal import CSQLiteShims
internal import GRDB
package import ImportModel

/// One run's writing side: owns the store's writing connection from the first chunk to the run's end.
///
/// Used by one thread.
package final class StoreImport {
  /// Which columns the chunks have.
  package let layout: ChunkLayout
  /// What was done so far.
  package private(set) var progress = RunProgress()

  private let store: Store
  private let input: String
  private let author: String
  private let log: RunLog
  private let writer: ChunkWriter
  /// Whether triggers that are not Bolide's stand on a table: then all triggers fire, and do the chunk writer's work.
  private let triggersFire: Bool

  /// Begins a run.
  package init(_ store: Store, _ pipeline: Pipeline, input: String) throws {
    self.store = store
    self.input = input
    author = pipeline.author ?? pipeline.name
    let author = author
    (layout, log, writer, triggersFire) = try store.writing { db in
      guard let model = try SchemaUpdate.storedModel(db) else {
        throw StoreError(.corrupt, "the store has no model", hint: "Restore it from a backup.")
      }
      try RestoreCheck.run(db)
      try OwnerRecompute.settle(db, model: model)
      let layout = ChunkLayout(pipeline, model: model)
      let log = try RunLog(db, pipeline: pipeline.name, author: author, input: input)
      let triggersFire = try Triggers.areForeign(db, model: model)
      return (
        layout, log, try ChunkWriter(db, layout: layout, model: model, triggersWrite: triggersFire),
        triggersFire
      )
    }
  }

  /// The run's number in the store.
  package var run: Int64 { log.run }

  /// What the stages took so far; the caller ends `waitingForChunks`.
  package var times: StageTimes {
    get { writer.times }
    set { writer.times = newValue }
  }

  /// Applies one chunk in one transaction.
  ///
  /// A chunk that changes nothing and refuses nothing writes nothing; its counts come with the next one.
  package func apply(_ chunk: Chunk, bytes: Int) throws {
    var after = progress
    try store.writing { db in
      // The triggers do for other programs what the chunk writer does here.
      bolide_enable_triggers(db.sqliteConnection, triggersFire ? 1 : 0)
      defer { bolide_enable_triggers(db.sqliteConnection, 1) }
      try db.inTransaction(.immediate) {
        let result = try writer.apply(chunk, input: input, author: author, run: run)
        after.counts += result.counts
        after.chunks += 1
        after.bytes = bytes
        after.token = result.token ?? after.token
        for reject in chunk.rejects { try log.write(reject) }
        if result.token != nil || !chunk.rejects.isEmpty { try log.write(after, outcome: nil) }
        return .commit
      }
    }
    writer.times.end(.commit)
    // Only what was committed counts.
    progress = after
  }

  /// Ends the run.
  ///
  /// - Parameter outcome: `ok`, or the code of what ended it.
  package func finish(outcome: String, bytes: Int) throws {
    progress.bytes = bytes
    try store.writing { db in
      try log.write(progress, outcome: outcome)
      try writer.close()
    }
  }
}
