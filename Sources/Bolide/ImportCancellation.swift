internal import ImportInput
internal import Synchronization

/// Stops an import: the chunk in hand is committed or rolled back, and the run is recorded.
public final class ImportCancellation: Sendable {
  private struct State {
    var isCancelled = false
    var imports: [Cancellation] = []
  }

  private let state = Mutex(State())

  /// Makes a cancellation that has not happened.
  public init() {}

  /// Asks the import to stop. May be called from any thread, and again.
  public func cancel() {
    let imports = state.withLock { state in
      state.isCancelled = true
      return state.imports
    }
    for cancellation in imports { cancellation.cancel() }
  }

  /// Whether it was asked to stop.
  public var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// A cancellation for one import's input, which comes with this one and not the other way round: an import that
  /// fails wakes its own reading thread, and the options may be used for the next one.
  func child() -> Cancellation {
    let child = Cancellation()
    let isLate = state.withLock { state in
      state.imports.append(child)
      return state.isCancelled
    }
    if isLate { child.cancel() }
    return child
  }

  /// Forgets a child whose import is over.
  func release(_ child: Cancellation) {
    state.withLock { state in state.imports.removeAll { $0 === child } }
  }
}
