internal import FeedReading
internal import Foundation
internal import ImportInput
internal import ImportModel
internal import JSONStream
internal import TypedRows

/// Tries rejected records again: their kept texts go through the same pipeline as an input's records.
struct ReplayRun {
  let store: any StoreEngine
  let pipeline: Pipeline
  let options: ImportOptions

  /// Records that are tried in one transaction.
  private static let batch = 1_000
  private static let shownRejects = 10

  /// Runs the replay to its end, on the calling thread.
  func run() throws(ImportError) -> ImportReport {
    let start = ContinuousClock.now
    let settings = options.settings(over: pipeline)
    let cancellation = options.cancellation
    do {
      let lock = try store.lock(
        forPipeline: pipeline.name, waiting: settings.lockWait,
        isCancelled: { cancellation.isCancelled })
      defer { withExtendedLifetime(lock) {} }
      try pipeline.check()
      try store.fit(pipeline)
      let restored = try store.restoreTriggers()
      let writing = try store.beginImport(
        pipeline, input: RunOutcome.replay, settings: settings, sameJSON: CanonicalJSON.areEqual,
        isCancelled: { cancellation.isCancelled })
      var firstRejects: [Reject] = []
      var failure: ImportError?
      do {
        func replay() throws -> Bool {
          try replayAll(writing) { firstRejects += $0.prefix(max(0, Self.shownRejects - firstRejects.count)) }
          return settings.rejectLimit.allows(writing.progress.total)
        }
        _ = try settings.isAtomic ? writing.atomically(replay) : replay()
      } catch {
        failure = ImportError(error)
      }
      let isGood = settings.rejectLimit.allows(writing.progress.total)
      let outcome = failure?.code ?? (isGood ? RunOutcome.good : RunOutcome.tooManyRefused)
      try writing.finish(
        outcome: outcome, bytes: 0, read: nil, unusedFields: [], isComplete: false)
      var report = ImportReport(
        pipeline: pipeline.name, run: writing.run, progress: writing.progress, seconds: start.secondsSince,
        firstRejects: firstRejects, rejectLimit: settings.rejectLimit, showsValues: settings.showsValues,
        stillKept: try store.keptRejectCount(pipeline: pipeline.name), restored: restored)
      report.expiredReaders = writing.expiredReaders
      if var failure {
        failure.report = report
        throw failure
      }
      return report
    } catch let error as ImportError {
      throw error
    } catch {
      if cancellation.isCancelled { throw ImportError.cancelledWaiting }
      throw ImportError(error)
    }
  }

  private func replayAll(_ writing: any ImportSession, _ show: ([Reject]) -> Void) throws {
    let stop = options.cancellation.forInput()
    defer { options.cancellation.release(stop) }
    let stage = try RecordStage(pipeline, layout: writing.layout, input: RunOutcome.replay, stop: stop)
    let chunk = Chunk(layout: writing.layout)
    var place: KeptReject?
    while true {
      if stop.isCancelled { throw ImportError.cancelled }
      let (kept, hasMore) = try store.replayableRejects(
        pipeline, before: writing.run, after: place, limit: Self.batch)
      var records = kept.byRecord
      // The rejects of one record are tried together, so the last ones wait for those that may follow.
      if hasMore, records.count > 1 { records.removeLast() }
      guard let last = records.last?.last else { return }
      place = last
      chunk.clear()
      var rows: [Int64] = []
      for one in records.compactMap(\.first) {
        if stop.isCancelled { throw ImportError.cancelled }
        if chunk.isWindowFull { try stage.endWindow(chunk) }
        try add(one, stage, chunk)
        if chunk.count > rows.count { rows.append(one.number) }
      }
      try stage.endWindow(chunk)
      try writing.replay(chunk, records, rows: rows)
      show(rejects(of: chunk, records))
    }
  }

  /// The records that are refused again, where they stood in their inputs.
  private func rejects(of chunk: Chunk, _ kept: [[KeptReject]]) -> [Reject] {
    let reasons = Dictionary(grouping: chunk.allRejects, by: \.record)
    return kept.compactMap(\.first).flatMap { kept in
      (reasons[Int(kept.number)] ?? []).map { reason in
        var reject = reason
        (reject.input, reject.record) = (kept.reject.input, kept.reject.record)
        return reject
      }
    }
  }

  /// Refuses what is no JSON, whatever the pipeline is.
  private func refuseAgain(_ kept: KeptReject, _ chunk: Chunk) {
    var reject = kept.reject
    (reject.record, reject.rowsBefore) = (Int(kept.number), chunk.count)
    chunk.recordsRead += 1
    chunk.refuse(reject, text: nil)
  }

  /// Takes one record into the chunk, as a row or as a reject, with its reject's number.
  private func add(_ kept: KeptReject, _ stage: RecordStage, _ chunk: Chunk) throws {
    if kept.reject.code == Refusal.brokenLine { return refuseAgain(kept, chunk) }
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
  /// The rejects of each record together: several of its children may have been refused, and it is tried once.
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
