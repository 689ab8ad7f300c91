internal import GRDB

/// The table of named readers, inside the caller's transaction.
struct ReaderTable {
  private let db: Database
  private let path: String
  private let places: HistoryPlaces

  init(_ db: Database, path: String) throws {
    self.db = db
    self.path = path
    places = try HistoryPlaces(db)
  }

  /// All readers, by name.
  func all() throws -> [Reader] {
    let statement = try RawStatement(
      db,
      """
      SELECT name, r.number, r.nonce, diverged, moved, count(t.number),
        ifnull(sum(inserted + updated + deleted), 0),
        ifnull(max(0, (julianday('now') - julianday(min(t.at))) * 86400), 0)
      FROM bolide_reader AS r LEFT JOIN bolide_transaction AS t ON t.number > r.number GROUP BY name ORDER BY name
      """)
    defer { statement.reset() }
    var readers: [Reader] = []
    while try statement.step() {
      let token = token(statement)
      let state: Reader.State =
        statement.integer(3) != 0
        ? .diverged : token.number < max(places.floor, places.gap) ? .expired : .live
      readers.append(
        Reader(
          name: statement.string(0) ?? "", token: token, state: state,
          transactionsBehind: Int(statement.integer(5)), changesBehind: Int(statement.integer(6)),
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
    guard try statement.step() else { throw unknown(name) }
    let token = token(statement)
    let hint =
      "Start again from a snapshot: bolide snapshot \(path) --reader \(name) -- COMMAND"
    guard statement.integer(3) == 0 else {
      throw StoreError(
        .tokenDiverged,
        "\(path): the store was restored, and what the reader '\(name)' has seen is not all there",
        hint: hint)
    }
    do {
      try places.check(token, path: path)
    } catch let error as StoreError {
      // The same answer, in the reader's words.
      throw StoreError(
        error.code, error.message.replacing("the token \(token)", with: "the place of the reader '\(name)'"),
        hint: hint)
    }
    return token
  }

  /// Where a start is in this history.
  func token(_ start: Reader.Start) throws -> HistoryToken {
    let token =
      switch start {
      case .now: try places.newest()
      case .beginning: try places.token(0)
      case .token(let token): token
      }
    try places.check(token, path: path)
    guard token.inside == nil else {
      throw StoreError(
        .badRequest, "\(path): the token \(token) is inside a transaction, and readers stand between them",
        hint: "Read on to the transaction's end, and give that token.")
    }
    return token
  }

  /// Adds a reader.
  func add(_ name: String, at token: HistoryToken) throws {
    guard !name.isEmpty, name.count <= 100,
      name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7f })
    else {
      throw StoreError(.badRequest, "\(path): a reader's name has 1 to 100 characters that can be printed")
    }
    guard try !exists(name) else {
      throw StoreError(
        .badRequest, "\(path): there is a reader '\(name)' already",
        hint: "Begin again with it: bolide readers \(path) reset \(name)")
    }
    try run(
      """
      INSERT INTO bolide_reader(name, number, nonce, added, moved)
      VALUES (?1, \(token.number), \(literal(token.nonce)), ?2, ?2)
      """, name)
  }

  /// Puts a reader somewhere, whatever its state.
  func put(_ name: String, at token: HistoryToken) throws {
    try check(name)
    try run(
      """
      UPDATE bolide_reader SET number = \(token.number), nonce = \(literal(token.nonce)), diverged = 0, moved = ?2
      WHERE name = ?1
      """, name)
  }

  /// Moves a reader on, if it still is where its delivery began.
  func advance(_ name: String, from start: HistoryToken, to token: HistoryToken) throws {
    guard token.number > start.number else { return }
    try run(
      """
      UPDATE bolide_reader SET number = \(token.number), nonce = \(literal(token.nonce)), moved = ?2
      WHERE name = ?1 AND number = \(start.number) AND nonce = \(literal(start.nonce)) AND diverged = 0
      """, name)
  }

  /// Removes a reader.
  func drop(_ name: String) throws {
    try check(name)
    try run("DELETE FROM bolide_reader WHERE name = ?1", name)
  }

  /// Checks that there is a reader of that name.
  func check(_ name: String) throws {
    guard try exists(name) else { throw unknown(name) }
  }

  private func unknown(_ name: String) -> StoreError {
    StoreError(
      .unknownReader, "\(path): there is no reader '\(name)'",
      hint: "Add it: bolide readers \(path) add \(name) --from now")
  }

  private func exists(_ name: String) throws -> Bool {
    let statement = try RawStatement(db, "SELECT 1 FROM bolide_reader WHERE name = ?")
    statement.bind(name, at: 1)
    defer { statement.reset() }
    return try statement.step()
  }

  /// Runs a statement with a name and the present instant.
  private func run(_ sql: String, _ name: String) throws {
    let statement = try RawStatement(db, sql)
    statement.bind(name, at: 1)
    statement.bind(timestamp(), at: 2)
    try statement.run()
  }

  private func token(_ row: RawStatement) -> HistoryToken {
    HistoryToken(store: places.store, number: row.integer(1), nonce: row.string(2) ?? "")
  }
}
