internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import SQLiteStore
internal import StoreInterface
internal import TypedRows

/// Finds, among the rows that a run inserted, the ones that are missing rows under another key.
///
/// Catalogues correct their keys: an event's time moves by seconds, and the feed has it as another row. All other values
/// are equal then. Values that several missing rows or several new ones share tell nothing, nor do rows of nulls.
struct KeyChangeMatcher {
  private let db: Database
  private let entity: Entity
  /// What is compared: everything the feed brings, but the key's attributes. A child keeps its parent.
  private let compared: [String]
  private let key: [String]

  init(_ db: Database, _ entity: Entity) {
    self.db = db
    self.entity = entity
    compared =
      entity.keyRelationships.map(\.column)
      + entity.writableAttributes.filter { !entity.key.contains($0.name) && !$0.isVolatile }.map(\.name)
    key = entity.key.compactMap { name in entity.attribute(named: name)?.name }
  }

  /// - Parameters:
  ///   - missing: tells which rows are missing.
  ///   - run: the one that inserted the new rows. Where its history was pruned there are none.
  /// - Returns: new rows by the missing row that each is.
  /// - Complexity: reads the missing rows and those that the run inserted; holds a number for each of the fewer.
  func pairs(_ missing: PresenceBitmap, insertedBy run: Int64) throws -> [Int64: Int64] {
    let inserted = try inserted(by: run)
    guard !inserted.isEmpty, !compared.isEmpty else { return [:] }
    let rows = try RawStatement(
      db,
      "SELECT bolide_id, \(compared.map(quoted).joined(separator: ", ")) FROM \(quoted(entity.name)) "
        + "WHERE bolide_id BETWEEN ? AND ? ORDER BY bolide_id")
    func eachOld(_ body: (Digested) -> Void) throws {
      try missing.eachMissing { try read(rows, $0...$0, body) }
    }
    func eachNew(_ body: (Digested) -> Void) throws { for ids in inserted { try read(rows, ids, body) } }
    let isMore = try inserted.reduce(0) { $0 + $1.count } > missing.missingCount()
    var held: [Digested] = []
    try isMore ? eachOld { held.append($0) } : eachNew { held.append($0) }
    held.sort { $0.digest < $1.digest }
    // By the place of the first one held with the digest: the other row with it, nil where there are several.
    var found: [Int: Int64?] = [:]
    func look(_ row: Digested) {
      let place = held.partitioningIndex { $0.digest >= row.digest }
      guard place < held.count, held[place].digest == row.digest else { return }
      found.updateValue(found.keys.contains(place) ? nil : row.id, forKey: place)
    }
    try isMore ? eachNew(look) : eachOld(look)
    var pairs: [Int64: Int64] = [:]
    for case (let place, let other?) in found {
      let next = place + 1
      let isOnly = next == held.count || held[next].digest != held[place].digest
      guard isOnly, try values(rows, held[place].id) == values(rows, other) else { continue }
      let (old, new) = isMore ? (held[place].id, other) : (other, held[place].id)
      pairs[old] = new
    }
    return pairs
  }

  /// A row, and a number that rows of other values hardly have.
  private struct Digested {
    let digest: Int
    let id: Int64
  }

  /// Gives a missing row the key of a new one, whose place it takes; the new row goes.
  func merge(_ old: Int64, _ new: Int64) throws {
    let taken = key + entity.writableAttributes.filter(\.isVolatile).map(\.name)
    let read = try RawStatement(
      db,
      "SELECT \(taken.map(quoted).joined(separator: ", ")) FROM \(quoted(entity.name)) WHERE bolide_id = \(new)"
    )
    guard try read.step() else { return }
    let values = taken.indices.map { read.value(Int32($0)) }
    read.reset()
    func check() throws { if db.changesCount == 0 { throw StoreError.rowsKept(entity.name) } }
    try db.run("DELETE FROM \(quoted(entity.name)) WHERE bolide_id = \(new)")
    try check()
    let assignments = taken.map { "\(quoted($0)) = ?" }.joined(separator: ", ")
    let update = try RawStatement(
      db, "UPDATE \(quoted(entity.name)) SET \(assignments) WHERE bolide_id = \(old)")
    update.bind(values)
    try update.run()
    try check()
  }

  private func read(
    _ rows: RawStatement, _ ids: ClosedRange<Int64>, _ body: (Digested) -> Void
  ) throws {
    rows.bind(ids.lowerBound, at: 1)
    rows.bind(ids.upperBound, at: 2)
    defer { rows.reset() }
    while try rows.step() {
      // The parent alone says nothing.
      let own = compared.indices.dropFirst(entity.keyRelationships.count)
      guard own.contains(where: { !rows.isNull(Int32(1 + $0)) }) else { continue }
      var hasher = Hasher()
      for index in compared.indices { hasher.combine(rows.value(Int32(1 + index))) }
      body(Digested(digest: hasher.finalize(), id: rows.integer(0)))
    }
  }

  private func values(_ rows: RawStatement, _ id: Int64) throws -> [Value] {
    rows.bind(id, at: 1)
    rows.bind(id, at: 2)
    defer { rows.reset() }
    return try rows.step() ? compared.indices.map { rows.value(Int32(1 + $0)) } : []
  }

  private func inserted(by run: Int64) throws -> [ClosedRange<Int64>] {
    let ranges = try RawStatement(
      db,
      """
      SELECT c.first, c.last FROM bolide_transaction AS t
      JOIN bolide_change AS c ON c.change BETWEEN t.first_change AND t.last_change
      JOIN bolide_entity AS e ON e.entity = c.entity
      WHERE t.run = ? AND e.name = ? AND c.kind = 0
      """)
    ranges.bind(run, at: 1)
    ranges.bind(entity.name, at: 2)
    var found: [ClosedRange<Int64>] = []
    let limit = try ChangeReader.runLimit(db)
    while try ranges.step() { found.append(try ranges.insertedIDs(first: 0, last: 1, atMost: limit)) }
    return found
  }
}
