internal import Foundation
internal import Logging
internal import StoreInterface

#if Metrics
  internal import CoreMetrics
#endif
#if Tracing
  internal import Tracing
#endif

/// What stands around a store's calls: who is told of them, and what time it is in them.
///
/// Told is the caller's logger, and with the package's traits `Metrics` and `Tracing` the process's metrics and traces. Nothing of
/// an object's content is told.
struct CallContext: Sendable {
  let logger: Logger?
  /// What calls and imports take for the present instant; nil for the system's clock.
  let now: (@Sendable () -> Date)?

  init(logger: Logger? = nil, now: (@Sendable () -> Date)? = nil) {
    (self.logger, self.now) = (logger, now)
  }

  /// A call that takes so long is told of where others are not.
  private static let slowCall = Duration.seconds(1)

  #if Metrics || Tracing
    private var isHeard: Bool { true }
  #else
    private var isHeard: Bool { logger != nil }
  #endif

  /// Tells of a call that a task waits for.
  ///
  /// - Parameter call: what it is called; nil for one of which nothing is told but what happens inside.
  func telling<Answer: Sendable>(
    of call: String?, _ body: () async throws -> Answer
  ) async throws -> Answer {
    guard isHeard, let call else { return try await body() }
    let start = ContinuousClock.now
    do {
      let answer = try await span("bolide call", ["bolide.call": call], body)
      tell(of: call, "good", start.duration(to: .now))
      return answer
    } catch {
      tell(of: call, error.outcome, start.duration(to: .now))
      throw error
    }
  }

  /// Tells of an import, whose lines the import writes itself.
  func telling(
    ofImport pipeline: String, _ body: () async throws -> ImportReport
  ) async throws -> ImportReport {
    #if Metrics || Tracing
      let start = ContinuousClock.now
      do {
        let report = try await span("bolide import", ["bolide.pipeline": pipeline], body)
        measure(pipeline, "good", report, start.duration(to: .now))
        return report
      } catch {
        measure(pipeline, error.outcome, (error as? ImportError)?.report, start.duration(to: .now))
        throw error
      }
    #else
      try await body()
    #endif
  }

  /// Runs what a call does, and tells of what happens inside.
  func entering<Answer>(_ body: () throws -> Answer) rethrows -> Answer {
    guard let now else { return try hearing(body) }
    return try StoreClock.$current.withValue(StoreClock(now: now)) { try hearing(body) }
  }

  private func hearing<Answer>(_ body: () throws -> Answer) rethrows -> Answer {
    guard isHeard else { return try body() }
    return try StoreEvent.Observer.$current.withValue(StoreEvent.Observer { tell(of: $0) }, operation: body)
  }

  /// Tells that following the store has ended with an error: who follows has to begin anew.
  func tellOfEnd(_ error: any Error) {
    logger?.notice("following ended", metadata: ["outcome": "\(error.outcome)"])
  }

  private func tell(of call: String, _ outcome: String, _ duration: Duration) {
    #if Metrics
      CoreMetrics.Timer(label: "bolide.call", dimensions: [("call", call), ("outcome", outcome)])
        .recordSeconds(
          duration / .seconds(1))
    #endif
    logger?.log(
      level: duration >= Self.slowCall ? .notice : .debug,
      duration >= Self.slowCall ? "slow call" : "call ended",
      metadata: ["call": "\(call)", "outcome": "\(outcome)", "seconds": "\(duration / .seconds(1))"])
  }

  private func tell(of event: StoreEvent) {
    switch event {
    case .waits(let lock):
      logger?.debug("waiting for a lock", metadata: ["lock": "\(lock)"])
    case .stillWaits(let lock, let seconds):
      logger?.notice("still waiting for a lock", metadata: ["lock": "\(lock)", "seconds": "\(seconds)"])
    case .waited(let lock, let seconds):
      #if Metrics
        CoreMetrics.Timer(label: "bolide.lock.wait", dimensions: [("lock", "\(lock)")]).recordSeconds(seconds)
      #endif
      logger?.log(
        level: seconds >= LockWait.long ? .notice : .debug, "waited for a lock",
        metadata: ["lock": "\(lock)", "seconds": "\(seconds)"])
    case .repaired(let report):
      for problem in report.problems { logger?.warning("restored: \(problem)") }
    case .unassigned(let note):
      logger?.log(
        level: note.isPassing ? .debug : .notice, "other programs' changes may not be followed",
        metadata: ["because": "\(note.word)"])
    }
  }

  #if Metrics || Tracing
    private func measure(_ pipeline: String, _ outcome: String, _ report: ImportReport?, _ duration: Duration)
    {
      #if Metrics
        CoreMetrics.Timer(label: "bolide.import", dimensions: [("pipeline", pipeline), ("outcome", outcome)])
          .recordSeconds(duration / .seconds(1))
        guard let progress = report?.progress else { return }
        for (result, count) in [
          ("inserted", progress.counts.inserted), ("updated", progress.counts.updated),
          ("unchanged", progress.counts.unchanged), ("rejected", progress.total.rejected),
        ] {
          Counter(label: "bolide.import.records", dimensions: [("pipeline", pipeline), ("result", result)])
            .increment(by: Int64(count))
        }
      #endif
    }
  #endif

  #if Tracing
    private func span<Answer>(
      _ name: String, _ attributes: [String: String], _ body: () async throws -> Answer
    ) async throws -> Answer {
      try await withSpan(name) { span in
        for (key, value) in attributes { span.attributes.set(key, value: .string(value)) }
        return try await body()
      }
    }
  #else
    private func span<Answer>(
      _ name: String, _ attributes: [String: String], _ body: () async throws -> Answer
    ) async throws -> Answer {
      try await body()
    }
  #endif
}

extension Error {
  /// A word for what a call ended with.
  fileprivate var outcome: String {
    switch self {
    case let error as StoreError: error.code.description
    case let error as ImportError: error.code
    case is CancellationError: "cancelled"
    default: "other"
    }
  }
}
