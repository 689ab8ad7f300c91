import Synchronization

/// Takes bytes from an asynchronous producer to the reading thread, which blocks for them.
///
/// ```
/// producer task ── send ──▶ [ one piece ] ── take ──▶ reading thread
///   suspends while a piece is pending          blocks while there is none
/// ```
///
/// One producer, one consumer. The producer always ends with `finish`; without it the consumer waits for ever.
package final class BytePipe: Sendable {
  /// What the consumer gets.
  enum Taken { case piece([UInt8]), idle, end }

  private enum End {
    case finished
    case failed(any Error)
    /// The consumer has gone.
    case closed
  }

  private struct State {
    var pending: [UInt8]?
    /// The suspended producer and the piece that it wants to leave.
    var producer: (waiting: CheckedContinuation<Bool, Never>, piece: [UInt8])?
    var end: End?
  }

  private let state = Mutex(State())
  private let wake = Wake()

  /// An empty pipe.
  package init() {}

  /// Hands a piece over; suspends while the piece before it is still pending.
  ///
  /// Empty pieces count for nothing.
  ///
  /// - Returns: False when the piece was not taken, because the consumer has gone or the task was cancelled. A
  ///   cancelled task ends the pipe with `CancellationError`, so that the consumer cannot mistake it for the end.
  @discardableResult
  package func send(_ bytes: [UInt8]) async -> Bool {
    if bytes.isEmpty { return true }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: Bool? = state.withLock { state in
          precondition(state.producer == nil, "a pipe has one producer")
          if state.end != nil { return false }
          if state.pending != nil {
            state.producer = (continuation, bytes)
            return nil
          }
          state.pending = bytes
          wake.signal()
          return true
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      finish(throwing: CancellationError())
    }
  }

  /// Hands over everything that `sequence` brings, and then finishes, with the sequence's error if it has one.
  package func send<Pieces: AsyncSequence>(contentsOf sequence: Pieces) async
  where Pieces.Element: Sequence<UInt8> {
    do {
      for try await piece in sequence {
        guard await send(Array(piece)) else { return finish(throwing: CancellationError()) }
      }
      finish()
    } catch {
      finish(throwing: error)
    }
  }

  /// Ends the pipe.
  ///
  /// The consumer gets what is pending first, then the end or the error. Only the first end counts.
  package func finish(throwing error: (any Error)? = nil) {
    end(with: error.map { .failed($0) } ?? .finished)
  }

  /// The consumer goes: every `send` from now on returns false at once.
  package func close() {
    end(with: .closed)
  }

  /// Blocks until there is a piece, the end, an error, the deadline or a cancellation.
  ///
  /// - Throws: What `finish(throwing:)` was given; `CancellationError` when `cancellation` was cancelled.
  func take(until deadline: ContinuousClock.Instant?, cancellation: Cancellation) throws -> Taken {
    while true {
      if cancellation.isCancelled { throw CancellationError() }
      if let taken = try takeNow() { return taken }
      if try System.wait(for: wake.descriptor, or: cancellation.descriptor, until: deadline)
        == .deadlinePassed
      {
        return .idle
      }
    }
  }

  /// Nil: nothing is there yet.
  private func takeNow() throws -> Taken? {
    var freed: CheckedContinuation<Bool, Never>?
    defer { freed?.resume(returning: true) }
    return try state.withLock { state throws -> Taken? in
      if let piece = state.pending {
        state.pending = state.producer?.piece
        freed = state.producer?.waiting
        state.producer = nil
        return .piece(piece)
      }
      switch state.end {
      case .failed(let error): throw error
      case .finished, .closed: return .end
      case nil:
        // Within the lock, so that no signal given after this look is lost.
        wake.clear()
        return nil
      }
    }
  }

  private func end(with end: End) {
    let refused: CheckedContinuation<Bool, Never>? = state.withLock { state in
      if state.end == nil || state.producer != nil { state.end = end }
      // A good end delivers the piece that still waits; any other refuses it.
      if case .finished = end { return nil }
      defer { state.producer = nil }
      return state.producer?.waiting
    }
    wake.signal()
    refused?.resume(returning: false)
  }
}
