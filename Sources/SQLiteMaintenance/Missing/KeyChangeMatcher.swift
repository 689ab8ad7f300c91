internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import SQLiteStore

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

  /// - Parameter run: the one that inserted the new rows. Where its history was pruned there are none.
  /// - Returns: new rows by the missing row that each is.
  /// - Complexity: O(missing) memory; reads the missing rows and those that the run inserted.
  func pairs(_ missing: [Int64], insertedBy run: Int64) throws -> [Int64: Int64] {
    guard !missing.isEmpty, !compared.isEmpty else { return [:] }
    let rows = try RawStatement(
      db,
      "SELECT bolide_id, \(compared.map(quoted).joined(separator: ", ")) FROM \(quoted(entity.name)) "
        + "WHERE bolide_id BETWEEN ? AND ? ORDER BY bolide_id")
    var byValues: [[Value]: [Int64]] = [:]
    for id in missing {
      try read(rows, id...id) { byValues[$1, default: []].append($0) }
    }
    var found: [[Value]: [Int64]] = [:]
    for ids in try inserted(by: run) {
      try read(rows, ids) { if byValues[$1]?.count == 1 { found[$1, default: []].append($0) } }
    }
    var pairs: [Int64: Int64] = [:]
    for (values, new) in found where new.count == 1 {
      if let old = byValues[values]?.first { pairs[old] = new[0] }
    }
    return pairs
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
    try db.run("DELETE FROM \(quoted(entity.name)) WHERE bolide_id = \(new)")
    let assignments = taken.map { "\(quoted($0)) = ?" }.joined(separator: ", ")
    let update = try RawStatement(
      db, "UPDATE \(quoted(entity.name)) SET \(assignments) WHERE bolide_id = \(old)")
    update.bind(values)
    try update.run()
  }

  private func read(
    _ rows: RawStatement, _ ids: ClosedRange<Int64>, _ body: (Int64, [Value]) -> Void
  ) throws {
    rows.bind(ids.lowerBound, at: 1)
    rows.bind(ids.upperBound, at: 2)
    defer { rows.reset() }
    while try rows.step() {
      let values = compared.indices.map { rows.value(Int32(1 + $0)) }
      // The parent alone says nothing.
      guard values.dropFirst(entity.keyRelationships.count).contains(where: { $0 != .null }) else { continue }
      body(rows.integer(0), values)
    }
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
