@testable import SQLiteAccess
import Testing

@testable import SQLiteStore

/// A transaction that its beginner could not end is not the next one's, and ends no process.
struct WritingConnectionTests {
  private let temporary: TemporaryStore
  private let store: SQLiteEngine

  init() throws {
    temporary = try TemporaryStore()
    store = try temporary.open(Quakes.pipeline())
  }

  private struct Stopped: Error {}

  @Test func `what is left open is taken back, and the lock with it`() throws {
    #expect(throws: Stopped.self) {
      try store.writing { db in
        try db.run("BEGIN IMMEDIATE")
        try db.run("INSERT INTO Quake(id) VALUES ('a')")
        throw Stopped()
      }
    }
    // Another program is not held up.
    try temporary.shell("INSERT INTO Quake(id) VALUES ('b')")
    #expect(try store.writing { try $0.integer("SELECT count(*) FROM Quake WHERE id = 'a'") } == 0)
  }

  @Test func `a statement that the schema has outlived is compiled anew`() throws {
    try store.writing { db in
      try db.run("CREATE TABLE mine(a)")
      try db.run("BEGIN IMMEDIATE")
      try db.run("INSERT INTO mine VALUES (1)")
    }
    #expect(try store.writing { try $0.integer("SELECT count(*) FROM mine") } == 0)
  }
}
