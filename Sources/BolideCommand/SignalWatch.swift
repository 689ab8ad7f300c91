import Dispatch
import Foundation
import Synchronization

/// Turns the first TERM or INT into a cancellation, which is told the signal. The second one ends the process at once.
final class SignalWatch {
  private let sources: [any DispatchSourceSignal]
  private let first: FirstSignal

  /// The first signal that came.
  var received: Int32? {
    let number = first.number.load(ordering: .relaxed)
    return number == 0 ? nil : number
  }

  init(_ cancel: @escaping @Sendable (Int32) -> Void) {
    let first = FirstSignal()
    self.first = first
    // A closed pipe is an error of the write that met it, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    sources = [SIGTERM, SIGINT].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        first.number.store(number, ordering: .relaxed)
        signal(SIGTERM, SIG_DFL)
        signal(SIGINT, SIG_DFL)
        cancel(number)
      }
      source.resume()
      return source
    }
  }
}

private final class FirstSignal: Sendable {
  let number = Atomic<Int32>(0)
}
