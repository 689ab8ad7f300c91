import Synchronization

/// Ends an import from outside: any thread may cancel, and a read that waits for input returns at once.
///
/// One cancellation may serve many inputs. It cannot be taken back.
package final class Cancellation: Sendable {
  private let cancelled = Atomic(false)
  private let wake = Wake()

  /// Not yet cancelled.
  package init() {}

  /// Whether `cancel` was called.
  package var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

  /// Ends every read under way and every later one.
  ///
  /// Safe on any thread, as often as wanted.
  package func cancel() {
    cancelled.store(true, ordering: .releasing)
    wake.signal()
  }

  /// Can be read from the moment of cancellation on; polled beside an input.
  ///
  /// -1 when there is none.
  var descriptor: CInt { wake.descriptor }
}
