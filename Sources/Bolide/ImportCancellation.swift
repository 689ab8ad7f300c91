internal import ImportInput
internal import StoreInterface
internal import Synchronization

/// Stops an import: the chunk in hand is committed or rolled back, and the run is recorded.
public final class ImportCancellation: Sendable {
  private struct State {
    var isCancelled = false
    var parts: [(id: ObjectIdentifier, cancel: @Sendable () -> Void)] = []
  }

  private let state = Mutex(State())

  /// Makes a cancellation that has not happened.
  public init() {}

  /// Asks the imports to stop that have it in their options, later ones too. May be called from any thread, and again.
  public func cancel() {
    let parts = state.withLock { state in
      state.isCancelled = true
      return state.parts
    }
    for part in parts { part.cancel() }
  }

  /// Whether it was asked to stop.
  public var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// A cancellation for one import, which comes with this one and not the other way round: a task that is cancelled
  /// stops its own import, and the options may be used for others.
  func child() -> ImportCancellation {
    let child = ImportCancellation()
    add(child) { child.cancel() }
    return child
  }

  /// A cancellation for one import's input, likewise: an import that fails wakes its own reading thread.
  func forInput() -> Cancellation {
    let child = Cancellation()
    add(child) { child.cancel() }
    return child
  }

  /// Runs what is simply left where this happens: what an import does before its first record.
  func ending<Result>(_ body: () throws -> Result) rethrows -> Result {
    let call = StoreCall(isPatient: true)
    add(call) { call.cancel() }
    defer { release(call) }
    return try StoreCall.$current.withValue(call, operation: body)
  }

  private func add(_ child: AnyObject, _ cancel: @escaping @Sendable () -> Void) {
    let id = ObjectIdentifier(child)
    let isLate = state.withLock { state in
      state.parts.append((id, cancel))
      return state.isCancelled
    }
    if isLate { cancel() }
  }

  /// Forgets a child whose import is over.
  func release(_ child: AnyObject) {
    let id = ObjectIdentifier(child)
    state.withLock { state in state.parts.removeAll { $0.id == id } }
  }
}
