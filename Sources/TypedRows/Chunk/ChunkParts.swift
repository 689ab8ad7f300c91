// A chunk in parts, which are applied side by side.
extension Chunk {
  /// Moves the accepted records, with their children, into parts: records of one key into the same part, in every chunk of an
  /// import. Rejected records stay.
  ///
  /// The chunk numbers its records and is as `sortForBytes` leaves it; the parts are sorted and folded then.
  ///
  /// - Parameter parts: chunks of the same layout; what they had is gone.
  package func move(to parts: [Chunk]) {
    for part in parts { part.clear() }
    var record: [UInt8] = []
    for row in order.lazy.map(Int.init) {
      let digest = UInt64(bitPattern: keyDigest(row) ?? 0)
      let part = parts[Int(digest % UInt64(parts.count))]
      if part.isBatchFull { part.flushTaken() }
      record.removeAll(keepingCapacity: true)
      appendRecord(ofRow: row, to: &record)
      record.withUnsafeBufferPointer(part.takeRecord)
    }
    for part in parts {
      part.flushTaken()
      part.sortSurroundings()
      part.sortAndFold()
    }
    leaveRejects()
  }

  /// Takes back what was rejected of a part and of its children while it was applied.
  package func takeRejects(of part: Chunk) { rejects += part.rejectsInOrder }
}
