package import ImportModel

/// Counts what is read of an import's inputs, and tells when a bound is passed.
package struct InputLimit {
  /// The bound that was passed.
  enum Passed: Error {
    case bytes(Int)
    case records(Int)
    case seconds(Double)
  }

  /// When the time is over.
  let deadline: ContinuousClock.Instant?
  private let bounds: InputBounds
  private let mostRecords: Int
  private var records = 0
  private var bytes = 0

  /// - Parameter start: when the import began.
  package init(_ bounds: InputBounds = InputBounds(), since start: ContinuousClock.Instant = .now) {
    self.bounds = bounds
    mostRecords = bounds.records ?? .max
    deadline = bounds.seconds.map { start + .seconds($0) }
  }

  /// One more record was read.
  @inline(__always)
  mutating func takeRecord() throws(Passed) {
    guard records < mostRecords else { throw .records(mostRecords) }
    records += 1
  }

  /// How many bytes may be read now: one more than there may be, which tells of the others.
  func room() throws(Passed) -> Int {
    try checkTime()
    guard let most = bounds.bytes else { return .max }
    guard bytes <= most else { throw .bytes(most) }
    return min(most - bytes, .max - 1) + 1
  }

  /// So many bytes were read.
  ///
  /// - Returns: how many of them are within the bound.
  mutating func take(bytes count: Int) -> Int {
    bytes += count
    return min(count, (bounds.bytes ?? .max) - (bytes - count))
  }

  func checkTime() throws(Passed) {
    guard let deadline, let seconds = bounds.seconds, ContinuousClock.now >= deadline else { return }
    throw .seconds(seconds)
  }
}
