internal import Dispatch
internal import Foundation
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Runs something once, on a thread of its own, and lets go of it when it has run.
///
/// Not Foundation's `Thread`: that one keeps its block, and with it stores and chunks, beyond the thread's end; and where
/// the system gives no thread it says nothing, and whoever waits for the thread waits for ever.
package final class WorkThread {
  private let name: String
  private let body: @Sendable () -> Void

  private init(_ name: String, _ body: @escaping @Sendable () -> Void) {
    (self.name, self.body) = (name, body)
  }

  /// - Parameter name: what debuggers call the thread; 15 bytes at most.
  /// - Returns: whether there is such a thread. Where there is none, nothing runs.
  package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
    // A deep JSON document costs no stack; this is for SQLite's expressions.
    withAttributes(stack: 4 << 20) { attributes in
      pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
      let work = Unmanaged.passRetained(WorkThread(name, body))
      #if canImport(Glibc)
        var thread = pthread_t()
      #else
        var thread: pthread_t?
      #endif
      let error = pthread_create(&thread, attributes, { WorkThread.run($0) }, work.toOpaque())
      if error != 0 { work.release() }
      return error == 0
    }
  }

  /// Runs something several times at once: the first time on the calling thread, each further one on a thread of its own, or where
  /// there is none behind the first. Waits for all.
  ///
  /// - Parameter body: given its number, from 0.
  /// - Throws: of the errors that were thrown, that of the lowest number.
  package static func runSideBySide(
    _ count: Int, _ name: String, _ body: @escaping (_ number: Int) throws -> Void
  ) throws {
    let (outcome, group) = (Outcome(), DispatchGroup())
    let clock = StoreClock.current
    // Nobody calls it any more when the group has ended.
    nonisolated(unsafe) let body = body
    let run = { @Sendable (number: Int) in
      do {
        try StoreClock.$current.withValue(clock) { try body(number) }
      } catch {
        outcome.note(error, of: number)
      }
    }
    let left = (1..<count).filter { number in
      group.enter()
      let isStarted = start(name) {
        run(number)
        group.leave()
      }
      if !isStarted { group.leave() }
      return !isStarted
    }
    for number in [0] + left { run(number) }
    group.wait()
    if let error = outcome.first { throw error }
  }

  private final class Outcome: Sendable {
    private let errors = Mutex<[Int: any Error]>([:])

    func note(_ error: any Error, of number: Int) { errors.withLock { $0[number] = error } }
    var first: (any Error)? { errors.withLock { errors in errors.keys.min().flatMap { errors[$0] } } }
  }

  private static func withAttributes(
    stack: Int, _ body: (UnsafeMutablePointer<pthread_attr_t>) -> Bool
  ) -> Bool {
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    pthread_attr_init(attributes)
    defer {
      pthread_attr_destroy(attributes)
      attributes.deallocate()
    }
    pthread_attr_setstacksize(attributes, stack)
    return body(attributes)
  }

  /// Whether the system gives this process threads, and room for the few that a command has: Dispatch would wait for it for
  /// ever.
  package static var isToBeHad: Bool {
    withAttributes(stack: 32 << 20) { attributes in
      #if canImport(Glibc)
        var thread = pthread_t()
        guard pthread_create(&thread, attributes, { _ in nil }, nil) == 0 else { return false }
        pthread_join(thread, nil)
      #else
        var thread: pthread_t?
        guard pthread_create(&thread, attributes, { _ in nil }, nil) == 0, let thread else { return false }
        pthread_join(thread, nil)
      #endif
      return true
    }
  }

  private static func run(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let pointer else { return nil }
    let work = Unmanaged<WorkThread>.fromOpaque(pointer).takeRetainedValue()
    Thread.current.name = work.name
    work.body()
    return nil
  }
}
