internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import StoreInterface
internal import TypedRows

/// Decides which rows of a chunk are applied at all, where the pipeline asks for more than "update, and the last counts".
///
/// One join tells which keys the table has. The rows are judged in the order of their keys, those of one key in the
/// input's order, as if each had been applied in turn; what is left in the chunk's order has every key once.
final class MergePolicyFilter {
  private let layout: ChunkLayout
  private let query: RawStatement
  /// The column that says what is newer.
  private let newer: Int?
  /// The objects that this run has made: to the merge policy they are not there.
  var made = ObjectSet()

  struct Result {
    /// Rows that are older than the table's, so left alone: unchanged or ignored, as they are equal or not.
    var older: [Int32] = []
    /// Rows that are older than another of the chunk that has their key.
    var olderInChunk: [Int32] = []
    /// Rows whose place an earlier one keeps.
    var leftOut: [Int32] = []
    /// Those of them whose place a row of an earlier chunk keeps: duplicates or superseded, as they are equal to the table's
    /// or not.
    var leftOutLater: [Int32] = []
    /// Rows that were left alone without a look at their values.
    var ignored = 0
  }

  /// - Returns: nil when there is nothing to decide.
  init?(_ db: Database, layout: ChunkLayout) throws {
    if layout.repeatedKeyPolicy == .last, [.update, .updateNonNull].contains(layout.mergePolicy) {
      return nil
    }
    self.layout = layout
    var columns = ["x.bolide_place", "t.bolide_id"]
    if case .updateIfNewer(let name) = layout.mergePolicy {
      newer = layout.column(of: name)
      columns.append("t.\(quoted(name))")
    } else {
      newer = nil
    }
    query = try RawStatement(
      db,
      """
      SELECT \(columns.joined(separator: ", "))
      FROM \(layout.joinedByKey)
      """)
  }

  /// Notes that the run has made objects.
  func noteMade(_ ids: ClosedRange<Int64>) {
    if layout.mergePolicy == .ignore || layout.mergePolicy == .fail { made.insert(ids) }
  }

  /// Takes from the chunk's order what is not to be applied, and adds what is rejected to its rejects.
  ///
  /// - Parameters:
  ///   - table: shows the chunk.
  ///   - seen: the objects whose keys the run has met in earlier chunks; those of rows left alone are added.
  ///   - met: gets the objects of the chunk's rows, where it has places for them.
  /// - Throws: `StoreError.keyExists` under the policy `fail`.
  func pass(
    _ chunk: Chunk, table: ChunkTable, seen: inout ObjectSet, met: inout [Int64], input: String
  ) throws -> Result {
    var result = Result()
    var kept: [Int32] = []
    var previous: Int?
    // The row of the present key that is kept so far, and whose value says what is newer.
    var winner: Int?
    var rank = Rank.stored
    try table.show(chunk, rows: chunk.order[...]) {
      defer { query.reset() }
      while try query.step() {
        let row = Int(chunk.order[Int(query.integer(0))])
        let id = query.isNull(1) ? nil : query.integer(1)
        if let id, row < met.count { met[row] = id }
        if previous.map({ chunk.compareKeys($0, row) != 0 }) ?? true { (winner, rank) = (nil, .stored) }
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
        if id != nil || winner != nil, !isNewer(chunk, row, than: rank) {
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
        rank = .row(row)
      }
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

  // MARK: Newer

  /// What a record's value is measured by.
  private enum Rank {
    /// The row of the table: the query's current one.
    case stored
    /// A row of the chunk.
    case row(Int)
  }

  private func isNewer(_ chunk: Chunk, _ row: Int, than rank: Rank) -> Bool {
    guard let newer else { return true }
    switch rank {
    case .stored: return query.isNull(2) || chunk.isGreater(newer, row, than: query, 2)
    case .row(let other):
      return chunk.state(newer, other) != .value || chunk.isGreater(newer, row, than: other)
    }
  }
}

extension Chunk {
  /// Whether a row has a value, and a greater one than a query's current row.
  fileprivate func isGreater(_ column: Int, _ row: Int, than query: RawStatement, _ index: Int32) -> Bool {
    guard state(column, row) == .value else { return false }
    return switch layout.columns[column].storage {
    case .integer: integer(column, row) > query.integer(index)
    case .real: real(column, row) > query.real(index)
    case .text, .blob: query.bytes(index).lexicographicallyPrecedes(bytes(column, row))
    }
  }

  /// Whether a row has a value, and a greater one than another row's.
  fileprivate func isGreater(_ column: Int, _ row: Int, than other: Int) -> Bool {
    guard state(column, row) == .value else { return false }
    return compare(column, row, other) > 0
  }

  /// The required attribute for which a new row would have no value.
  func missingAttribute(_ row: Int) -> Attribute? {
    layout.required.first { state($0, row) == .absent }.map { layout.columns[$0].attribute }
  }

  /// Rejects a row that has no value for a required attribute.
  func rejectIncomplete(_ row: Int, _ attribute: Attribute, input: String) {
    reject(row, .missing(attribute.name), attribute: attribute.name, input: input)
  }
}
