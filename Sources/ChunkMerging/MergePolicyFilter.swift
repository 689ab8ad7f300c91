internal import ImportModel
internal import StoreInterface
package import TypedRows

/// What a store has of the keys of a chunk's rows.
package protocol StoredKeys {
  /// The object of the row at a place of the chunk's order; nil where there is none. Asked for each place in turn.
  func id(atPlace place: Int) throws -> Int64?

  /// Whether a row has a greater value in a column than the object at a place, or that one has none. Asked behind its id.
  func isGreater(_ chunk: Chunk, _ row: Int, _ column: Int, atPlace place: Int) -> Bool
}

/// Decides which rows of a chunk are applied at all, where the pipeline asks for more than "update, and the last counts".
///
/// The rows are judged in the order of their keys, those of one key in the input's order, as if each had been applied in
/// turn; what is left in the chunk's order has every key once.
package final class MergePolicyFilter {
  private let layout: ChunkLayout
  /// The column that says what is newer.
  package let newer: Int?
  /// The objects that this run has made: to the merge policy they are not there.
  package var made = ObjectSet()

  package struct Result {
    /// Rows that are older than the table's, so left alone: unchanged or ignored, as they are equal or not.
    package var older: [Int32] = []
    /// Rows that are older than another of the chunk that has their key.
    package var olderInChunk: [Int32] = []
    /// Rows whose place an earlier one keeps.
    package var leftOut: [Int32] = []
    /// Those of them whose place a row of an earlier chunk keeps: duplicates or superseded, as they are equal to the table's
    /// or not.
    package var leftOutLater: [Int32] = []
    /// Rows that were left alone without a look at their values.
    package var ignored = 0
  }

  /// - Returns: nil when there is nothing to decide.
  package init?(layout: ChunkLayout) {
    if layout.repeatedKeyPolicy == .last, [.update, .updateNonNull].contains(layout.mergePolicy) {
      return nil
    }
    self.layout = layout
    newer = if case .updateIfNewer(let name) = layout.mergePolicy { layout.column(of: name) } else { nil }
  }

  /// Notes that the run has made objects.
  package func noteMade(_ ids: ClosedRange<Int64>) {
    if layout.mergePolicy == .ignore || layout.mergePolicy == .fail { made.insert(ids) }
  }

  /// Takes from the chunk's order what is not to be applied, and adds what is rejected to its rejects.
  ///
  /// - Parameters:
  ///   - seen: the objects whose keys the run has met in earlier chunks; those of rows left alone are added.
  ///   - met: gets the objects of the chunk's rows, where it has places for them.
  /// - Throws: `StoreError.keyExists` under the policy `fail`.
  package func pass(
    _ chunk: Chunk, stored: some StoredKeys, seen: inout ObjectSet, met: inout [Int64], input: String
  ) throws -> Result {
    var result = Result()
    var kept: [Int32] = []
    var previous: Int?
    // The row of the present key that is kept so far, and whose value says what is newer.
    var winner: Int?
    for place in chunk.order.indices {
      let row = Int(chunk.order[place])
      let id = try stored.id(atPlace: place)
      if let id, row < met.count { met[row] = id }
      if previous.map({ chunk.compareKeys($0, row) != 0 }) ?? true { winner = nil }
      previous = row
      if layout.repeatedKeyPolicy != .last, winner != nil || id.map(seen.contains) ?? false {
        rejectOrLeaveOut(chunk, row, behind: winner, &result, input: input)
        continue
      }
      if let id {
        if try skips(chunk, row, id, input: input) {
          result.ignored += 1
          seen.insert(id)
          continue
        }
      } else if winner == nil, let attribute = chunk.missingAttribute(row) {
        chunk.rejectIncomplete(row, attribute, input: input)
        continue
      }
      if id != nil || winner != nil, !isNewer(chunk, row, than: winner, stored, place) {
        if let winner {
          chunk.countRepeat(winner, row)
          result.olderInChunk.append(Int32(truncatingIfNeeded: row))
        } else {
          result.older.append(Int32(truncatingIfNeeded: row))
          if let id { seen.insert(id) }
        }
        continue
      }
      if let earlier = winner {
        chunk.countRepeat(earlier, row)
        chunk.fold(earlier, into: row)
        kept.removeLast()
      }
      // What is newer than a new row is newer than the default that it takes.
      if id == nil, winner == nil, let newer, chunk.state(newer, row) == .absent,
        let value = layout.columns[newer].attribute.defaultValue
      {
        chunk.set(value, newer, row)
      }
      kept.append(Int32(truncatingIfNeeded: row))
      winner = row
    }
    chunk.order = kept
    return result
  }

  private func rejectOrLeaveOut(
    _ chunk: Chunk, _ row: Int, behind winner: Int?, _ result: inout Result, input: String
  ) {
    guard layout.repeatedKeyPolicy == .reject else {
      result.leftOut.append(Int32(truncatingIfNeeded: row))
      if let winner {
        chunk.countRepeat(winner, row)
      } else {
        result.leftOutLater.append(Int32(truncatingIfNeeded: row))
      }
      return
    }
    let key = layout.entity.key
    chunk.reject(
      row, .repeatedKey(key), attribute: key.count == 1 ? key[0] : nil, input: input)
  }

  /// Whether the merge policy keeps every record from a row that was there before the run.
  private func skips(_ chunk: Chunk, _ row: Int, _ id: Int64, input: String) throws -> Bool {
    switch layout.mergePolicy {
    case .update, .updateNonNull, .updateIfNewer: return false
    case .ignore: return !made.contains(id)
    case .fail:
      guard !made.contains(id) else { return false }
      let position = chunk.record(row).position
      let place = chunk.place(ofRecord: position.record) ?? (input, position.record)
      throw StoreError.keyExists(
        record: place.record, at: "\(place.input):\(position.line):\(position.column)",
        key: layout.entity.key, of: layout.entity.name)
    }
  }

  /// - Parameter winner: the row to beat; nil for the stored one.
  private func isNewer(
    _ chunk: Chunk, _ row: Int, than winner: Int?, _ stored: some StoredKeys, _ place: Int
  ) -> Bool {
    guard let newer else { return true }
    guard let winner else { return stored.isGreater(chunk, row, newer, atPlace: place) }
    return chunk.state(newer, winner) != .value
      || chunk.state(newer, row) == .value && chunk.compare(newer, row, winner) > 0
  }
}
