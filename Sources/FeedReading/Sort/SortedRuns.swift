internal import ImportInput
internal import TypedRows

/// Entries in the order of their keys, however many: the runs of an external merge sort, in a temporary file.
///
///     run     entry entry entry …             sorted by the caller, as many as fit into memory
///     run     entry entry …
///     entry   bytes of key and payload, of the key (4 bytes each)   key   payload
///
/// Keys are compared byte by byte; entries with equal keys keep the order in which they were appended.
final class SortedRuns {
  private let spool: Spool
  private var starts: [Int64] = []

  /// Makes the file; see `Spool`.
  ///
  /// - Throws: `cannotSpool`.
  init(for input: String) throws(InputError) {
    spool = try Spool(for: input)
  }

  /// Begins a run: the entries that follow are sorted among themselves.
  func beginRun() {
    starts.append(spool.count)
  }

  /// Adds an entry to the run.
  ///
  /// - Parameters:
  ///   - entry: the key, and behind it the payload.
  ///   - keyCount: how many bytes of it the key has.
  /// - Throws: `cannotSpool`.
  func append(_ entry: UnsafeBufferPointer<UInt8>, keyCount: Int) throws(InputError) {
    precondition(entry.count < 1 << 32, "no record is so large")
    var header = (UInt32(truncatingIfNeeded: entry.count), UInt32(truncatingIfNeeded: keyCount))
    try withUnsafeBytes(of: &header) { header throws(InputError) in try spool.append(header) }
    try spool.append(UnsafeRawBufferPointer(entry))
  }

  /// Merges the runs; nothing is appended any more.
  ///
  /// - Parameter memory: how many bytes the merge may keep of all runs together. Longer entries take more, one at a time.
  /// - Throws: `cannotSpool`.
  func merge(memory: Int) throws(InputError) -> RunMerge {
    try spool.rewind()
    let share = min(max(memory / max(starts.count, 1), 1 << 10), 1 << 18)
    let ends = starts.dropFirst() + [spool.count]
    return try RunMerge(zip(starts, ends).map { RunReader(spool, from: $0, to: $1, capacity: share) })
  }
}

/// Gives the entries of sorted runs in the order of their keys.
///
/// - Complexity: O(log runs) an entry.
struct RunMerge: ~Copyable {
  /// The key of the current entry; valid until the next `next`.
  var key: UnsafeBufferPointer<UInt8> { runs[heap[0].run].key }
  /// What was appended behind the key; valid until the next `next`.
  var payload: UnsafeBufferPointer<UInt8> { runs[heap[0].run].payload }
  /// Whether the current entry has the key of the one before.
  private(set) var repeatsKey = false

  private var runs: [RunReader]
  /// The first entry of each run that has one left, as a binary heap.
  private var heap: [Head] = []
  private var hasBegun = false
  private var lastKey: [UInt8] = []

  /// The beginning of a key as a number whose order is the key's.
  private struct Head {
    let high, low: UInt64
    let run: Int
  }

  init(_ runs: [RunReader]) throws(InputError) {
    self.runs = runs
    for run in runs.indices where try runs[run].readKey() { heap.append(head(run)) }
    for place in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(place) }
  }

  /// Goes on to the next entry.
  ///
  /// - Returns: false when there is none.
  /// - Throws: `cannotSpool`.
  mutating func next() throws(InputError) -> Bool {
    if hasBegun, !heap.isEmpty {
      let run = heap[0].run
      lastKey.removeAll(keepingCapacity: true)
      lastKey.append(contentsOf: key)
      runs[run].skip()
      if try runs[run].readKey() {
        heap[0] = head(run)
      } else if let last = heap.popLast(), !heap.isEmpty {
        heap[0] = last
      }
      sink(0)
    }
    guard !heap.isEmpty else { return false }
    try runs[heap[0].run].readPayload()
    repeatsKey = hasBegun && lastKey.withUnsafeBufferPointer { ordering($0, key) == 0 }
    hasBegun = true
    return true
  }

  private func head(_ run: Int) -> Head {
    let key = runs[run].key
    return Head(high: SortKey.word(key, from: 0), low: SortKey.word(key, from: 8), run: run)
  }

  private func isLess(_ left: Head, _ right: Head) -> Bool {
    if left.high != right.high { return left.high < right.high }
    if left.low != right.low { return left.low < right.low }
    let comparison = ordering(runs[left.run].key, runs[right.run].key)
    return comparison != 0 ? comparison < 0 : left.run < right.run
  }

  /// Puts a head of the heap in its place among those below it.
  private mutating func sink(_ start: Int) {
    guard start < heap.count else { return }
    var place = start
    let head = heap[start]
    while true {
      var child = 2 * place + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, isLess(heap[child + 1], heap[child]) { child += 1 }
      guard isLess(heap[child], head) else { break }
      heap[place] = heap[child]
      place = child
    }
    heap[place] = head
  }
}
