package import ImportModel
package import TypedRows

/// What an import needs of a store.
package protocol ImportEngine: EngineIdentity {
  /// Takes the lock that keeps imports into one store apart.
  ///
  /// - Parameters:
  ///   - seconds: how long to wait for another pipeline's import. One of the same pipeline is not waited for.
  ///   - isCancelled: asked while waiting.
  /// - Returns: the lock; it is released with the last reference.
  /// - Throws: `StoreError.locked`, which names the holder.
  func lock(
    forPipeline name: String, waiting seconds: Double, isCancelled: () -> Bool
  ) throws -> AnyObject

  /// Adds to the store what a pipeline's model has and the store lacks, as far as nothing is lost.
  ///
  /// - Throws: `StoreError.modelChange` for what would lose or convert values.
  func fit(_ pipeline: Pipeline) throws

  /// Restores what other programs took away of the store's own upkeep, and records what happened meanwhile.
  @discardableResult
  func restoreTriggers() throws -> RepairReport

  /// The fields of a pipeline's records that earlier runs met and did not use; nil when no run was good.
  func unusedFields(pipeline name: String) throws -> Set<String>?

  /// The digests of inputs of a size that would change nothing if they were imported again under the same rules.
  func digestsOfUnchanged(_ pipeline: Pipeline, size: Int, rules: [UInt8]) throws -> Set<[UInt8]>

  /// Records a run that found the input of an earlier run; nil when the input has to be read.
  func recordUnchanged(
    _ pipeline: Pipeline, input: String, _ identity: InputIdentity
  ) throws -> (run: Int64, progress: RunProgress)?

  /// The next rejected records that can be tried again, in the order in which inputs brought them.
  ///
  /// - Parameters:
  ///   - run: what this run or a later one rejected is left out.
  ///   - last: the last one of the call before; nil at first.
  /// - Returns: so many that their texts fit into memory, and whether there may be more.
  func replayableRejects(
    _ pipeline: Pipeline, before run: Int64, after last: KeptReject?, limit: Int
  ) throws -> (kept: [KeptReject], hasMore: Bool)

  /// How many rejected records of a pipeline are kept.
  func keptRejectCount(pipeline name: String) throws -> Int

  /// Begins a run.
  ///
  /// - Parameters:
  ///   - settings: those that hold for this run.
  ///   - sameJSON: whether two texts of a json attribute mean the same; the stored one stays then.
  ///   - isCancelled: asked while another program holds the store.
  func beginImport(
    _ pipeline: Pipeline, input: String, settings: ImportSettings,
    sameJSON: @escaping ChunkLayout.TextEquality, isCancelled: @escaping @Sendable () -> Bool
  ) throws -> any ImportSession
}

/// One run's writing side, used by one thread.
///
///     apply, apply, …                    a transaction a chunk
///     atomically { apply, apply, … }     one transaction
///     finish
package protocol ImportSession: AnyObject {
  /// Which columns the chunks have.
  var layout: ChunkLayout { get }
  /// The run's number in the store.
  var run: Int64 { get }
  /// What was done so far.
  var progress: RunProgress { get }
  /// What the stages took so far; the caller ends `waitingForChunks`.
  var times: StageTimes { get set }
  /// Named readers from whom the run's end has taken history that they had not seen.
  var expiredReaders: [String] { get }
  /// Whether an atomic import was committed.
  var isCommitted: Bool { get }
  /// The token of an atomic import whose commit ended with an error, so that nobody knows yet whether it is stored.
  var undecided: HistoryToken? { get }

  /// Applies one chunk, in a transaction of its own or in the one that `atomically` has open.
  ///
  /// A chunk that changes nothing and rejects nothing writes nothing; its counts come with the next one. Where the
  /// import stops at a rejected record, the chunk is cut behind it.
  func apply(_ chunk: Chunk, bytes: Int) throws

  /// Runs `body`, which applies chunks, in one transaction.
  ///
  /// - Returns: what `body` returns: whether to keep what it did.
  func atomically(_ body: () throws -> Bool) throws -> Bool

  /// Of the rows that the last complete run of a full feed saw, and that are there: how many this run has not met.
  ///
  /// - Returns: nil where no complete run is known, or a rejected record could be any of the rows.
  func missingOfLastRun() throws -> (missing: Int, seen: Int)?

  /// Applies records that were rejected before, or had rejected children; what lands is kept no longer.
  ///
  /// - Parameters:
  ///   - chunk: not sorted yet; its records are numbered by the first of their rejects.
  ///   - kept: the rejects of the whole chunk, those of one record together.
  ///   - rows: for each of the chunk's rows, the number of its record.
  func replay(_ chunk: Chunk, _ kept: [[KeptReject]], rows: [Int64]) throws

  /// Ends the run.
  ///
  /// - Parameters:
  ///   - outcome: `RunOutcome.good`, or the code of what ended it.
  ///   - bytes: input bytes taken in all.
  ///   - identity: what the input was, if it was read to its end and can be recognised by that.
  ///   - unusedFields: fields of the records that the pipeline does not use.
  ///   - isComplete: the input was read to its end, and all of it was applied.
  func finish(
    outcome: String, bytes: Int, read identity: InputIdentity?, unusedFields: Set<String>, isComplete: Bool
  ) throws
}
