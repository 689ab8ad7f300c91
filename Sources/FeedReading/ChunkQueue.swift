internal import Foundation
package import ImportInput
package import StoreInterface
package import TypedRows

/// A chunk on its way to the writing thread, with what the reading thread knows at that moment.
package struct FilledChunk {
  package let chunk: Chunk
  /// Input bytes taken so far.
  package let bytes: Int
  /// The input's size, if it is known.
  package let totalBytes: Int?
}

/// What the reading thread sends.
package enum QueueItem {
  case chunk(FilledChunk)
  /// An input that may not have to be read: the writing thread answers. It has applied every chunk that was sent before.
  case question(KnownInput)
}

/// How the reading thread ended.
package struct ReadingEnd: Sendable {
  /// What ended it early.
  package var error: ImportError?
  /// Input bytes taken in all.
  package var bytes: Int
  /// What the reading thread's stages took.
  package var times = StageTimes()
  /// The digest of each file that was read to its end; nil for another input.
  package var digests: [[UInt8]?] = []
  /// What each input was that can be skipped another time, by its place; nil for others.
  package var inputs: [InputFacts?] = []

  /// What the records had of fields.
  package var fields = FieldsRead()
  /// Fields of the records that the pipeline does not use, and that no earlier run has met.
  package var newFields: [NewField] = []
  /// Fields that the pipeline uses and earlier inputs had, and that no record has.
  package var absentFields: [AbsentField] = []
  /// How much of the feed the pages are that were read, where they say it.
  package var pages: FeedPages?

  package init(
    error: ImportError? = nil, bytes: Int, times: StageTimes = StageTimes(), digests: [[UInt8]?] = [],
    pages: FeedPages? = nil
  ) {
    self.error = error
    self.bytes = bytes
    self.times = times
    self.digests = digests
    self.pages = pages
  }

  /// Whether the input was read to a good end.
  package var isGood: Bool { error == nil }
}

/// The bounded queue between the two threads: filled chunks go one way, emptied ones come back.
///
/// The number of chunks that exist is the bound: a reading thread that is ahead waits for one to come back.
///
/// `@unchecked Sendable`: every property is read and written under `condition` only. A chunk belongs to one side at
/// a time: the side that took it out of the queue, until it puts it back.
package final class ChunkQueue: @unchecked Sendable {
  private let condition = NSCondition()
  private var filled: [QueueItem] = []
  /// To the last question.
  private var answer: Bool?
  private var empty: [Chunk]
  private let hasOne: Bool
  private var end: ReadingEnd?
  private var isStopped = false
  private let cancellation: Cancellation
  /// Input bytes that were known to be taken.
  private var bytes = 0

  /// A stopped import waits so many seconds for a reading thread that does not hear it: in one call of a function of
  /// SQLite's, say, which nothing can interrupt.
  private static let patience = 0.75

  package init(chunks: [Chunk], cancellation: Cancellation) {
    empty = chunks
    hasOne = chunks.count == 1
    self.cancellation = cancellation
  }

  // MARK: The reading thread's side

  /// An empty chunk; waits for one. Nil when the writing thread has given up.
  func takeEmpty() -> Chunk? {
    condition.withLock {
      while empty.isEmpty && !isStopped { condition.wait() }
      return isStopped ? nil : empty.removeLast()
    }
  }

  /// Whether there is an empty chunk, or the only one is being filled: the writing thread waits.
  var hasEmpty: Bool {
    condition.withLock { hasOne || !empty.isEmpty }
  }

  /// Hands a filled chunk over.
  func send(_ parcel: FilledChunk) {
    condition.withLock {
      filled.append(.chunk(parcel))
      bytes = parcel.bytes
      condition.broadcast()
    }
  }

  /// Asks whether an input need not be read; waits for the answer. Nil when the writing thread has given up.
  func maySkip(_ input: KnownInput) -> Bool? {
    condition.withLock {
      answer = nil
      filled.append(.question(input))
      condition.broadcast()
      while answer == nil && !isStopped { condition.wait() }
      return answer
    }
  }

  /// Says that nothing more will come.
  package func finish(_ end: ReadingEnd) {
    condition.withLock {
      self.end = self.end ?? end
      condition.broadcast()
    }
  }

  // MARK: The writing thread's side

  /// What was sent next; waits for it. Nil when the reading thread has ended and all is received.
  package func receive() -> QueueItem? {
    condition.withLock {
      while filled.isEmpty && end == nil { waitForReading() }
      return filled.isEmpty ? nil : filled.removeFirst()
    }
  }

  /// Answers the last question.
  package func answer(_ maySkip: Bool) {
    condition.withLock {
      answer = maySkip
      condition.broadcast()
    }
  }

  /// Gives a chunk back.
  package func giveBack(_ chunk: Chunk) {
    chunk.clear()
    condition.withLock {
      empty.append(chunk)
      condition.broadcast()
    }
  }

  /// Gives up: the reading thread gets no more chunks.
  package func stop() {
    condition.withLock {
      isStopped = true
      filled.removeAll()
      condition.broadcast()
    }
  }

  /// Waits for a sign of the reading thread, and does without it when the import was stopped and none comes: the thread
  /// is left to itself, and ends when it comes back. It holds nothing of the store.
  private func waitForReading() {
    let wasStopped = cancellation.isCancelled
    let isSilent = !condition.wait(until: Date(timeIntervalSinceNow: Self.patience))
    guard isSilent, wasStopped, end == nil else { return }
    end = ReadingEnd(error: .cancelled, bytes: bytes)
    isStopped = true
  }

  /// Waits for the reading thread's end.
  package func waitForEnd() -> ReadingEnd {
    condition.withLock {
      while true {
        if let end { return end }
        waitForReading()
      }
    }
  }
}

extension NSCondition {
  fileprivate func withLock<Result>(_ body: () -> Result) -> Result {
    lock()
    defer { unlock() }
    return body()
  }
}
