import ImportModel
import SQLiteMaintenance
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Triggers that another program has put on a table fire, and the store stays true all the same.
struct ForeignTriggerTests {
  private let temporary: TemporaryStore
  private let pipeline = Quakes.pipeline()

  init() throws { temporary = try TemporaryStore() }

  private let records: [Record] = [
    ["id": "a", "@region": "west", "magnitude": 1.5, "depth": 3, "cost": 100],
    ["id": "b", "@region": "west", "magnitude": 0.1, "depth": 4, "cost": 200],
    ["id": "c", "@region": "east", "magnitude": 2.5, "depth": 5, "cost": 300],
  ]

  @Test func `An import lets them fire, once a row, and one token is given out`() throws {
    let store = try temporary.open(pipeline)
    try temporary.shell(
      """
      CREATE TABLE audit(what TEXT, id TEXT);
      CREATE TRIGGER watch_insert AFTER INSERT ON Quake BEGIN INSERT INTO audit VALUES ('insert', NEW.id); END;
      CREATE TRIGGER watch_update AFTER UPDATE ON quake BEGIN INSERT INTO audit VALUES ('update', NEW.id); END;
      """)
    let first = try store.take(pipeline, records)
    let second = try store.take(pipeline, [["id": "b", "magnitude": 9.5], ["id": "c", "magnitude": 2.5]])
    #expect(first.counts.inserted == 3)
    #expect(second.counts.updated == 1 && second.counts.unchanged == 1)
    #expect(
      try store.rows("SELECT what, id FROM audit ORDER BY rowid")
        == [["insert", "a"], ["insert", "b"], ["insert", "c"], ["update", "b"]])

    let replay = try Replay(store)
    #expect(replay.transactions.map(\.token) == [first.token, second.token])
    #expect(replay.transactions.map(\.author) == ["quakes", "quakes"])
    #expect(replay.changes.last { $0.entity == "Quake" }?.previous.map(\.value) == [.real(0.1)])
    #expect(try store.findings() == [])
  }

  @Test func `One that follows a derived attribute writes what is history too`() throws {
    let store = try temporary.open(pipeline)
    try store.take(pipeline, records)
    try temporary.shell(
      """
      CREATE TRIGGER follow AFTER UPDATE OF magnitudes ON Region BEGIN
        UPDATE Region SET code = 'moved' WHERE code = 'east';
      END;
      UPDATE Quake SET magnitude = 3 WHERE id = 'a';
      """)
    #expect(try store.rows("SELECT code FROM Region ORDER BY bolide_id") == [["west"], ["moved"]])
    #expect(try store.rows(Quakes.untrue) == [])
    #expect(try store.rows("SELECT * FROM bolide_deriving") == [])
    try store.assignPending()
    #expect(try Replay(store).problems() == [])
    let changes = try Replay(store).changes.filter { $0.entity == "Region" && $0.kind == .update }
    #expect(changes.map(\.isDerived).count { !$0 } == 1)
    #expect(try store.findings() == [])
  }

  @Test func `One that puts rows among those of the import ends it`() throws {
    let store = try temporary.open(pipeline)
    try temporary.shell(
      """
      CREATE TRIGGER double AFTER INSERT ON Quake WHEN NEW.id NOT LIKE 'x%'
      BEGIN INSERT INTO Quake(id) VALUES ('x' || NEW.id); END;
      """)
    let error = #expect(throws: StoreError.self) { try store.take(pipeline, records) }
    #expect(
      error?.message
        == "\(temporary.path): a trigger of another program added rows to Quake, or prevented rows of the import"
    )
    #expect(error?.hint == "Drop the trigger, or let it write to another table.")
    #expect(try store.rows("SELECT count(*) FROM Quake") == [[0]])
  }

  @Test(arguments: ["a", "b", "c"]) func `One that keeps a row out ends it`(id: String) throws {
    let store = try temporary.open(pipeline)
    try temporary.shell(
      "CREATE TRIGGER no BEFORE INSERT ON Quake WHEN NEW.id = '\(id)' BEGIN SELECT RAISE(IGNORE); END")
    let error = #expect(throws: StoreError.self) { try store.take(pipeline, records) }
    #expect(error?.code == .constraint)
    #expect(
      error?.message
        == "\(temporary.path): a trigger of another program added rows to Quake, or prevented rows of the import"
    )
    #expect(try store.rows("SELECT count(*) FROM Quake") == [[0]])
  }

  @Test func `One that keeps an owner from being made ends it`() throws {
    let store = try temporary.open(pipeline)
    try temporary.shell("CREATE TRIGGER no BEFORE INSERT ON Region BEGIN SELECT RAISE(IGNORE); END")
    let error = #expect(throws: StoreError.self) { try store.take(pipeline, records) }
    #expect(
      error?.message == "\(temporary.path): a trigger of another program prevents the insertion of a Region")
    #expect(error?.hint == "Drop the trigger, or let it write to another table.")
    #expect(try store.rows("SELECT count(*) FROM Quake") == [[0]])
  }

  @Test func `The same chunk again gives no token`() throws {
    let store = try temporary.open(pipeline)
    try temporary.shell("CREATE TRIGGER watch AFTER INSERT ON Quake BEGIN SELECT 1; END")
    try store.take(pipeline, records)
    #expect(try store.take(pipeline, records).token == nil)
  }
}
