internal import GRDB
internal import ImportModel
internal import ObjectEdits
internal import SQLiteAccess
internal import SQLiteQueries
internal import SQLiteStore
internal import StoreInterface

/// Objects that are edited with plain SQL, one at a time, as any other program may; the triggers do the rest.
struct StoredObjects: EditedObjects {
  let db: Database
  /// What the store is called in messages.
  let path: String

  func ids(_ request: ObjectQuery) throws -> [Int64] {
    try FetchReading(db, path: path).ids(request, at: nil)
  }

  func id(of entity: Entity, key: [Value]) throws -> Int64? {
    let query = try RawStatement(db, idOf: entity, key: entity.keyColumns)
    query.bind(key)
    defer { query.reset() }
    return try query.step() ? query.integer(0) : nil
  }

  func insert(_ entity: Entity, _ columns: [StoredColumn]) throws -> Int64 {
    let names = columns.map { quoted($0.name) }.joined(separator: ", ")
    let places = columns.map { _ in "?" }.joined(separator: ", ")
    let insert = try RawStatement(
      db, "INSERT INTO \(quoted(entity.name))(\(names)) VALUES (\(places)) RETURNING bolide_id")
    insert.bind(columns.map(\.value))
    var id: Int64 = 0
    do {
      try db.naming(fullIDsOf: entity.name) {
        while try insert.step() { id = insert.integer(0) }
      }
    } catch let error as StoreError where error.isOfUniqueness {
      throw StoreError.valuesTaken(entity)
    }
    if id == 0 { throw StoreError.insertionPrevented(entity.name) }
    return id
  }

  func update(_ entity: Entity, _ ids: [Int64], _ columns: [StoredColumn]) throws {
    let names = columns.map { quoted($0.name) }
    let assignments = names.enumerated().map { "\($1) = ?\($0 + 2)" }.joined(separator: ", ")
    let differences = names.enumerated().map { "\($1) IS NOT ?\($0 + 2)" }.joined(separator: " OR ")
    let (table, isOther) = (quoted(entity.name), "bolide_id = ?1 AND (\(differences))")
    let update = try RawStatement(db, "UPDATE \(table) SET \(assignments) WHERE \(isOther)")
    let find = try RawStatement(db, "SELECT 1 FROM \(table) WHERE \(isOther)")
    for statement in [update, find] { statement.bind([.null] + columns.map(\.value)) }
    for id in ids {
      update.bind(id, at: 1)
      try update.run(taken: .valuesTaken(entity))
      if db.changesCount == 0, try find.finds(id) { throw StoreError.rowsKept(entity.name) }
    }
  }

  func change(_ edit: LinkEdit, _ end: LinkEnd, of ids: [Int64], to target: Int64?) throws {
    let changes = try end.statements(edit, objects: "SELECT ?1 AS id", target: "?2").map {
      try (run: RawStatement(db, $0.sql), find: RawStatement(db, $0.left), isInsertion: $0.isInsertion)
    }
    for id in ids {
      for change in changes {
        for statement in [change.run, change.find] {
          statement.bind(id, at: 1)
          if let target { statement.bind(target, at: 2) }
        }
        try db.naming(fullIDsOf: end.holderName) {
          try change.run.run(denied: .linkDenied(end.entity, end.relationship))
        }
        defer { change.find.reset() }
        guard try change.find.step() else { continue }
        throw change.isInsertion
          ? StoreError.insertionPrevented(end.holderName) : .rowsKept(end.holderName)
      }
    }
  }

  func isJSON(_ text: String) throws -> Bool {
    try db.value("SELECT json_valid(?)", .text(text)) == .integer(1)
  }
}

extension RawStatement {
  /// Runs a statement that gives values of which each may be there once.
  fileprivate func run(taken: StoreError) throws(StoreError) {
    do {
      try run()
    } catch {
      throw error.isOfUniqueness ? taken : error
    }
  }
}
