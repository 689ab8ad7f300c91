import Bolide
import Foundation
import Synchronization

/// Turns the first TERM or INT into a cancellation, which is told the signal. The second one ends the process at once.
///
/// The signals are blocked in all threads and fetched by one of their own, so that none is lost, however early it comes.
/// Make it before any other thread is there.
final class SignalWatch {
  private let first = FirstSignal()

  /// The first signal that came.
  var received: Int32? {
    let number = first.number.load(ordering: .relaxed)
    return number == 0 ? nil : number
  }

  init(_ cancel: @escaping @Sendable (Int32) -> Void) {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGTERM)
    unsafe sigaddset(&signals, SIGINT)
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
}

private final class FirstSignal: Sendable {
  let number = Atomic<Int32>(0)
}
