package import GRDB
internal import ImportModel
internal import ModelMerging
internal import SQLiteAccess
package import StoreInterface

/// Appends to history, inside the caller's SQLite transaction.
///
/// Changes are numbered one after another. A transaction is the range of changes made since the one before it, so
/// assigning what other programs did to one is one row too.
package final class HistoryWriter {
  private let db: Database
  private let memory: LastTokenFile?
  private let storeID: String
  private let model: Int64
  private let lastChange: RawStatement
  private let lastAssigned: RawStatement
  private let insertTransaction: RawStatement
  private let insertChange: RawStatement
  private let insertPrevious: RawStatement
  private let countKinds: RawStatement
  private let modelVersion: RawStatement
  /// Whether the triggers write the changes, since somebody else's triggers have to fire too.
  private let triggersWrite: Bool

  private var first: Int64 = 0
  private var next: Int64 = 0
  private(set) var inserted: Int64 = 0
  private(set) var updated: Int64 = 0
  private(set) var deleted: Int64 = 0

  package init(_ db: Database, triggersWrite: Bool = false) throws {
    self.triggersWrite = triggersWrite
    self.db = db
    memory = LastTokenFile(db)
    guard case .text(let id) = try db.value("SELECT id FROM bolide_store"),
      case .integer(let version) = try db.value("SELECT max(version) FROM bolide_model")
    else {
      throw StoreError.noName
    }
    storeID = id
    model = version
    lastChange = try RawStatement(db, "SELECT \(ChangeNumbers.made)")
    lastAssigned = try RawStatement(db, "SELECT \(ChangeNumbers.assigned)")
    insertTransaction = try RawStatement(
      db,
      """
      INSERT INTO bolide_transaction(nonce, at, author, run, model, first_change, last_change, inserted, updated,
      deleted) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING number
      """)
    insertChange = try RawStatement(
      db, "INSERT INTO bolide_change(change, entity, kind, first, last) VALUES (?, ?, ?, ?, ?)")
    insertPrevious = try RawStatement(
      db, "INSERT INTO bolide_previous(change, property, value) VALUES (?, ?, ?)")
    modelVersion = try RawStatement(db, "SELECT max(version) FROM bolide_model")
    countKinds = try RawStatement(
      db,
      """
      SELECT CAST(total((last - first + 1) * (kind = 0)) AS INTEGER), ifnull(sum(kind = 1), 0), ifnull(sum(kind = 2), 0)
      FROM bolide_change WHERE change BETWEEN ? AND ?
      """)
  }

  /// Begins a transaction's changes; first assigns what other programs have changed to one.
  ///
  /// - Returns: the token of the last transaction of theirs, if there was anything pending.
  /// - Throws: `StoreError.busy` when another pipeline has changed the model since the writer was made: what is
  ///   derived from this writer's rows may be more than it knows.
  @discardableResult
  package func begin() throws -> HistoryToken? {
    guard try integer(modelVersion) == model else {
      throw StoreError.modelGrew
    }
    let made = try integer(lastChange)
    let assigned = try integer(lastAssigned)
    var token: HistoryToken?
    if made > assigned { token = try assign(from: assigned + 1, through: made) }
    first = max(made, assigned) + 1
    next = first
    (inserted, updated, deleted) = (0, 0, 0)
    return token
  }

  /// Makes transactions of other programs' changes: one of each stretch that a program has signed, and one of each
  /// stretch between them.
  private func assign(from first: Int64, through last: Int64) throws -> HistoryToken? {
    let signed = try RawStatement(
      db,
      "SELECT first, last, name FROM bolide_signed WHERE last >= \(first) AND first <= \(last) ORDER BY first"
    )
    var stretches: [(last: Int64, author: String?)] = []
    var next = first
    while try signed.step() {
      let (first, last) = (try signed.number(0), try signed.number(1))
      if first > next { stretches.append((first - 1, nil)) }
      stretches.append((last, signed.string(2)))
      next = last + 1
    }
    if next <= last { stretches.append((last, nil)) }
    // A name that nobody took back belongs to a transaction that has ended.
    try db.run("DELETE FROM bolide_author")
    try db.run("DELETE FROM bolide_signed")
    var token: HistoryToken?
    next = first
    for stretch in stretches {
      try count(from: next, through: stretch.last)
      token = try insert(author: stretch.author, run: nil, from: next, through: stretch.last)
      next = stretch.last + 1
    }
    return token
  }

  /// Notes that objects with a contiguous range of ids are new.
  func noteInserts(_ entity: Int64, _ ids: ClosedRange<Int64>) throws {
    if triggersWrite { return }
    try change(entity, kind: 0, ids)
    inserted += Int64(ids.count)
  }

  /// Notes that an object has other values; follow with `notePrevious` for each of them.
  func noteUpdate(_ entity: Int64, _ id: Int64) throws {
    if triggersWrite { return }
    try change(entity, kind: 1, id...id)
    updated += 1
  }

  /// Notes the value of a property before the update, taken from a query's current row.
  func notePrevious(_ property: Int64, _ row: RawStatement, _ column: Int32) throws {
    if triggersWrite { return }
    insertPrevious.bind(next - 1, at: 1)
    insertPrevious.bind(property, at: 2)
    insertPrevious.bind(columnOf: row, column, at: 3)
    try insertPrevious.run()
  }

  /// Takes changes into the transaction that triggers have made of it, behind its own.
  func takeTriggered() throws {
    if triggersWrite { return }
    let made = try integer(lastChange)
    guard made >= next else { return }
    let before = (inserted, updated, deleted)
    try count(from: next, through: made)
    (inserted, updated, deleted) = (before.0 + inserted, before.1 + updated, before.2 + deleted)
    next = made + 1
  }

  /// Ends the transaction's changes.
  ///
  /// - Parameters:
  ///   - run: the import that made them; nil for another command.
  ///   - isKept: whether the transaction is one also without a change.
  /// - Returns: its token; nil when nothing changed, and nothing is written then.
  package func end(author: String, run: Int64?, isKept: Bool = false) throws -> HistoryToken? {
    if triggersWrite {
      next = try integer(lastChange) + 1
      if next > first { try count(from: first, through: next - 1) }
    }
    guard next > first || isKept else { return nil }
    return try insert(author: author, run: run, from: first, through: next - 1)
  }

  /// Notes that changes were made which are in no transaction: whoever has not seen what comes now cannot catch up.
  ///
  /// Assigns what is pending first, so that what is known comes before the gap.
  package func noteGap(_ reason: String) throws {
    try begin()
    let token = try insert(author: nil, run: nil, from: next, through: next - 1)
    try db.run("INSERT INTO bolide_gap(number, reason) VALUES (?, ?)", .integer(token.number), .text(reason))
  }

  /// Counts the objects of a range of changes by kind.
  private func count(from first: Int64, through last: Int64) throws {
    countKinds.bind(first, at: 1)
    countKinds.bind(last, at: 2)
    defer { countKinds.reset() }
    _ = try countKinds.step()
    (inserted, updated, deleted) = try (countKinds.number(0), countKinds.number(1), countKinds.number(2))
  }

  private func change(_ entity: Int64, kind: Int64, _ ids: ClosedRange<Int64>) throws {
    insertChange.bind(next, at: 1)
    insertChange.bind(entity, at: 2)
    insertChange.bind(kind, at: 3)
    insertChange.bind(ids.lowerBound, at: 4)
    insertChange.bind(ids.upperBound, at: 5)
    try insertChange.run()
    next += 1
  }

  private func insert(author: String?, run: Int64?, from first: Int64, through last: Int64) throws
    -> HistoryToken
  {
    let nonce = randomWord(length: 6)
    insertTransaction.bind(nonce, at: 1)
    insertTransaction.bind(timestamp(), at: 2)
    insertTransaction.bind(author, at: 3)
    if let run { insertTransaction.bind(run, at: 4) } else { insertTransaction.bindNull(at: 4) }
    for (index, value) in [model, first, last, inserted, updated, deleted].enumerated() {
      insertTransaction.bind(value, at: Int32(5 + index))
    }
    _ = try insertTransaction.step()
    let number = insertTransaction.integer(0)
    insertTransaction.reset()
    let token = HistoryToken(store: storeID, number: number, nonce: nonce)
    // A COMMIT that fails does not end what waits for it: that would see the connection's next transaction end.
    if let memory { db.afterNextTransaction { db in memory.write(token, ifIn: db) } }
    return token
  }

  private func integer(_ statement: RawStatement) throws -> Int64 {
    defer { statement.reset() }
    return try statement.step() ? statement.number(0) : 0
  }
}
