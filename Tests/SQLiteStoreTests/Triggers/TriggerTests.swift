import ImportModel
@testable import PipelineFile
import SQLiteMaintenance
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Other programs write with plain SQL, and the store stays true.
struct TriggerTests {
  private let temporary: TemporaryStore
  private let pipeline = Quakes.pipeline()
  private let store: SQLiteEngine

  init() throws {
    temporary = try TemporaryStore()
    store = try temporary.open(pipeline)
    try store.take(pipeline, (0..<20).map { quake($0, magnitude: Double($0) / 10, cost: 100 * $0) })
  }

  private func number(_ dice: inout Dice) -> String {
    dice.once(in: 5) ? "NULL" : "\(Double(dice.int(-10_000...10_000)) / 100)"
  }

  private func whole(_ dice: inout Dice) -> String {
    dice.once(in: 5) ? "NULL" : "\(dice.int(-10_000...10_000))"
  }

  /// One random statement, as a person or a program would write it.
  private func statement(_ dice: inout Dice) -> String {
    let quake = "id = 'q\(dice.int(0...30))'"
    let some = "bolide_id % \(dice.int(2...5)) = 0"
    let owner = "(SELECT bolide_id FROM Region WHERE code = 'r\(dice.int(0...3))')"
    let region = dice.once(in: 6) ? "NULL" : owner
    return switch dice.int(0...9) {
    case 0, 1, 2:
      "INSERT INTO Quake(id, magnitude, depth, cost, region_id) VALUES ('q\(dice.int(0...30))', "
        + "\(number(&dice)), \(whole(&dice)), \(whole(&dice)), \(region)) ON CONFLICT DO NOTHING"
    case 3: "UPDATE Quake SET magnitude = \(number(&dice)) WHERE \(quake)"
    case 4: "UPDATE Quake SET depth = \(whole(&dice)), cost = \(whole(&dice)), magnitude = 1.5 WHERE \(some)"
    case 5: "UPDATE Quake SET region_id = \(region) WHERE \(quake)"
    case 6: "UPDATE Quake SET region_id = \(region), magnitude = magnitude + 0.1, depth = NULL WHERE \(some)"
    case 7: "DELETE FROM Quake WHERE \(dice.once(in: 4) ? some : quake)"
    case 8: "DELETE FROM Region WHERE code = 'r\(dice.int(0...3))' AND \(dice.int(0...2)) = 0"
    default: "INSERT OR IGNORE INTO Region(code) VALUES ('r\(dice.int(0...3))')"
    }
  }

  @Test(arguments: 0..<12) func `Random edits by the shell keep counts, sums and history`(seed: Int) throws {
    var dice = Dice(seed)
    for round in 0..<3 {
      var script = "PRAGMA foreign_keys = \(seed % 3 == 0 ? "OFF" : "ON");\n"
      if round == 1 { script += "BEGIN;\n" }
      for _ in 0..<60 { script += statement(&dice) + ";\n" }
      if round == 1 { script += "COMMIT;\n" }
      try temporary.shell(script)
      try #require(try store.rows(Quakes.untrue) == [], "round \(round)")
      let record: Record = ["id": "mine", "depth": .integer(Int64(round)), "@region": "r0"]
      try store.take(pipeline, [record])
      try #require(try store.rows(Quakes.untrue) == [], "round \(round)")
    }
    #expect(try Replay(store).problems() == [])
  }

