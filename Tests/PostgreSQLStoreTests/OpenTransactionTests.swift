import Bolide
import PostgreSQLAccess
import RandomHistories
import StoreInterface
import TestServer
import Testing

/// Transactions that are under way while others get their numbers: each is told when it has committed, once, and nothing is kept of those
/// that never do.
@Suite(.timeLimit(.minutes(10))) struct OpenTransactionTests {
  /// Another program with a session of its own.
  private final class Writer {
    let connection: PostgreSQLConnection
    /// The objects that its open transaction has inserted; nil outside one.
    var open: [Int64]?
    /// How many of them were there at the savepoint.
    var saved: Int?

    init(_ store: ServerStore) throws {
      let address = try #require(PostgreSQLAddress(store.server.address(schema: store.schema)))
      connection = try PostgreSQLConnection(address)
    }

    /// Begins a transaction, which gets an id of the server's at once.
    func begin() throws {
      try connection.run("BEGIN")
      try connection.run("SELECT pg_current_xact_id()")
      open = []
    }

    func insert(_ id: Int64) throws {
      if open == nil { try connection.run("BEGIN") }
      try connection.run("INSERT INTO \"Quake\"(id, magnitude) VALUES (\(id), 1)")
      open = (open ?? []) + [id]
    }

    /// - Returns: what it has inserted.
    func end(_ word: String) throws -> [Int64] {
      try connection.run(word)
      defer { (open, saved) = (nil, nil) }
      return open ?? []
    }
  }

  /// The objects of each transaction behind a token, in the order of its number.
  private func told(_ store: ServerStore, after token: HistoryToken) throws -> [[Int64]] {
    try store.engine.assignPendingChanges()
    return try store.engine.history(HistoryRequest(after: token)).map { transaction in
      transaction.changes.filter { $0.entity == "Quake" }.flatMap(\.key).compactMap { Int64($0.value.text) }
        .sorted()
    }
  }

  @Test(arguments: 0..<12) func `each is told once, when it has committed`(seed: Int) throws {
    var dice = Dice(seed)
    let store = try ServerStore()
    let writers = try (0..<5).map { _ in try Writer(store) }
    var token = try store.engine.newestToken()
    var (committed, all): (Set<[Int64]>, [[Int64]]) = ([], [])
    func look() throws {
      let found = try told(store, after: token)
      token = try store.engine.newestToken()
      #expect(found.count == committed.count && Set(found) == committed)
      (committed, all) = ([], all + found)
    }
    for id in Int64(1)...80 {
      guard let writer = writers.randomElement(using: &dice) else { continue }
      switch Int.random(in: 0..<12, using: &dice) {
      case 0..<4: try writer.insert(id)
      case 4 where writer.open == nil: try writer.begin()
      case 5 where writer.open != nil && writer.saved == nil:
        try writer.connection.run("SAVEPOINT before")
        writer.saved = writer.open?.count
      case 6:
        guard let saved = writer.saved else { continue }
        try writer.connection.run("ROLLBACK TO before")
        writer.open = writer.open.map { Array($0.prefix(saved)) }
      case 7 where writer.open != nil:
        let ids = try writer.end("COMMIT")
        if !ids.isEmpty { committed.insert(ids) }
      case 8 where writer.open != nil: _ = try writer.end("ROLLBACK")
      case 9:
        try store.take([#"{"id": \#(id)}"#])
        committed.insert([id])
      default: try look()
      }
    }
    for writer in writers where writer.open != nil {
      let isKept = Bool.random(using: &dice)
      let ids = try writer.end(isKept ? "COMMIT" : "ROLLBACK")
      if isKept, !ids.isEmpty { committed.insert(ids) }
    }
    try look()
    #expect(
      try store.psql(#"SELECT coalesce(string_agg(id::text, ',' ORDER BY id), '') FROM "Quake""#)
        == all.joined().sorted().map(String.init).joined(separator: ","))
    // When all that was open on the server then has ended, a command knows that what was rolled back does not come.
    var id = 100
    while try store.psql("SELECT count(*) FROM bolide_open") != "0" {
      try store.take([#"{"id": \#(id)}"#])
      id += 1
    }
  }

  /// On a server of its own: what others commit meanwhile would tell how far the server's ids go.
  @Test func `who has the later id of the server's may have the earlier one here`() throws {
    let store = try ServerStore(on: TestServer())
    let (first, second) = try (Writer(store), Writer(store))
    try first.begin()
    try second.begin()
    try second.insert(2)
    try first.insert(1)
    _ = try first.end("COMMIT")
    let token = try store.engine.newestToken()
    #expect(try told(store, after: token) == [[1]])
    try store.take([#"{"id": 3}"#])
    try store.take([#"{"id": 4}"#])
    _ = try second.end("COMMIT")
    #expect(try told(store, after: token) == [[1], [3], [4], [2]])
  }

  /// As a transaction that was prepared stays under way beyond a failover: the store is told that it was written elsewhere.
  @Test func `a store that is another one waits for what is under way by now`() throws {
    let store = try ServerStore()
    let (first, second) = try (Writer(store), Writer(store))
    try first.insert(1)
    try second.insert(2)
    _ = try second.end("COMMIT")
    let token = try store.engine.newestToken()
    #expect(try told(store, after: token) == [[2]])
    try store.psql("UPDATE bolide_store SET origin = 'elsewhere'")
    #expect(try told(store, after: token) == [[2]])
    #expect(try store.psql("SELECT origin <> 'elsewhere' FROM bolide_store") == "t")
    try store.take([#"{"id": 3}"#])
    _ = try first.end("COMMIT")
    #expect(try told(store, after: token) == [[2], [3], [1]])
  }

  /// Who may only read is shown changes up to the newest number, with rows of a later moment.
  @Test func `keys are those of then, where what came behind has no number yet`() throws {
    let store = try ServerStore()
    let start = try store.engine.newestToken()
    try store.take([#"{"id": 1}{"id": 2}"#])
    try store.psql("DELETE FROM \"Quake\" WHERE id = 1; UPDATE \"Quake\" SET id = 5 WHERE id = 2")
    let options = "&options=-c%20default_transaction_read_only%3Don#"
    let address = store.server.address(schema: store.schema).replacing("#", with: options)
    let keys = try StoreAddress(address).open().history(HistoryRequest(after: start)).flatMap(\.changes).map {
      "\($0.kind) \($0.key.map(\.value.text))"
    }
    #expect(keys == [#"insert ["1"]"#, #"insert ["2"]"#])
  }

  @Test func `whoever calls what numbers, or sets an id, breaks nothing by it`() throws {
    let store = try ServerStore()
    let (open, reader) = try (Writer(store), Writer(store))
    let token = try store.engine.newestToken()
    try open.insert(1)
    try store.take([#"{"id": 2}"#])
    // Without the lock, while another command has it.
    let command = try Writer(store)
    try command.connection.run("BEGIN")
    try command.connection.run("SELECT bolide_number()")
    try command.insert(3)
    let other = try OtherProgram(on: store.server, schema: store.schema)
    try other.send("SELECT bolide_number() /* \(store.schema) */;")
    try store.waitUntil(
      "EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%() /* \(store.schema) */%')"
    )
    _ = try command.end("COMMIT")
    #expect(try other.end())
    try reader.connection.run("SELECT set_config('bolide.transaction_\(store.schema)', '1000000000', false)")
    try reader.insert(4)
    _ = try reader.end("COMMIT")
    _ = try open.end("COMMIT")
    #expect(try Set(told(store, after: token)) == [[2], [3], [1]])
    #expect(try store.psql("SELECT newest_id < 100 FROM bolide_store") == "t")
    // Readers were told of the transaction when it had one change.
    let told = try store.psql("SELECT id, number FROM bolide_transaction ORDER BY number LIMIT 1").split(
      separator: "|")
    try reader.connection.run("SELECT set_config('bolide.transaction_\(store.schema)', '\(told[0])', false)")
    try reader.insert(5)
    _ = try reader.end("COMMIT")
    #expect(
      try store.engine.verified().map { "\($0)" } == [
        "bolide_transaction \(told[1]) changes: stored 1, true 2",
        "history: 1 change in no transaction: a program has set the id of its own",
      ])
  }

  /// The first writer's transaction is open when the second one's gets its number, and the third one's when the store is dumped.
  @Test func `a store from a dump has what was pending, and waits for nothing that was open there`() throws {
    let store = try ServerStore()
    let writers = try (0..<3).map { _ in try Writer(store) }
    for (writer, id) in zip(writers, Int64(1)...) { try writer.insert(id) }
    _ = try writers[1].end("COMMIT")
    #expect(try told(store, after: store.engine.newestToken()) == [[2]])
    let token = try store.engine.newestToken()
    _ = try writers[0].end("COMMIT")
    #expect(try store.psql("SELECT count(*) FROM bolide_open") == "1")
    let dump = try store.server.dump(schema: store.schema)
    _ = try writers[2].end("ROLLBACK")
    try store.psql("DROP SCHEMA \"\(store.schema)\" CASCADE")
    try store.psql(dump)
    try store.psql("INSERT INTO \"Quake\"(id) VALUES (4)")
    #expect(try told(store, after: token) == [[1], [4]])
    #expect(try store.psql("SELECT array_agg(id ORDER BY id) FROM \"Quake\"") == "{1,2,4}")
  }

  /// Who may only look at a store may call its functions.
  @Test(arguments: [true, false]) func `nobody signs another one's transaction`(_ hasOne: Bool) throws {
    let store = try ServerStore()
    try store.psql(#"INSERT INTO "Quake"(id, magnitude) VALUES (1, 1)"#)
    let pending = try store.psql("SELECT id FROM bolide_pending")
    let role = "r\(store.schema)"
    let error = try store.psql(
      """
      CREATE ROLE "\(role)" LOGIN; GRANT USAGE ON SCHEMA "\(store.schema)" TO "\(role)"; SET ROLE "\(role)";
      CREATE FUNCTION pg_temp.sign() RETURNS text LANGUAGE plpgsql AS $$ BEGIN
        \(hasOne ? "PERFORM bolide_transaction_id();" : "")
        PERFORM set_config('bolide.transaction_\(store.schema)', '\(pending)', true);
        PERFORM bolide_finish('aaaaaa', 'boss', 'quakes', 1, '1999-01-01');
        RETURN 'signed';
      EXCEPTION WHEN OTHERS THEN RETURN SQLERRM;
      END $$;
      SELECT pg_temp.sign(); RESET ROLE; DROP OWNED BY "\(role)"; DROP ROLE "\(role)";
      """)
    #expect(
      error
        == (hasOne
          ? "the transaction \(pending) is another session's"
          : "currval of sequence \"bolide_transaction_seq\" is not yet defined in this session"))
    try store.engine.assignPendingChanges()
    #expect(try store.engine.history(HistoryRequest()).map(\.author) == [nil])
  }
}
