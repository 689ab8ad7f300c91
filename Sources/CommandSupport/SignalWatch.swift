import Bolide
import Foundation
import Synchronization

/// Turns the first TERM, INT or HUP into a cancellation, which is told the signal. The second one ends the process at once.
///
/// The signals are blocked in all threads and fetched by one of their own, so that none is lost, however early it comes.
/// Make it before any other thread is there.
package final class SignalWatch {
  private let first = FirstSignal()

  /// The first signal that came.
  package var received: Int32? {
    let number = first.number.load(ordering: .relaxed)
    return number == 0 ? nil : number
  }

  package init(_ cancel: @escaping @Sendable (Int32) -> Void) {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGTERM)
    unsafe sigaddset(&signals, SIGINT)
    // `nohup` has it ignored; one that is waited for would come all the same.
    var hangUp = sigaction()
    if unsafe sigaction(SIGHUP, nil, &hangUp) == 0, !Self.isIgnored(hangUp) {
      unsafe sigaddset(&signals, SIGHUP)
    }
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    let isWatched = WorkThread.start("bolide signals") { [first, signals] in
      var signals = signals
      var number: Int32 = 0
      guard unsafe sigwait(&signals, &number) == 0 else { return }
      first.number.store(number, ordering: .relaxed)
      cancel(number)
      // This thread takes the second one, which then does what a signal does.
      unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      while true { pause() }
    }
    // Without a thread that fetches them they do what signals do.
    if !isWatched { unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil) }
  }

  private static func isIgnored(_ action: sigaction) -> Bool {
    #if canImport(Glibc)
      let handler = unsafe action.__sigaction_handler.sa_handler
    #else
      let handler = unsafe action.__sigaction_u.__sa_handler
    #endif
    return unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}

private final class FirstSignal: Sendable {
  let number = Atomic<Int32>(0)
}
