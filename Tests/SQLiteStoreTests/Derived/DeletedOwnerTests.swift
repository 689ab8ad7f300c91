import ImportModel
import SQLiteMaintenance
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// An owner deleted by a program that leaves foreign keys off, as the `sqlite3` shell does, leaves no link to nothing.
struct DeletedOwnerTests {
  private let temporary: TemporaryStore

  init() throws { temporary = try TemporaryStore() }

  private func store(_ rule: Relationship.DeleteRule) throws -> SQLiteEngine {
    let pipeline = Quakes.pipeline { pipeline in
      for index in pipeline[entity: "Region"].relationships.indices {
        pipeline[entity: "Region"].relationships[index].deleteRule = rule
      }
    }
    let store = try temporary.open(pipeline)
    try store.take(
      pipeline,
      [
        ["id": "a", "@region": "west", "depth": 1], ["id": "b", "@region": "west", "depth": 2],
        ["id": "c", "@region": "east", "depth": 3],
      ])
    return store
  }

  private let delete = "PRAGMA foreign_keys = OFF; DELETE FROM Region WHERE code = 'west'"

  @Test func `Its children lead nowhere under nullify, with history`() throws {
    let store = try store(.nullify)
    try temporary.shell(delete)
    #expect(
      try store.rows("SELECT id, region_id IS NULL FROM Quake ORDER BY id") == [
        ["a", 1], ["b", 1], ["c", 0],
      ])
    try store.assignPending()
    let last = try Replay(store).changes.filter { $0.transaction == 2 }
    #expect(last.map(\.kind) == [.delete, .update, .update])
    #expect(try store.findings() == [])
  }

  @Test func `What leads to it and is nobody's inverse leads nowhere then`() throws {
    let pipeline = Quakes.pipeline { pipeline in
      pipeline[entity: "Quake"].relationships.append(
        Relationship(name: "nearest", kind: .toOne, destination: "Region"))
    }
    let store = try temporary.open(pipeline)
    try store.take(pipeline, [["id": "a", "@region": "west"], ["id": "b", "@region": "east"]])
    try temporary.shell("UPDATE Quake SET nearest_id = (SELECT bolide_id FROM Region WHERE code = 'west')")
    try store.assignPending()
    try temporary.shell(delete)
    #expect(try store.rows("SELECT id FROM Quake WHERE nearest_id IS NULL ORDER BY id") == [["a"], ["b"]])
    try store.assignPending()
    let last = try Replay(store, model: pipeline.model).changes.filter { $0.transaction == 3 }
    #expect(last.map(\.kind) == [.delete, .update, .update, .update])
    #expect(try store.findings() == [])
  }

  @Test(arguments: ["OFF", "ON"], ["OFF", "ON"])
  func `A tree goes with its root, with history and sums`(keys: String, recursion: String) throws {
    let pipeline = Quakes.pipeline { pipeline in
      pipeline[entity: "Quake"].relationships += [
        Relationship(name: "main", kind: .toOne, destination: "Quake", inverse: "aftershocks"),
        Relationship(
          name: "aftershocks", kind: .toMany, destination: "Quake", inverse: "main", deleteRule: .cascade),
        Relationship(name: "nearest", kind: .toOne, destination: "Quake"),
      ]
    }
    let store = try temporary.open(pipeline)
    try store.take(
      pipeline, (1...6).map { ["id": .text("q\($0)"), "@region": "west", "depth": .integer(1 << $0)] })
    // 1 ← 2 ← 3 ← 4, 2 ← 5; 6 stands alone.
    try temporary.shell(
      """
      UPDATE Quake SET main_id = CASE bolide_id WHEN 5 THEN 2 ELSE bolide_id - 1 END WHERE bolide_id BETWEEN 2 AND 5;
      UPDATE Quake SET nearest_id = 3 WHERE id = 'q6'; UPDATE Quake SET nearest_id = 5 WHERE id = 'q1'
      """)
    try store.assignPending()
    try temporary.shell(
      "PRAGMA foreign_keys = \(keys); PRAGMA recursive_triggers = \(recursion); DELETE FROM Quake WHERE id = 'q2'"
    )
    #expect(try store.rows("SELECT id FROM Quake ORDER BY id") == [["q1"], ["q6"]])
    #expect(try store.rows("SELECT quakeCount, depths FROM Region") == [[2, 66]])
    try store.assignPending()
    let last = try Replay(store, model: pipeline.model).changes.filter {
      $0.transaction == 3 && $0.kind == .delete
    }
    #expect(last.map(\.id).sorted() == [2, 3, 4, 5])
    #expect(try store.rows("SELECT count(*) FROM Quake WHERE nearest_id IS NOT NULL") == [[0]])
    #expect(try Replay(store, model: pipeline.model).problems() == [])
    #expect(try store.findings() == [])
  }

  @Test func `Its children go with it under cascade`() throws {
    let store = try store(.cascade)
    try temporary.shell(delete)
    #expect(try store.rows("SELECT id FROM Quake") == [["c"]])
    #expect(try store.findings() == [])
  }

  @Test func `It is not deleted under deny while it has children`() throws {
    let store = try store(.deny)
    #expect(try temporary.refusal(delete)?.contains("FOREIGN KEY constraint failed") == true)
    #expect(try store.rows("SELECT count(*) FROM Region") == [[2]])
    #expect(try store.findings() == [])
  }
}
