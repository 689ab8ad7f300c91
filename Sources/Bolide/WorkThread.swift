internal import Foundation
internal import Synchronization

/// Runs something once, on a thread of its own, and lets go of it when it has run.
///
/// Foundation keeps a thread's block beyond the thread's end, and with it whatever the block holds: stores stayed open,
/// chunks in memory.
final class WorkThread: Sendable {
  private let work: Mutex<(@Sendable () -> Void)?>

  private init(_ body: @escaping @Sendable () -> Void) { work = Mutex(body) }

  /// - Parameter name: what debuggers call the thread.
  static func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
    let work = WorkThread(body)
    let thread = Thread { work.take()?() }
    thread.name = name
    // A deep JSON document costs no stack; this is for SQLite's expressions.
    thread.stackSize = 4 << 20
    thread.start()
  }

  private func take() -> (@Sendable () -> Void)? {
    work.withLock { work in
      defer { work = nil }
      return work
    }
  }
}
