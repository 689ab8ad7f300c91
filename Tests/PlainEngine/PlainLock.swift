import Foundation
import StoreInterface

/// A lock that one thread may take several times.
final class PlainLock: ConsumerLock {
  private let lock = NSRecursiveLock()

  func whileHeld<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }
}