  @Test func `An owner is written once for a child, and only where its count or sums may change`() throws {
    try temporary.shell(
      """
      DELETE FROM Quake; DELETE FROM Region; INSERT INTO Region(bolide_id, code) VALUES (1, 'r'), (2, 's');
      INSERT INTO Quake(id, region_id, magnitude, depth) VALUES ('a', 1, 1.5, 3), ('b', 2, 2.5, 4), ('c', NULL, 3.5, 5);
      CREATE TABLE written(region INTEGER);
      CREATE TRIGGER watch AFTER UPDATE ON Region BEGIN INSERT INTO written VALUES (NEW.bolide_id); END;
      """)
    let statements: [(sql: String, regions: [Int64])] = [
      ("UPDATE Quake SET place = 'x', seen = 1, magnitude = magnitude, region_id = region_id", []),
      ("UPDATE Quake SET magnitude = 9, depth = 9, cost = 9, place = 'y' WHERE id = 'a'", [1]),
      ("UPDATE Quake SET depth = 8", [1, 2]),
      ("UPDATE Quake SET magnitude = NULL, region_id = 2 WHERE id = 'a'", [1, 2]),
      ("UPDATE Quake SET region_id = NULL WHERE id = 'b'", [2]),
      ("INSERT INTO Quake(id, magnitude) VALUES ('d', 1)", []),
      ("DELETE FROM Quake WHERE id = 'c'", []),
      ("DELETE FROM Quake WHERE id = 'a'", [2]),
    ]
    for (sql, regions) in statements {
      try temporary.shell("DELETE FROM written; \(sql)")
      #expect(
        try store.rows("SELECT region FROM written ORDER BY 1") == regions.map { [.integer($0)] }, "\(sql)")
      #expect(try store.rows(Quakes.untrue) == [], "\(sql)")
    }
  }

  @Test func `Every program's edit is history: kind, object and the values before it`() throws {
    try temporary.shell(
      """
      UPDATE Quake SET depth = 99, kind = NULL WHERE id = 'q1';
      UPDATE Quake SET depth = depth WHERE id = 'q2';
      INSERT INTO Region(code) VALUES ('new');
      DELETE FROM Quake WHERE id = 'q3';
      """)
    try store.assignPending()
    let replay = try Replay(store)
    let last = try #require(replay.transactions.last)
    #expect(last.author == nil && last.run == nil && last.changeCount == 5)
    let changes = replay.changes.filter { $0.transaction == last.number }
    let lines = changes.map { change in
      let previous = change.previous.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
      return "\(change.kind) \(change.entity) \(change.key.map { "\($0.value)" }) \(previous)"
    }
    #expect(
      lines == [
        #"update Quake ["text(\"q1\")"] depth=integer(1) kind=text("quake")"#,
        #"update Region ["text(\"r1\")"] depths=integer(70)"#,
        #"insert Region ["text(\"new\")"] "#,
        #"delete Quake ["text(\"q3\")"] id=text("q3") magnitude=real(0.3) depth=integer(3) "#
          + #"cost=integer(300) kind=text("quake") region=integer(1)"#,
        #"update Region ["text(\"r0\")"] quakeCount=integer(7) magnitudes=real(6.3) depths=integer(63) "#
          + "costs=integer(6300)",
      ])
    #expect(changes.map(\.isDerived) == [false, true, false, false, true])
  }

  @Test func `The identity of an object never changes`() throws {
    let refusal = try temporary.refusal("UPDATE Quake SET bolide_id = bolide_id + 1000")
    #expect(
      refusal == "Runtime error near line 1: bolide_id is the identity of an object and never changes (19)\n")
    #expect(try temporary.refusal("UPDATE Quake SET bolide_id = bolide_id") == nil)
    #expect(try SQLiteEngine.hasPendingChanges(of: store) == false)
  }

  @Test func `Deleting an owner follows the rule of the relationship`() throws {
    for (rule, left) in [(Relationship.DeleteRule.nullify, 20), (.cascade, 13), (.deny, 20)] {
      let temporary = try TemporaryStore()
      let pipeline = Quakes.pipeline(rule: rule)
      let store = try temporary.open(pipeline)
      try store.take(
        pipeline, (0..<20).map { ["id": .text("q\($0)"), "@region": .text("r\($0 % 3)")] as Record })
      let refusal = try temporary.refusal("PRAGMA foreign_keys = ON; DELETE FROM Region WHERE code = 'r0'")
      #expect(
        refusal == (rule == .deny ? "Runtime error near line 1: FOREIGN KEY constraint failed (19)\n" : nil))
      #expect(try store.integer("SELECT count(*) FROM Quake") == Int64(left))
      #expect(try store.rows(Quakes.untrue) == [])
      try store.assignPending()
      #expect(try Replay(store).problems() == [])
    }
  }

  @Test func `A file with odd names can be written by anyone`() throws {
    let child = #"it's "x"; --"#
    var owner = Entity(
      name: "größe", key: ["select"],
      attributes: [Attribute(name: "select", type: .string, isRequired: true)],
      relationships: [Relationship(name: "all \" of", kind: .toMany, destination: child, inverse: "from")])
    // h, l, s0: names that SQL written by a program might use itself.
    for name in ["h", "l", "s0", "count(*)"] {
      let sum = Derivation.sum(relationship: "all \" of", attribute: "impact-e")
      owner.attributes.append(Attribute(name: name, type: .double, derivation: sum))
    }
    let pipeline = Pipeline(
      name: "odd", entity: child,
      model: Model(entities: [
        Entity(
          name: child, key: ["t.x"],
          attributes: [
            Attribute(name: "t.x", type: .string, isRequired: true),
            Attribute(name: "impact-e", type: .double),
          ],
          relationships: [
            Relationship(name: "from", kind: .toOne, destination: "größe", inverse: "all \" of")
          ]),
        owner,
      ]), fields: [Field("t.x"), Field("impact-e")],
      links: [Link("from", ownerKey: [Link.KeyPart("select", "\"t.x\"")])])
    let temporary = try TemporaryStore()
    let store = try temporary.open(pipeline)
    try store.take(pipeline, [["t.x": "a", "impact-e": 1.5, "@from": "x"]], [["t.x": "a", "impact-e": 2.5]])
    try temporary.shell(
      #"INSERT INTO "it's ""x""; --"("t.x", "impact-e", from_id) VALUES ('b', 0.25, 1)"#)
    #expect(try store.rows("SELECT * FROM größe").first?.filter { $0 == 2.75 }.count == 4)
  }

  @Test(arguments: ["x", "X", "t", "s0", "chunk", "record", "temp", "main"])
  func `An entity may have a name that SQL of the store's own might use`(name: String) throws {
    let pipeline = Quakes.pipeline {
      $0.entity = name
      $0.model.entities[0].name = name
      $0.model.entities[1].relationships[0].destination = name
    }
    let temporary = try TemporaryStore()
    let store = try temporary.open(pipeline)
    try store.take(pipeline, [["id": "a", "depth": 1, "@region": "r"], ["id": "b", "depth": 5]])
    #expect(try store.take(pipeline, [["id": "a", "depth": 2]]).counts.line == "1 = 1 updated")
    try temporary.shell("UPDATE \"\(name)\" SET depth = depth + 40 WHERE id = 'a'")
    #expect(try store.rows("SELECT id, depth FROM \"\(name)\" ORDER BY id") == [["a", 42], ["b", 5]])
    #expect(try store.integer("SELECT depths FROM Region") == 42)
  }

  @Test(arguments: ["ON", "OFF"])
  func `What OR REPLACE takes away is history, also where its deletion unlinks others of its entity`(
    keys: String
  ) throws {
    let pipeline = try Pipeline(
      yaml: """
        bolide: 1
        name: nests
        store: nests.sqlite
        entity: Nest
        key: k
        attributes: { k: string }
        relationships:
          bee:  { to-one: Bee, inverse: nest }
          bees: { to-many: Bee, inverse: home, on-delete: cascade }
        entities:
          Bee:
            key: k
            attributes: { k: string }
            relationships:
              nest: { has-one: Nest, inverse: bee }
              home: { to-one: Nest, inverse: bees }
        """, file: "nests.yaml", directory: ".")
    let temporary = try TemporaryStore()
    let store = try temporary.open(pipeline)
    try temporary.shell(
      """
      INSERT INTO Nest(k) VALUES ('a'), ('b'), ('c'), ('d');
      INSERT INTO Bee(k, home_id) VALUES ('x', 2), ('y', 3), ('z', NULL);
      UPDATE Nest SET bee_id = 1 WHERE k = 'a';
      UPDATE Nest SET bee_id = 3 WHERE k = 'c';
      UPDATE Nest SET bee_id = 2 WHERE k = 'd';
      """)
    try store.assignPendingChanges()
    // 'b' goes with its key and 'c' with its bee; the bees of both go along, which unlinks 'a' and 'd'.
    try temporary.shell(
      "PRAGMA foreign_keys = \(keys); INSERT OR REPLACE INTO Nest(k, bee_id) VALUES ('b', 3)")
    try store.assignPendingChanges()
    let changes = try store.history(HistoryRequest()).last?.changes ?? []
    let deleted = changes.filter { $0.kind == .delete }.map { "\($0.entity) \($0.id)" }.sorted()
    #expect(deleted == ["Bee 1", "Bee 2", "Nest 2", "Nest 3"])
    #expect(try store.findings() == [])
  }

  @Test(arguments: ["ON", "OFF"])
  func `The deletion of a row that an upsert has changed is history once, with what it was`(
    keys: String
  ) throws {
    let pipeline = try Pipeline(
      yaml: """
        bolide: 1
        name: nodes
        store: nodes.sqlite
        entity: Node
        key: k
        attributes: { k: string, size: integer64 }
        relationships:
          next: { to-one: Node, inverse: last }
          last: { to-many: Node, inverse: next }
        """, file: "nodes.yaml", directory: ".")
    let temporary = try TemporaryStore()
    let store = try temporary.open(pipeline)
    try store.take(pipeline, [["k": "a", "size": 1], ["k": "b", "size": 2]])
    try temporary.shell(
      """
      UPDATE Node SET next_id = 1 WHERE k = 'b';
      INSERT INTO Node(k, size) VALUES ('a', 3) ON CONFLICT (k) DO UPDATE SET size = excluded.size;
      """)
    try store.assignPendingChanges()
    let token = try store.newestToken()
    // What leads to it is unlinked before its own trigger fires.
    try temporary.shell("PRAGMA foreign_keys = \(keys); DELETE FROM Node WHERE k = 'a'")
    try store.assignPendingChanges()
    #expect(try store.rows("SELECT first FROM bolide_change WHERE kind = 2") == [[1]])
    _ = try store.revert(.token(token), force: true, EditOptions())
    #expect(try store.rows("SELECT k, size, next_id FROM Node ORDER BY k") == [["a", 3, nil], ["b", 2, 1]])
  }

  @Test(
    arguments: ["ON", "OFF"],
    ["INSERT OR IGNORE INTO Node(k) VALUES ('b')", "UPDATE OR IGNORE Node SET k = 'b' WHERE k = 'other'"])
  func `A row that another statement was ignored for goes with the one above it`(
    keys: String, ignored: String
  ) throws {
    let pipeline = try Pipeline(
      yaml: """
        bolide: 1
        name: tree
        store: tree.sqlite
        entity: Node
        key: k
        attributes: { k: string }
        relationships:
          parent: { to-one: Node, inverse: below }
          below:  { to-many: Node, inverse: parent, on-delete: cascade }
        """, file: "tree.yaml", directory: ".")
    let temporary = try TemporaryStore()
    let store = try temporary.open(pipeline)
    try temporary.shell(
      "INSERT INTO Node(k, parent_id) VALUES ('a', NULL), ('b', 1), ('c', 2), ('other', NULL)")
    try store.assignPendingChanges()
    try temporary.shell("PRAGMA foreign_keys = \(keys); \(ignored); DELETE FROM Node WHERE k = 'a'")
    try store.assignPendingChanges()
    let changes = try store.history(HistoryRequest()).last?.changes ?? []
    #expect(changes.map { "\($0.kind) \($0.id)" }.sorted() == ["delete 1", "delete 2", "delete 3"])
    #expect(try store.findings() == [])
  }
}
