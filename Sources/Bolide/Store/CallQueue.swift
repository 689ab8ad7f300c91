internal import Foundation
internal import StoreInterface

/// Runs calls that may wait on threads of its own, in the order in which they come; the calling tasks are suspended.
///
/// Not on Dispatch's threads: on Linux Swift's executor uses those too, and calls that wait for a lock would hold up every
/// task of the process. A thread keeps nothing of a call that has ended, and ends when there was none for a second.
///
/// @unchecked: all that changes is touched under the condition's lock alone.
final class CallQueue: @unchecked Sendable {
  private struct Waiting {
    let call: StoreCall
    /// Makes the call, or ends it by an error, and gives what hands the answer over.
    let end: ((any Error)?) -> () -> Void
  }

  private let limit: Int
  private let condition = NSCondition()
  private var line: [Waiting] = []
  private var threads = 0
  /// How many of them make a call at present; the others take the next ones.
  private var running = 0
  /// How long a thread waits for another call.
  private static let patience: TimeInterval = 1

  /// - Parameter limit: how many threads there are at most.
  init(limit: Int) { self.limit = limit }

  /// Makes a call when it is its turn.
  ///
  /// - Parameter lockWait: how long it stands in the line at most; nil for as long as it takes.
  /// - Throws: what `body` throws; `CancellationError` where the task was cancelled before the call had an effect;
  ///   `StoreError` where the system gives no thread, or the line was too long.
  func run<Answer: Sendable>(
    lockWait: Duration? = nil, _ body: @escaping @Sendable () throws -> Answer
  ) async throws -> Answer {
    let call = StoreCall()
    let timer = lockWait.map { wait in
      Task {
        try await Task.sleep(for: wait)
        self.leave(call, StoreError.writerInUse, unlessNext: true)
      }
    }
    defer { timer?.cancel() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        add(
          Waiting(call: call) { error in
            let result = Result { if let error { throw error } else { try call.answer(body) } }
            return { continuation.resume(with: result) }
          })
      }
    } onCancel: {
      call.cancel()
      leave(call, CancellationError())
    }
  }

  private func add(_ waiting: Waiting) {
    condition.lock()
    // Whoever cancels it from now on finds it in the line.
    if waiting.call.isCancelled {
      condition.unlock()
      return waiting.end(CancellationError())()
    }
    line.append(waiting)
    let isToStart = running + line.count > threads && threads < limit
    if isToStart { threads += 1 }
    condition.signal()
    condition.unlock()
    guard isToStart, !WorkThread.start("bolide store", { self.work() }) else { return }
    condition.lock()
    threads -= 1
    // The other threads make it; where there is none, nobody does.
    let left = threads == 0 ? line : []
    if threads == 0 { line = [] }
    condition.unlock()
    for waiting in left { waiting.end(StoreError.noThread)() }
  }

  /// Ends a call that has not begun.
  ///
  /// - Parameter isLeftNext: a call that has a thread, or is to have one, stays.
  private func leave(_ call: StoreCall, _ error: any Error, unlessNext isLeftNext: Bool = false) {
    condition.lock()
    var place = line.firstIndex { $0.call === call }
    if isLeftNext, let found = place, found < limit - running { place = nil }
    let waiting = place.map { line.remove(at: $0) }
    condition.unlock()
    waiting?.end(error)()
  }

  private func work() {
    while let answer = makeNext() { answer() }
  }

  /// Makes the next call, and lets go of it.
  ///
  /// - Returns: what hands its answer over; nil ends the thread.
  private func makeNext() -> (() -> Void)? {
    guard let answer = next()?.end(nil) else { return nil }
    // Before the answer, as the next call may come with it.
    condition.lock()
    running -= 1
    condition.unlock()
    return answer
  }

  /// Waits for the next call.
  private func next() -> Waiting? {
    condition.lock()
    defer { condition.unlock() }
    let end = Date(timeIntervalSinceNow: Self.patience)
    while line.isEmpty {
      guard condition.wait(until: end) || !line.isEmpty else {
        threads -= 1
        return nil
      }
    }
    running += 1
    return line.removeFirst()
  }
}

extension StoreCall {
  /// Runs `body` as this call. What ends because it was cancelled says so.
  fileprivate func answer<Answer>(_ body: () throws -> Answer) throws -> Answer {
    do {
      return try Self.$current.withValue(self) {
        try Self.check()
        return try body()
      }
    } catch let error where isCancelled && error.isEndOfCall {
      throw CancellationError()
    }
  }
}
