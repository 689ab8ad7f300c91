internal import ImportInput
internal import ImportModel
internal import StoreInterface
internal import TypedRows

// Where records are sorted by key.
extension ChunkProducer {
  /// Keeps the chunk's rows for later, and hands over what is rejected.
  ///
  /// - Returns: false when the writing thread has given up.
  mutating func moveToRun() throws -> Bool {
    do {
      if sort == nil { sort = try RecordSort(for: records.name) }
      try sort?.move(chunk)
    } catch {
      isDropped = true
      throw ImportError(error)
    }
    times.end(.sort)
    if !chunk.rejects.isEmpty { return send(bytes: 0) }
    chunk.clear()
    return true
  }

  /// Hands the sorted records over, in chunks that do not end between two of one key if there is room.
  mutating func handOverSorted() throws {
    guard let sort else { return }
    // One half of a chunk's memory is the runs'.
    limits.bytes /= 2
    var merge = try sort.merge(memory: limits.bytes)
    var handedOver = 0
    while try merge.next() {
      if isRipe, !merge.repeatsKey { guard try handOverMerged(&handedOver, of: sort.count) else { return } }
      if chunk.isBatchFull {
        chunk.flushTaken()
        if chunk.byteCount >= limits.bytes {
          guard try handOverMerged(&handedOver, of: sort.count) else { return }
        }
      }
      chunk.takeRecord(merge.payload)
    }
    _ = try chunk.isEmpty || handOverMerged(&handedOver, of: sort.count)
  }

  /// - Parameter before: how many records were handed over before; of all that are sorted.
  private mutating func handOverMerged(_ before: inout Int, of all: Int) throws -> Bool {
    if stop.isCancelled { throw ImportError.cancelled }
    do {
      try records.limit.checkTime()
    } catch {
      var failure = ImportError.passed(error, records.name)
      if !settings.isAtomic { failure.telling = .committed }
      throw failure
    }
    chunk.flushTaken()
    chunk.sortSurroundings()
    chunk.sortToApply()
    times.end(.sort)
    before += chunk.recordsRead
    // The part of the input that is in the store then.
    return send(bytes: Int(Double(bytes) * Double(before) / Double(all)))
  }
}
