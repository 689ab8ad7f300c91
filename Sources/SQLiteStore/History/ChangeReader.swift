package import GRDB
internal import GRDBSQLite
internal import ImportModel
internal import SQLiteAccess
package import StoreInterface

/// Reads the changes of a transaction, each with its object's key.
///
/// The key comes from the object's row; of an object that is gone since, from what its deletion kept.
package final class ChangeReader {
  private let request: HistoryRequest
  private let changes: RawStatement
  private let previous: RawStatement
  private let entities: [Int64: EntityReader]
  private let runLimit: Int64

  init(_ db: Database, _ request: HistoryRequest, _ entities: [Int64: EntityReader]) throws {
    self.request = request
    self.entities = entities
    runLimit = try Self.runLimit(db)
    changes = try RawStatement(
      db,
      "SELECT change, entity, kind, first, last FROM bolide_change WHERE change BETWEEN ? AND ? ORDER BY change"
    )
    previous = try RawStatement(
      db,
      "SELECT change, property, value FROM bolide_previous WHERE change BETWEEN ? AND ? ORDER BY change, property"
    )
  }

  /// Hands over the wanted changes of one transaction, in order.
  ///
  /// - Parameters:
  ///   - range: the transaction's change rows.
  ///   - start: what was read of them before.
  ///   - room: how many changes may still be handed over; counted down.
  /// - Returns: the place of the first wanted change that had no room; nil at the transaction's end.
  func read(
    _ range: ClosedRange<Int64>, transaction: Int64, from start: HistoryToken.Inside, room: inout Int,
    _ body: (HistoryChange) throws -> Void
  ) throws -> HistoryToken.Inside? {
    let first = range.lowerBound + start.changes
    for statement in [changes, previous] {
      statement.bind(first, at: 1)
      statement.bind(range.upperBound, at: 2)
    }
    defer {
      changes.reset()
      previous.reset()
    }
    // Whether `previous` stands on a row that was not taken yet.
    var hasPrevious = try previous.step()
    while try changes.step() {
      let (change, kind) = (changes.integer(0), changes.integer(2))
      while hasPrevious, previous.integer(0) < change { hasPrevious = try previous.step() }
      guard let entity = entities[changes.integer(1)], entity.isWanted else { continue }
      let place = HistoryToken.Inside(changes: change - range.lowerBound, objects: 0)
      let id = changes.integer(3)
      if kind == 0 {
        let skipped = change == first ? start.objects : 0
        let all = try changes.insertedIDs(first: 3, last: 4, atMost: runLimit)
        guard request.wants(.insert), skipped < all.count else { continue }
        let ids = (id + skipped)...all.upperBound
        if let stop = try readInserts(entity, ids, change, transaction, &room, body) {
          return HistoryToken.Inside(changes: place.changes, objects: stop - id)
        }
        continue
      }
      var before: [HistoryChange.Property] = []
      var kept: [Int64: Value] = [:]
      let erased = try entity.erased(before: change)
      let isErased = erased.contains(ErasedValues.all)
      var (isDerived, isTouched) = (kind == 1 && !isErased, kind == 2 || isErased)
      if erased.contains(where: { entity.column($0)?.isWanted == true }) { isTouched = true }
      while hasPrevious, previous.integer(0) == change {
        if let column = entity.column(previous.integer(1)) {
          before.append(
            HistoryChange.Property(name: column.name, type: column.type, value: previous.value(2)))
          if kind == 2 { kept[previous.integer(1)] = previous.value(2) }
          isDerived = isDerived && column.isDerived
          isTouched = isTouched || column.isWanted
        }
        hasPrevious = try previous.step()
      }
      guard isTouched, request.wants(kind == 2 ? .delete : .update) else { continue }
      guard room > 0 else { return place }
      room -= 1
      var present = EntityReader.Present()
      if kind == 1 {
        present = try entity.object(id, after: change)
      } else {
        present.key = entity.key(of: kept)
      }
      try body(
        HistoryChange(
          transaction: transaction, kind: kind == 2 ? .delete : .update, entity: entity.name, id: id,
          key: present.key, previous: before, values: present.values, isDerived: isDerived,
          erased: isErased || present.isErased ? .object : erased.isEmpty ? nil : .values))
    }
    return nil
  }

  /// How many objects one change can have inserted: each has taken a byte of the file at least, or its deletion has.
  package static func runLimit(_ db: Database) throws -> Int64 {
    try db.fileBytes()
  }

  /// A run of inserts.
  ///
  /// - Returns: the first id that had no room.
  private func readInserts(
    _ entity: EntityReader, _ ids: ClosedRange<Int64>, _ change: Int64, _ transaction: Int64,
    _ room: inout Int, _ body: (HistoryChange) throws -> Void
  ) throws -> Int64? {
    var stop: Int64?
    // One for all objects: most of it is the same for each.
    var insert = HistoryChange(
      transaction: transaction, kind: .insert, entity: entity.name, id: 0, key: [], previous: [], values: nil,
      isDerived: false)
    try entity.objects(ids, after: change) { id, present in
      guard room > 0 else {
        stop = id
        return false
      }
      room -= 1
      insert.id = id
      insert.key = present.key
      insert.values = present.values
      insert.erased = present.isErased ? .object : nil
      try body(insert)
      return true
    }
    return stop
  }
}

extension RawStatement {
  /// The ids that a change inserted.
  ///
  /// - Throws: `StoreError.malformedNumber` where no import can have inserted them.
  package func insertedIDs(first: Int32, last: Int32, atMost limit: Int64) throws(StoreError) -> ClosedRange<
    Int64
  > {
    let (first, end) = (integer(first), integer(last))
    let (count, isTooLarge) = end.subtractingReportingOverflow(first)
    // One object may have any id: another program chooses it.
    guard first <= end, !isTooLarge, count == 0 || count < limit && first > 0 && end < .max else {
      throw .malformedNumber(String(cString: sqlite3_column_name(pointer, last)))
    }
    return first...end
  }
}
