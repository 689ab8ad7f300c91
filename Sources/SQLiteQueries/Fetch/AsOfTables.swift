package import GRDB
package import ImportModel
internal import SQLiteAccess
internal import SQLiteStore
internal import StoreInterface

/// Tables as they were at a token: the present ones, with what has changed since replaced by what it was.
///
/// History tells that in one pass, and it is kept in temporary tables for the length of a query. The rest is the tables'
/// own.
package struct AsOfTables {
  private let db: Database
  private let entities: [Entity]
  private let numbers: PropertyNumbers
  /// Those whose state then is not known, as it was erased. Erased objects have no row in the tables.
  package private(set) var erased: [(entity: Int, id: Int64, isObject: Bool)] = []

  /// Keeps what has changed since a token as it was.
  ///
  /// - Parameter path: what the store is called in messages.
  /// - Throws: `StoreError` when the token is not a place of the store's history, or values were erased since.
  init(_ db: Database, path: String, model: Model, of entities: [Entity], at token: HistoryToken) throws {
    let places = try HistoryPositions(db)
    try places.check(token, path: path)
    guard token.inside == nil else { throw StoreError.insideTransaction(token) }
    try self.init(db, model: model, of: entities, after: places.lastChange(before: token))
    guard let (entity, id, isObject) = erased.first else { return }
    drop()
    let name = entities[entity].name
    let time = try ErasedValues.time(db, entity: numbers.entity(name), id: id)
    throw StoreError.erasedState(of: name, id, isObject: isObject, time, before: token, path)
  }

  /// Keeps what has changed since a place that was checked as it was.
  ///
  /// - Parameter change: the last change before it.
  package init(_ db: Database, model: Model, of entities: [Entity], after change: Int64) throws {
    (self.db, self.entities) = (db, entities)
    numbers = try PropertyNumbers(db, model: model, creating: false)
    drop()
    do {
      try fill(after: change)
    } catch {
      drop()
      throw error
    }
  }

  /// The table of an entity's rows that have changed since, by its place among the entities: `bolide_id`, `bolide_there`,
  /// and all columns as they were.
  package func table(_ index: Int) -> String { "temp.bolide_past_\(index)" }

  /// Takes rows out of an entity's table, as if they had not changed.
  package func keep(_ rows: [(entity: Int, id: Int64)]) throws {
    for row in rows { try db.run("DELETE FROM \(table(row.entity)) WHERE bolide_id = ?", .integer(row.id)) }
  }

  private mutating func fill(after change: Int64) throws {
    var readers: [Int64: EntityReader] = [:]
    var keeping: [Int64: RawStatement] = [:]
    for (index, entity) in entities.enumerated() {
      let reader = try EntityReader(db, entity, numbers, HistoryRequest(), readsRows: true)
      let types = Dictionary(entity.storedAttributes.map { ($0.name, $0.type.storage) }) { first, _ in first }
      // With their types: what a column is compared with depends on its affinity.
      let columns = reader.columnNames.map { "\(quoted($0)) \((types[$0] ?? .integer).sql)" }
      try db.run(
        """
        CREATE TABLE \(table(index))(bolide_id INTEGER PRIMARY KEY, bolide_there INTEGER NOT NULL,
        \(columns.joined(separator: ", "))) STRICT
        """)
      readers[reader.number] = reader
      keeping[reader.number] = try RawStatement(
        db, "INSERT INTO \(table(index)) VALUES (?, ?\(String(repeating: ", ?", count: columns.count)))")
    }
    // Also what other programs changed and nobody could assign to a transaction: it was not there at the token.
    let since = try NetChanges(
      db, HistoryRequest(), readers, after: change, through: .max, transaction: 0)
    let places = Dictionary(
      entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    var erased: [(entity: Int, id: Int64, isObject: Bool)] = []
    try since.read { change in
      let number = numbers.entity(change.entity)
      if change.kind != .insert, let what = change.erased, let place = places[change.entity] {
        erased.append((place, change.id, what == .object))
        if what == .object { return }
      }
      guard let reader = readers[number], let keep = keeping[number] else { return }
      keep.bind(change.id, at: 1)
      keep.bind(change.kind == .insert ? 0 : 1, at: 2)
      let present = change.kind == .update ? try reader.presentValues(change.id) ?? [:] : [:]
      let before = Dictionary(change.previous.map { ($0.name, $0.value) }) { first, _ in first }
      for (index, property) in reader.columnList.enumerated() {
        keep.bind(before[property.name] ?? present[property.number] ?? .null, at: Int32(3 + index))
      }
      try keep.run()
      keep.reset()
    }
    self.erased = erased
  }

  /// An entity's rows as they were, as a subquery.
  func source(_ entity: Entity) -> String {
    guard let index = entities.firstIndex(of: entity) else {
      preconditionFailure("every entity that a fetch reads has its past")
    }
    let names = ["bolide_id"] + numbers.columns(of: entity).map { quoted($0.column) }
    let list = names.joined(separator: ", ")
    return """
      (SELECT \(list) FROM main.\(quoted(entity.name))
      WHERE bolide_id NOT IN (SELECT bolide_id FROM \(table(index)))
      UNION ALL SELECT \(list) FROM \(table(index)) WHERE bolide_there)
      """
  }

  /// Lets go. The tables are the connection's alone; should one stay behind, the next past takes its place.
  package func drop() {
    for index in entities.indices { try? db.run("DROP TABLE IF EXISTS \(table(index))") }
  }
}
