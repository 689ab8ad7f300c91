/// What happens inside a call or an import, and is told to whoever wants to hear of it: a program's logger.
package enum StoreEvent: Sendable {
  /// A lock is held by somebody else: it is tried again.
  case waits(LockWait.Lock)
  /// It has been tried for so many seconds, and is tried on. Told once.
  case stillWaits(LockWait.Lock, seconds: Double)
  /// It was had, or given up, after so many seconds.
  case waited(LockWait.Lock, seconds: Double)
  /// What other programs had done to the store's own upkeep was put right.
  case repaired(RepairReport)
  /// Who follows history does not get what other programs have changed, or would not notice a restored store. Told when it begins.
  case unassigned(ReadingNote)

  package func tell() { Observer.current?.hear(self) }

  /// Who is told, on the thread of the call. A value with a name of its own, as `StoreClock`.
  package struct Observer: Sendable {
    @TaskLocal package static var current: Observer?

    let hear: @Sendable (StoreEvent) -> Void

    package init(hear: @escaping @Sendable (StoreEvent) -> Void) { self.hear = hear }
  }
}

/// A wait for a lock that somebody else holds, which is told of.
package struct LockWait: Sendable {
  /// Which lock.
  package enum Lock: Sendable {
    /// The store's own, which another program holds to write.
    case write
    /// The one connection that writes, which another call or an import of this process uses.
    case writer
    /// The one that keeps imports apart.
    case imports
  }

  private let lock: Lock
  private let start = ContinuousClock.now
  private var isLong = false
  /// Whoever waits longer than that is told of aloud.
  package static let long: Double = 1

  /// A wait begins.
  package init(for lock: Lock) {
    self.lock = lock
    StoreEvent.waits(lock).tell()
  }

  /// For how long.
  package var seconds: Double { start.duration(to: .now) / .seconds(1) }

  /// The wait goes on.
  package mutating func goOn() {
    guard !isLong, seconds >= Self.long else { return }
    isLong = true
    StoreEvent.stillWaits(lock, seconds: seconds).tell()
  }

  /// The wait is over.
  package func end() { StoreEvent.waited(lock, seconds: seconds).tell() }
}
