package import ImportModel
package import TypedRows

/// What an import needs of a store.
package protocol ImportEngine: EngineIdentity {
  /// Takes the lock that keeps imports into one store apart.
  ///
  /// - Parameter seconds: how long to wait for another pipeline's import. One of the same pipeline is not waited for.
  /// - Returns: the lock; it is released with the last reference.
  /// - Throws: `StoreError.locked`, which names the holder.
  func lock(forPipeline name: String, waiting seconds: Double) throws -> AnyObject

  /// Adds to the store what a pipeline's model has and the store lacks, as far as nothing is lost.
  ///
  /// - Throws: `StoreError.modelChange` for what would lose or convert values.
  func fit(_ pipeline: Pipeline) throws

  /// Restores what other programs took away of the store's own upkeep, and records what happened meanwhile.
  @discardableResult
  func restoreTriggers() throws -> RepairReport

  /// What earlier runs met of the fields of a pipeline's records.
  func fieldMemory(of pipeline: Pipeline) throws -> FieldMemory

  /// Sees that the store could hold a pipeline's model, and changes nothing.
  func checkFit(_ pipeline: Pipeline) throws

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

  /// The inputs that earlier good runs of the pipeline have read under the same rules, and from here on notes which rows each
  /// input meets, for `finish`.
  func knownInputs(rules: [UInt8]) throws -> [KnownInput]

  /// Takes an input for read, where to read it now would change nothing: its records count as they did, and its rows as met.
  ///
  /// - Returns: false when it has to be read.
  func skip(_ input: KnownInput) throws -> Bool

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
  func missingOfLastRun() throws -> RowShare?

  /// Of the rows that this run has met, and that were there after the pipeline's last good run: how many differ from what
  /// they were then in what the pipeline gives them. Attributes that the model did not have then are left out.
  ///
  /// - Returns: nil where there was no good run. Where history does not go back to it, the oldest state that is kept stands
  ///   in for it.
  func changedSinceLastGoodRun() throws -> RowShare?

  /// How many rows of each entity are gone, of these and those that this run has met.
  func goneRows() throws -> [(entity: String, share: RowShare)]

  /// Deletes or marks the rows that a full feed has no more, as its pipeline wants it. The input was read to its end, and all
  /// of it was applied.
  func treatGone() throws

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
  ///   - inputs: what each of several inputs was, by its place; nil for one that cannot be recognised or was skipped, and
  ///     nothing at all where none may be skipped by what this run has done.
  ///   - fields: what the records had of fields.
  ///   - isComplete: the input was read to its end, and all of it was applied.
  func finish(
    outcome: String, bytes: Int, read identity: InputIdentity?, inputs: [InputFacts?], fields: FieldsRead,
    isComplete: Bool
  ) throws
}
