package import GRDB
internal import ImportModel
internal import SQLiteAccess
package import StoreInterface

/// The table of named readers, inside the caller's transaction.
package struct ReaderTable {
  private let db: Database
  private let path: String
  private let positions: HistoryPositions

  package init(_ db: Database, path: String) throws {
    self.db = db
    self.path = path
    positions = try HistoryPositions(db)
  }

  /// All readers, by name.
  package func all() throws -> [Reader] {
    let statement = try RawStatement(
      db,
      """
      SELECT name, r.number, r.nonce, diverged, moved, count(t.number),
        CAST(total(inserted + updated + deleted) AS INTEGER),
        ifnull(max(0, (julianday(?) - julianday(min(t.at))) * 86400), 0)
      FROM bolide_reader AS r LEFT JOIN bolide_transaction AS t ON t.number > r.number GROUP BY name ORDER BY name
      """)
    defer { statement.reset() }
    statement.bind(timestamp(), at: 1)
    let isRestored = try BackupRestoreDetector.isDue(db)
    var readers: [Reader] = []
    while try statement.step() {
      let token = try token(statement)
      let state: Reader.State =
        isRestored || statement.integer(3) != 0
        ? .diverged : token.number < max(positions.floor, positions.gap) ? .expired : .live
      // What an expired one has not seen is not all there to be counted.
      let gone = state == .expired ? max(0, try positions.missed(after: token)) : 0
      readers.append(
        Reader(
          name: statement.string(0) ?? "", token: token, state: state,
          transactionsBehind: Int(gone + statement.integer(5)), changesBehind: Int(statement.integer(6)),
          secondsBehind: statement.real(7), moved: statement.string(4) ?? ""))
    }
    return readers
  }

  /// The place from which a reader goes on.
  ///
  /// - Throws: `StoreError.unknownReader`; one of the answers of a token when the reader cannot go on.
  func place(of name: String) throws -> HistoryToken {
    let statement = try RawStatement(
      db, "SELECT name, number, nonce, diverged FROM bolide_reader WHERE name = ?")
    statement.bind(name, at: 1)
    defer { statement.reset() }
    guard try statement.step() else { throw StoreError.noSuchReader(name, path) }
    let token = try token(statement)
    guard statement.integer(3) == 0 else { throw StoreError.readerDiverged(name, path) }
    try positions.check(token, of: name, path: path)
    return token
  }

  /// Where a start is in this history.
  func token(_ start: Reader.Start) throws -> HistoryToken {
    let token =
      switch start {
      case .now: try positions.newest()
      case .beginning: try positions.token(0)
      case .token(let token): token
      }
    try positions.check(token, path: path)
    guard token.inside == nil else { throw StoreError.readerInside(token, path) }
    return token
  }

  /// Adds a reader.
  func add(_ name: String, at token: HistoryToken) throws {
    guard Reader.isName(name) else { throw StoreError.badReaderName(path) }
    guard try !exists(name) else { throw StoreError.readerExists(name, path) }
    try run(
      """
      INSERT INTO bolide_reader(name, number, nonce, added, moved)
      VALUES (?1, ?3, ?4, ?2, ?2)
      """, name, .integer(token.number), .text(token.nonce))
  }

  /// Puts a reader somewhere, whatever its state.
  func put(_ name: String, at start: Reader.Start) throws {
    try check(name)
    let token = try token(start)
    try run(
      """
      UPDATE bolide_reader SET number = ?3, nonce = ?4, diverged = 0, moved = ?2 WHERE name = ?1
      """, name, .integer(token.number), .text(token.nonce))
  }

  /// Moves a reader on, if it still is where its delivery began.
  func advance(_ name: String, from start: HistoryToken, to token: HistoryToken) throws {
    guard token.number > start.number else { return }
    try run(
      """
      UPDATE bolide_reader SET number = ?3, nonce = ?4, moved = ?2
      WHERE name = ?1 AND number = ?5 AND nonce = ?6 AND diverged = 0
      """, name, .integer(token.number), .text(token.nonce), .integer(start.number), .text(start.nonce))
  }

  /// Removes a reader.
  func drop(_ name: String) throws {
    try check(name)
    try run("DELETE FROM bolide_reader WHERE name = ?1", name)
  }

  /// Checks that there is a reader of that name.
  func check(_ name: String) throws {
    guard try exists(name) else { throw StoreError.noSuchReader(name, path) }
  }

  func exists(_ name: String) throws -> Bool {
    let statement = try RawStatement(db, "SELECT 1 FROM bolide_reader WHERE name = ?")
    statement.bind(name, at: 1)
    defer { statement.reset() }
    return try statement.step()
  }

  /// Runs a statement with a name, the present instant and what else it takes.
  private func run(_ sql: String, _ name: String, _ values: Value...) throws {
    let statement = try RawStatement(db, sql)
    statement.bind([.text(name), .text(timestamp())] + values)
    try statement.run()
  }

  private func token(_ row: RawStatement) throws(StoreError) -> HistoryToken {
    HistoryToken(store: positions.store, number: try row.number(1), nonce: try row.word(2))
  }
}
