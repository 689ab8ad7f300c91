import StoreInterface
import Testing

/// What other programs write with plain SQL is in history, and derived attributes are true at once.
struct ForeignWriteTests {
  @Test func `rows that another program inserts, changes and deletes are in history, each once`() throws {
    let store = try ServerStore()
    try store.take([#"{"id": 1, "magnitude": 4, "place": "A"}"#])
    let token = try store.engine.newestToken()
    try store.psql(
      """
      BEGIN;
      INSERT INTO "Quake"(id, magnitude, in_id) SELECT n, n, 1 FROM generate_series(2, 4) AS n;
      UPDATE "Quake" SET magnitude = magnitude + 1, code = 'x' WHERE id IN (1, 3);
      UPDATE "Quake" SET magnitude = 9 WHERE id = 1;
      DELETE FROM "Quake" WHERE id = 4;
      COMMIT;
      """)
    let changes = try store.changes(after: token)
    #expect(
      changes == [
        "insert Quake 2", "insert Quake 3", "update Region A count 1 total 4.0 mean 4.0 largest 4.0 strong 0",
        "update Quake 1 code null magnitude 4.0",
      ])
    #expect(try store.psql(#"SELECT "count", total, largest, strong FROM "Region""#) == "3|15|9|1")
  }

  @Test func `a thousand commits are told one by one, each with the key that its row had then`() throws {
    let store = try ServerStore()
    try store.take([#"{"id": 1, "magnitude": 0, "place": "A"}"#])
    let token = try store.engine.newestToken()
    func updates(_ numbers: ClosedRange<Int>) -> String {
      numbers.map { "UPDATE \"Quake\" SET magnitude = \($0);" }.joined(separator: "\n")
    }
    try store.psql("\(updates(1...600)) UPDATE \"Quake\" SET id = 2; \(updates(601...1200))")
    try store.engine.assignPendingChanges()
    let transactions = try store.engine.history(HistoryRequest(after: token))
    let first = token.number + 1
    #expect(transactions.map(\.number) == Array(first..<first + 1201))
    #expect(transactions.map(\.changeCount) == transactions.map(\.changes.count))
    let told = transactions.map { transaction in
      transaction.changes.map { change in
        let before = change.previous.first { ["magnitude", "id", "total"].contains($0.name) }?.value
        return "\(change.entity) \(change.key.map { "\($0.value)" }) \(before.map { "\($0)" } ?? "")"
      }
    }
    let expected = (0..<1200).map { number in
      [
        #"Quake ["integer(\#(number < 600 ? 1 : 2))"] real(\#(number).0)"#,
        #"Region ["text(\"A\")"] real(\#(number).0)"#,
      ]
    }
    let renamed = [[#"Quake ["integer(2)"] integer(1)"#]]
    #expect(told == expected[..<600] + renamed + expected[600...])
  }

  @Test func `an upsert's new rows are new, though what it updates changes them at once`() throws {
    let store = try ServerStore(
      """
      bolide: 1
      name: nodes
      entity: Node
      key: name
      attributes:
        name:  string
        code:  string
        above: { derived: parent.code }
        under: { derived: children.@count }
      relationships:
        parent:   { to-one: Node, inverse: children }
        children: { to-many: Node, inverse: parent }

      """)
    try store.take([#"{"name": "a", "code": "1"}"#])
    let token = try store.engine.newestToken()
    try store.psql(
      """
      INSERT INTO "Node"(name, code, parent_id) SELECT n, '2', bolide_id FROM unnest(ARRAY['b', 'a']) AS n, "Node"
        ON CONFLICT (name) DO UPDATE SET code = excluded.code;
      """)
    let changes = try store.changes(after: token)
    #expect(changes == ["update Node a code 1 under 0", "insert Node b"])
    #expect(try store.psql(#"SELECT above FROM "Node" WHERE name = 'b'"#) == "2")
    #expect(try store.engine.verified() == [])
  }

  @Test func `rows that another program's trigger makes of an import's rows are in history`() throws {
    let store = try ServerStore()
    try store.take([#"{"id": 1, "magnitude": 2, "place": "A"}"#])
    try store.psql(
      """
      CREATE FUNCTION repeated() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          INSERT INTO "Quake"(id, magnitude, in_id) VALUES (NEW.id + 100, 1, NEW.in_id);
          INSERT INTO "Region"(name) VALUES ('near ' || NEW.id);
          RETURN NULL;
        END $$;
      CREATE TRIGGER repeated AFTER INSERT ON "Quake" FOR EACH ROW WHEN (NEW.id < 100) EXECUTE FUNCTION repeated();
      """)
    let token = try store.engine.newestToken()
    try store.take([#"{"id": 2, "magnitude": 3, "place": "A"}"#, #"{"id": 3, "magnitude": 4, "place": "B"}"#])
    let changes = try store.changes(after: token)
    #expect(
      changes.filter { $0.hasPrefix("insert") }.sorted() == [
        "insert Quake 102", "insert Quake 103", "insert Quake 2", "insert Quake 3", "insert Region B",
        "insert Region near 2", "insert Region near 3",
      ])
    #expect(try store.engine.verified() == [])
  }

  @Test func `what another program's trigger changes in new rows is derived from once`() throws {
    let store = try ServerStore()
    try store.take([#"{"id": 1, "magnitude": 2, "place": "A"}"#])
    let regions = #"SELECT "count", total, mean, largest, strong FROM "Region";"#
    // The session has the plans of its first statement when the trigger comes.
    let states = try store.psql(
      """
      UPDATE "Quake" SET magnitude = 3; \(regions)
      CREATE FUNCTION lowered() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN UPDATE "Quake" SET magnitude = 1 WHERE bolide_id = NEW.bolide_id AND magnitude > 5; RETURN NULL; END $$;
      CREATE TRIGGER lowered AFTER INSERT OR UPDATE ON "Quake" FOR EACH ROW EXECUTE FUNCTION lowered();
      INSERT INTO "Quake"(id, magnitude, in_id) VALUES (2, 9, 1); \(regions)
      UPDATE "Quake" SET magnitude = 8 WHERE id = 1; \(regions)
      INSERT INTO "Quake"(id, magnitude, in_id) VALUES (3, 9, 1), (4, 5, 1); \(regions)
      UPDATE "Quake" SET magnitude = 7; \(regions)
      """)
    #expect(
      states.split(separator: "\n") == [
        "1|3|3|3|0", "2|4|2|3|0", "2|2|1|1|0", "4|8|2|5|0", "4|4|1|1|0",
      ])
    #expect(try store.engine.verified() == [])
  }

  /// Also where they run inside Bolide's own, which change the same rows.
  @Test func `what another program's trigger writes into derived attributes does not stay`() throws {
    let store = try ServerStore()
    try store.take(
      ["A", "A", "B"].enumerated().map { #"{"id": \#($0), "magnitude": 6, "place": "\#($1)"}"# })
    try store.psql(
      """
      CREATE FUNCTION others() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        UPDATE "Region" SET "count" = 99, total = 99, mean = 99, largest = 99, plain = 'z';
        UPDATE "Region" SET bolide_sum_total = 99, bolide_n_mean = 99;
        UPDATE "Quake" SET region = 'Z', touched = '2000-01-01Z';
        RETURN NULL;
      END $$;
      CREATE TRIGGER others AFTER INSERT OR UPDATE OR DELETE ON "Quake" FOR EACH ROW WHEN (pg_trigger_depth() = 0)
        EXECUTE FUNCTION others();
      CREATE TRIGGER others AFTER UPDATE ON "Region" FOR EACH STATEMENT WHEN (pg_trigger_depth() < 2)
        EXECUTE FUNCTION others();
      """)
    func verify(_ what: String) throws {
      #expect(try store.engine.verified() == [], "\(what)")
      let isOld = #"SELECT count(*) FROM "Quake" WHERE touched < '2001-01-01Z'"#
      #expect(try store.psql(isOld) == "0", "\(what)")
    }
    for statement in [
      #"UPDATE "Quake" SET magnitude = 7 WHERE id = 0"#, #"UPDATE "Quake" SET magnitude = 4"#,
      #"INSERT INTO "Quake"(id, magnitude, in_id) VALUES (4, 9, 1)"#, #"DELETE FROM "Quake" WHERE id = 1"#,
      #"UPDATE "Quake" SET in_id = 2"#, #"UPDATE "Region" SET name = 'C' WHERE bolide_id = 2"#,
      #"INSERT INTO "Quake"(id, in_id) VALUES (5, 1), (6, 2); UPDATE "Quake" SET magnitude = 1 WHERE id = 5"#,
    ] {
      try store.psql("BEGIN; \(statement); COMMIT")
      try verify(statement)
    }
    try store.take([#"{"id": 0, "magnitude": 8, "place": "A"}"#, #"{"id": 9, "magnitude": 8, "place": "B"}"#])
    try verify("an import")
    _ = try store.engine.updateObjects(
      ObjectQuery("Quake", where: "id = 9"), ObjectValues(["magnitude": 2.0]), EditOptions())
    try verify("an edit")
  }

  @Test func `copies follow the links that another program's trigger sets before a row is written`() throws {
    let store = try ServerStore()
    try store.take([#"{"id": 1, "place": "A"}"#, #"{"id": 2, "place": "B"}"#])
    try store.psql(
      """
      CREATE FUNCTION placed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.in_id := 2; RETURN NEW; END $$;
      CREATE TRIGGER placed BEFORE INSERT OR UPDATE ON "Quake" FOR EACH ROW EXECUTE FUNCTION placed();
      INSERT INTO "Quake"(id, in_id) VALUES (3, 1), (4, NULL);
      UPDATE "Quake" SET magnitude = 3 WHERE id = 1;
      """)
    let copies = #"SELECT string_agg(region, ' ' ORDER BY id) FROM "Quake""#
    #expect(try store.psql(copies) == "B B B B")
    // What Bolide writes itself, and its new rows as runs.
    try store.psql("DELETE FROM \"Quake\"")
    try store.take((1...3).map { "{\"id\": \($0), \"place\": \"A\"}" })
    #expect(try store.psql(copies) == "B B B")
    try store.psql(
      """
      CREATE OR REPLACE FUNCTION placed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.in_id := 1; RETURN NEW; END $$;
      """)
    try store.take([#"{"id": 1, "magnitude": 7}"#])
    _ = try store.engine.updateObjects(
      ObjectQuery("Quake", where: "id = 2"), ObjectValues(["magnitude": 8.0]), EditOptions())
    #expect(try store.psql(copies) == "A A B")
    #expect(try store.engine.verified() == [])
  }

  @Test func `a transaction that is rolled back leaves nothing, and one transaction is one`() throws {
    let store = try ServerStore()
    let token = try store.engine.newestToken()
    try store.psql(#"BEGIN; INSERT INTO "Region"(name) VALUES ('A'); ROLLBACK;"#)
    try store.psql(#"INSERT INTO "Region"(name) VALUES ('B'); INSERT INTO "Region"(name) VALUES ('C');"#)
    let changes = try store.changes(after: token)
    // The other spelling is the next command's, in a transaction of its own behind them.
    #expect(
      changes == [
        "insert Region B", "insert Region C", "update Region B plain null", "update Region C plain null",
      ])
    #expect(try store.engine.newestToken().number == 3)
  }

  @Test func `derived attributes are Bolide's: what another program writes into them does not stay`() throws {
    let store = try ServerStore()
    try store.take([#"{"id": 1, "magnitude": 4, "place": "Ä"}"#])
    try store.psql(
      #"UPDATE "Region" SET "count" = 7, total = 3, plain = 'q'; UPDATE "Quake" SET region = 'z'"#)
    #expect(try store.psql(#"SELECT "count", total, plain FROM "Region""#) == "1|4|a")
    #expect(try store.psql(#"SELECT region FROM "Quake""#) == "Ä")
    try store.psql(#"INSERT INTO "Region"(name, "count", largest) VALUES ('B', 5, 5)"#)
    #expect(try store.psql(#"SELECT "count", largest IS NULL FROM "Region" WHERE name = 'B'"#) == "0|t")
  }

  @Test func `a renamed owner's copies follow, and its other spelling with the next command`() throws {
    let store = try ServerStore()
    try store.take((1...3).map { "{\"id\": \($0), \"place\": \"Ärger\"}" })
    try store.psql(#"UPDATE "Region" SET name = 'Öl'"#)
    #expect(try store.psql(#"SELECT DISTINCT region FROM "Quake""#) == "Öl")
    try store.engine.assignPendingChanges()
    #expect(try store.psql(#"SELECT plain FROM "Region""#) == "ol")
  }

  /// A trigger that gives each row that is updated another name, up to a length.
  private func rename(_ store: ServerStore, upTo length: Int) throws {
    try store.psql(
      """
      CREATE FUNCTION rename() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN IF length(NEW.name) < \(length) THEN NEW.name := NEW.name || 'Ö'; END IF; RETURN NEW; END $$;
      CREATE TRIGGER a_rename BEFORE UPDATE ON "Region" FOR EACH ROW EXECUTE FUNCTION rename();
      INSERT INTO "Region"(name) VALUES ('Ä');
      """)
  }

  @Test func `what another program's trigger changes with each update is computed until it stays`() throws {
    let store = try ServerStore()
    try rename(store, upTo: 20)
    try store.engine.assignPendingChanges()
    #expect(
      try store.psql(#"SELECT length(name), plain FROM "Region""#)
        == "20|a" + String(repeating: "o", count: 19))
  }

  @Test func `what another program's trigger changes with each update for ever is refused`() throws {
    let store = try ServerStore()
    try rename(store, upTo: 1_000_000)
    let before = try store.psql(#"SELECT name, plain FROM "Region""#)
    let error = try #require(throws: StoreError.self) { try store.engine.assignPendingChanges() }
    #expect(
      error.reason
        == "the derived attributes of Region come to no end: what they follow changes whenever they are computed"
    )
    let hint = "Look for another program's trigger on the table that changes its rows with each update."
    #expect(error.hint == hint)
    #expect(error.code == .foreignSchema)
    #expect(try store.psql(#"SELECT name, plain FROM "Region""#) == before)
    try store.psql(#"DROP TRIGGER a_rename ON "Region""#)
    try store.engine.assignPendingChanges()
    #expect(try store.psql(#"SELECT name, plain FROM "Region""#) == "Ä|a")
  }

  @Test func `deleting an owner takes the links away, and the history of both is there`() throws {
    let store = try ServerStore()
    try store.take([#"{"id": 1, "place": "A"}"#, #"{"id": 2, "place": "B"}"#])
    let token = try store.engine.newestToken()
    try store.psql(#"DELETE FROM "Region" WHERE name = 'A'"#)
    #expect(try store.psql(#"SELECT in_id IS NULL, region IS NULL FROM "Quake" WHERE id = 1"#) == "t|t")
    let changes = try store.changes(after: token)
    #expect(changes.contains("delete Region A") && changes.contains { $0.hasPrefix("update Quake 1") })
  }

  @Test func `a table cannot be emptied without history, and an object keeps its id`() throws {
    let store = try ServerStore()
    try store.take([#"{"id": 1, "place": "A"}"#])
    #expect(throws: (any Error).self) { try store.psql(#"TRUNCATE "Quake""#) }
    #expect(throws: (any Error).self) { try store.psql(#"UPDATE "Quake" SET bolide_id = 77"#) }
    #expect(try store.psql(#"SELECT count(*), max(bolide_id) FROM "Quake""#) == "1|1")
  }

  @Test func `a mark is set for what a full feed has no more, and taken away from what it has again`() throws
  {
    let model = ServerStore.quakes.replacing(
      "  code:      string\n", with: "  code:      string\n  gone:      boolean\n")
    let store = try ServerStore(model)
    try store.psql(#"INSERT INTO "Quake"(id, gone) VALUES (9, true)"#)
    let full = "feed: full\ngone: { mark: gone }\nmax-missing: 100%\n"
    for ids in [[1, 2], [1], [1, 2]] {
      try store.take(ids.map { "{\"id\": \($0)}" }, settings: full, model: model)
      let marked = try store.psql(#"SELECT string_agg(id::text, ' ' ORDER BY id) FROM "Quake" WHERE gone"#)
      // What the feed never had keeps the mark that somebody else has given it.
      #expect(marked == (ids == [1] ? "2 9" : "9"))
    }
  }

  @Test func `sums are exact, whatever comes and goes`() throws {
    let store = try ServerStore()
    try store.take([
      #"{"id": 1, "magnitude": 1e300, "place": "A"}"#, #"{"id": 2, "magnitude": 0.1, "place": "A"}"#,
    ])
    try store.psql(
      #"INSERT INTO "Quake"(id, magnitude, in_id) VALUES (3, -1e300, 1), (4, 0.2, 1), (5, 5e-324, 1)"#)
    try store.psql(#"DELETE FROM "Quake" WHERE id = 1; UPDATE "Quake" SET magnitude = 0.7 WHERE id = 3"#)
    // 0.1 + 0.2 + 0.7 of doubles, rounded once.
    #expect(try store.psql(#"SELECT total = 1.0, mean = 0.25, "count" FROM "Region""#) == "t|t|4")
  }
}
