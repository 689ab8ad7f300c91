internal import FeedReading
internal import ImportInput
internal import ImportModel
internal import JSONStream
internal import TypedRows

/// Tries rejected records again: their kept texts go through the same pipeline as an input's records.
struct ReplayRun {
  let frame: ImportFrame

  /// Records that are tried in one transaction.
  private static let batch = 1_000

  init(store: any StoreEngine, pipeline: Pipeline, options: ImportOptions) {
    frame = ImportFrame(store: store, pipeline: pipeline, options: options)
  }

  /// Runs the replay to its end, on the calling thread.
  func run() throws(ImportError) -> ImportReport {
    let (settings, cancellation) = (frame.settings, frame.options.cancellation)
    return try frame.run(RunOutcome.replay) { frame, writing in
      var applied = AppliedRecords(isReplay: true)
      var tally = RejectTally()
      do {
        func replay() throws -> Bool {
          try Self.replayAll(frame, writing) {
            applied.firstRejects.appendFirst($0)
            tally.add($0)
          }
          return settings.rejectLimit.allows(writing.progress.total)
        }
        _ = try settings.isAtomic ? writing.atomically(replay) : replay()
      } catch {
        applied.failure = ImportError(applying: error, cancellation)
      }
      applied.rejectKinds = tally.kinds
      return applied
    }
  }

  private static func replayAll(
    _ frame: ImportFrame, _ writing: any ImportSession, _ show: ([RejectedRecord]) -> Void
  ) throws {
    let pipeline = frame.pipeline
    let stop = frame.options.cancellation.forInput()
    defer { frame.options.cancellation.release(stop) }
    let stage = try RecordStage(pipeline, layout: writing.layout, input: RunOutcome.replay, stop: stop)
    let chunk = Chunk(layout: writing.layout)
    var place: KeptReject?
    while true {
      if stop.isCancelled { throw ImportError.cancelled }
      let (kept, hasMore) = try frame.store.replayableRejects(
        pipeline, before: writing.run, after: place, limit: batch)
      var records = kept.byRecord
      // The rejects of one record are tried together, so the last ones wait for those that may follow.
      if hasMore, records.count > 1 { records.removeLast() }
      guard let last = records.last?.last else { return }
      place = last
      chunk.clear()
      var rows: [Int64] = []
      for one in records.compactMap(\.first) {
        if stop.isCancelled { throw ImportError.cancelled }
        if chunk.isBatchFull { try stage.flushBatch(chunk) }
        try add(one, pipeline, stage, chunk)
        if chunk.count > rows.count { rows.append(one.number) }
      }
      try stage.flushBatch(chunk)
      try writing.replay(chunk, records, rows: rows)
      show(rejects(of: chunk, records))
    }
  }

  /// The records that are rejected again, where they stood in their inputs.
  private static func rejects(of chunk: Chunk, _ kept: [[KeptReject]]) -> [RejectedRecord] {
    let reasons = Dictionary(grouping: chunk.allRejects, by: \.record)
    return kept.flatMap { kept -> [RejectedRecord] in
      guard let first = kept.first else { return [] }
      var open = kept
      return (reasons[Int(first.number)] ?? []).map { reason in
        reason.at((open.take(replacedBy: reason) ?? first).reject)
      }
    }
  }

  /// Rejects what is no JSON, whatever the pipeline is.
  private static func rejectAgain(_ kept: KeptReject, _ chunk: Chunk) {
    var reject = kept.reject
    (reject.record, reject.rowsBefore) = (Int(kept.number), chunk.count)
    chunk.recordsRead += 1
    chunk.reject(reject, text: nil)
  }

  /// Takes one record into the chunk, as a row or as a reject, with its reject's number.
  private static func add(_ kept: KeptReject, _ pipeline: Pipeline, _ stage: RecordStage, _ chunk: Chunk)
    throws
  {
    if kept.reject.code == RejectionReason.brokenLine { return rejectAgain(kept, chunk) }
    let document = RecordDocument(kept.reject, pipeline.records)
    var reader = try stage.reader(document.shape)
    reader.append(document.bytes.span)
    reader.finish()
    let number = Int(kept.number)
    do {
      guard case .record = try reader.next() else { throw ImportError.notOneRecord(kept: number) }
      try stage.add(
        &reader, to: chunk,
        at: RecordPosition(
          record: number, byte: kept.reject.byte, line: kept.reject.line, column: kept.reject.column))
      guard case .end = try reader.next() else { throw ImportError.notOneRecord(kept: number) }
    } catch is JSONError {
      throw ImportError.notOneRecord(kept: number)
    }
  }
}

extension [KeptReject] {
  /// The rejects of each record together: several of its children may have been rejected, and it is tried once.
  fileprivate var byRecord: [[KeptReject]] {
    var groups: [[KeptReject]] = []
    for kept in self {
      if let last = groups.last?.last, last.isOfSameRecord(kept) {
        groups[groups.count - 1].append(kept)
      } else {
        groups.append([kept])
      }
    }
    return groups
  }
}

extension KeptReject {
  fileprivate func isOfSameRecord(_ other: KeptReject) -> Bool {
    reject.entity != nil && other.reject.entity != nil && lastRun == other.lastRun
      && reject.record == other.reject.record && reject.text == other.reject.text
  }
}
