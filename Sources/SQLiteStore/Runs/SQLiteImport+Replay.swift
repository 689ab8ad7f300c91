package import StoreInterface
package import TypedRows

// Records that were rejected before.
extension SQLiteImport {
  /// Applies records that were rejected before, or had rejected children; what lands is kept no longer.
  ///
  /// - Parameters:
  ///   - chunk: not sorted yet; its records are numbered by the first of their rejects.
  ///   - kept: the rejects of the whole chunk, those of one record together. A record whose key could not be read when it
  ///     was rejected makes a row, and changes none: a later record may have brought that key.
  ///   - rows: for each of the chunk's rows, the number of its record.
  package func replay(_ chunk: Chunk, _ kept: [[KeptReject]], rows: [Int64]) throws {
    let keyless = Set(kept.lazy.compactMap(\.first).filter { $0.reject.key == nil }.map(\.number))
    func tryAgain() throws -> Bool {
      var left: Set<Int> = []
      try chunk.leaveOut { row in
        guard keyless.contains(rows[row]), try rowFinder.id(chunk, row) != nil else { return false }
        left.insert(row)
        return true
      }
      chunk.sortAndFold()
      try applyAll(chunk, without: left, retrying: kept.children(rows: rows))
      try rejectLog.record(kept, chunk.allRejects, left: Set(left.map { rows[$0] }))
      return true
    }
    _ = try open != nil ? tryAgain() : writing { try transact($0, tryAgain) }
  }
}
