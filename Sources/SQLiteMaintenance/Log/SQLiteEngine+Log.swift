internal import GRDB
internal import ImportModel
internal import ModelMerging
internal import SQLiteAccess
internal import SQLiteStore
package import StoreInterface

extension SQLiteEngine {
  /// What happened to an object, as far as history is kept, the oldest change first. Several objects may have had a key, one
  /// after the other.
  ///
  /// - Throws: `StoreError` where there is no such entity, or the key is not its.
  /// - Complexity: O(changes).
  package func log(of entity: String, _ object: LoggedObject) throws -> [ObjectChange] {
    try naming {
      var found: [ObjectChange] = []
      try assignedReading { db in
        let model = try ModelRecord(db).model
        guard let entity = model.entity(named: entity) else { throw StoreError.noEntity(entity, in: model) }
        let log = try ObjectLog(db, entity, PropertyNumbers(db, model: model, creating: false))
        let ids = try log.ids(of: object)
        let changes = try ids.flatMap { try log.changes(of: $0) }
        guard try !changes.isEmpty || log.isThere(ids) else {
          throw StoreError.neverSuchObject(entity)
        }
        found = changes.sorted { $0.transaction < $1.transaction }
      }
      return found
    }
  }
}

/// The changes of one entity's objects, one after the other.
struct ObjectLog {
  private let db: Database
  private let entity: Entity
  private let columns: [PropertyNumbers.Column]
  private let reader: EntityReader
  private let changes: RawStatement

  init(_ db: Database, _ entity: Entity, _ numbers: PropertyNumbers) throws {
    (self.db, self.entity) = (db, entity)
    columns = numbers.columns(of: entity)
    reader = try EntityReader(db, entity, numbers, HistoryRequest(), readsRows: true)
    changes = try RawStatement(
      db,
      """
      SELECT c.change, c.kind, t.number, t.at, t.author, t.run FROM bolide_change AS c
      JOIN bolide_transaction AS t ON t.number = (
        SELECT number FROM bolide_transaction WHERE last_change >= c.change ORDER BY number LIMIT 1)
      WHERE c.entity = \(numbers.entity(entity.name)) AND ?1 BETWEEN c.first AND max(c.first, c.last)
      AND c.change > (SELECT ifnull(max(last_change), 0) FROM bolide_pruned) ORDER BY c.change DESC
      """)
  }

  /// The objects that a log is wanted of.
  func ids(of object: LoggedObject) throws -> [Int64] {
    switch object {
    case .id(let id): [id]
    case .key(let words): try ids(with: entity.keyValues(words))
    }
  }

  /// Those of them that are there, or of which history has values.
  func erasable(_ object: LoggedObject) throws -> [Int64] {
    try ids(of: object).filter { id in
      if try reader.presentValues(id) != nil { return true }
      changes.bind(id, at: 1)
      defer { changes.reset() }
      return try changes.step() && !reader.erased(before: changes.integer(0)).contains(ErasedValues.all)
    }
  }

  /// The objects that have a key, or had it when they were deleted or before it was changed.
  private func ids(with key: [(name: String, value: Value)]) throws -> [Int64] {
    let names = key.map { part in columns.first { $0.name == part.name }.map { quoted($0.column) } ?? "NULL" }
    let present = try RawStatement(
      db,
      "SELECT bolide_id FROM \(quoted(entity.name)) WHERE \(names.map { "\($0) IS ?" }.joined(separator: " AND "))"
    )
    present.bind(key.map(\.value))
    var ids: Set<Int64> = []
    while try present.step() { ids.insert(present.integer(0)) }
    // One part of it that was is enough to look at the object's whole past.
    let past = try RawStatement(
      db,
      """
      SELECT DISTINCT first FROM bolide_change JOIN bolide_previous USING (change)
      WHERE entity = \(reader.number) AND property = ? AND value IS ?
      """)
    var had: [Set<Int64>] = []
    for part in key {
      had.append([])
      guard let number = columns.first(where: { $0.name == part.name })?.number else { continue }
      past.bind(number, at: 1)
      past.bind(part.value, at: 2)
      while try past.step() { had[had.count - 1].insert(past.integer(0)) }
    }
    for id in had.reduce(into: Set<Int64>(), { $0.formUnion($1) }) where !ids.contains(id) {
      // Each part it had once, or has now.
      let row = try reader.object(id, after: .max).key
      let mayBeIt = zip(key, had).allSatisfy { part, had in
        had.contains(id) || row.contains { $0.name == part.name && $0.value == part.value }
      }
      if mayBeIt, try hadKey(id, key) { ids.insert(id) }
    }
    return ids.sorted()
  }

  private func hadKey(_ id: Int64, _ key: [(name: String, value: Value)]) throws -> Bool {
    var found = false
    try walk(id) { _, before, after, _ in
      found =
        found
        || [before, after].contains { values in key.allSatisfy { values?[$0.name] ?? .null == $0.value } }
    }
    return found
  }

  func isThere(_ ids: [Int64]) throws -> Bool { try ids.contains { try reader.presentValues($0) != nil } }

  /// An object's changes, the oldest first.
  func changes(of id: Int64) throws -> [ObjectChange] {
    var log: [ObjectChange] = []
    try walk(id) { row, before, after, erased in
      var change = ObjectChange(
        transaction: row.integer(2), at: row.string(3) ?? "", author: row.string(4),
        run: row.isNull(5) ? nil : row.integer(5), of: entity, id,
        columns.filter { !erased.values.contains($0.number) }.map(\.name), from: before, to: after)
      change.isErased = erased.isObject || !erased.values.isEmpty
      if erased.isObject { change.isDerived = false }
      log.append(change)
    }
    return log.reversed()
  }

  /// What an erasure has taken of a change: the properties whose values before or after are not known.
  private struct Erased {
    var values: Set<Int64> = []
    var isObject = false
  }

  /// Goes back over an object's changes from its present row, the newest first.
  private func walk(
    _ id: Int64,
    _ body: (RawStatement, _ before: [String: Value]?, _ after: [String: Value]?, Erased) throws -> Void
  ) throws {
    func named(_ values: [Int64: Value]) -> [String: Value] {
      Dictionary(
        columns.compactMap { column in values[column.number].map { (column.name, $0) } },
        uniquingKeysWith: { first, _ in first })
    }
    var state = try reader.presentValues(id).map(named)
    var unknown: Set<Int64> = []
    changes.bind(id, at: 1)
    defer { changes.reset() }
    while try changes.step() {
      let (after, unknownAfter) = (state, unknown)
      let gone = try reader.erased(before: changes.integer(0))
      let isObject = gone.contains(ErasedValues.all)
      let kept = changes.integer(1) == 0 ? [:] : try reader.values(before: changes.integer(0))
      switch changes.integer(1) {
      case 0: (state, unknown) = (nil, [])
      case 1:
        state = (state ?? [:]).merging(named(kept)) { $1 }
        unknown = unknown.subtracting(kept.keys).union(gone)
      default: (state, unknown) = (named(kept), gone)
      }
      if isObject { unknown.formUnion(columns.map(\.number)) }
      try body(
        changes, state, after,
        Erased(
          values: unknown.union(unknownAfter), isObject: isObject || unknownAfter.contains(ErasedValues.all)))
    }
  }
}
