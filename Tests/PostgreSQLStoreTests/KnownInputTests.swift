import Bolide
import Foundation
import RandomHistories
import StoreInterface
import TestServer
import Testing

/// Of several inputs a store on a server skips those that a file skips, and what it skips would have changed nothing.
struct KnownInputTests {
  private static let kinds: [(keys: String, commit: CommitPolicy, chunkRows: Int?, isAtomic: Bool)] = [
    ("", .input, nil, false), ("", .input, 3, false), ("", .chunk, nil, false), ("", .chunk, 7, false),
    ("", .input, nil, true), ("", .chunk, nil, true), ("feed: full", .input, nil, false),
    ("feed: full\ngone: delete\nmax-missing: 100%", .chunk, nil, false),
    ("feed: full\ngone: delete\nmax-missing: 100%", .input, nil, true),
    ("feed: full\ngone: { mark: isGone }\nmax-missing: 100%", .input, 3, false),
    ("feed: full\ngone: { mark: isGone }\nmax-missing: 100%", .input, nil, true),
    ("merge: ignore", .input, nil, false), ("merge: { update-if-newer: version }", .chunk, 7, false),
    ("merge: { update-if-newer: version }", .input, nil, true),
  ]

  /// Lines of a file: most keys are its own, some are everybody's.
  private func lines(_ file: Int, version: Int, rejects: Bool, _ dice: inout Dice) -> String {
    var lines = (0..<dice.int(0...6)).map { number in
      let isShared = dice.isOne(of: 6)
      // Whether a record is rejected may depend on others of its key in its transaction.
      let isGood = isShared && !rejects
      let id = isShared ? "x\(dice.int(0...3))" : "f\(file)-\(number)"
      let version = dice.isOne(of: 30) && !isGood ? 91 : dice.int(1...8)
      let code = dice.isOne(of: 40) && !isGood ? "taken" : id
      let size = dice.isOne(of: 30) && !isGood ? "" : #", "size": \#(dice.int(0...1))"#
      let shop = dice.isOne(of: 2) ? #", "shop": "s\#(dice.int(0...2))""# : ""
      let items = (0..<dice.int(0...2)).map { #"{"sku": "\#($0)", "amount": \#(dice.int(0...90))}"# }
      return #"{"id": "\#(id)", "version": \#(version), "code": "\#(code)"\#(size)\#(shop), "#
        + #""items": [\#(items.joined(separator: ", "))]}"#
    }
    lines.append(#"{"id": "own\#(file)", "version": \#(version), "code": "own\#(file)", "size": 1}"#)
    return lines.joined(separator: "\n") + "\n"
  }

  @Test(arguments: 0..<kinds.count, 1...LongRun.seeds)
  func `a server skips what a file skips, and both leave what a store has that reads each input`(
    kind: Int, seed: Int
  ) throws {
    let (keys, commit, chunkRows, isAtomic) = Self.kinds[kind]
    let known = try OrderStores(keys)
    var dice = Dice(seed * 100 + kind, 0)
    var versions = Array(repeating: 0, count: 9)
    func write(_ file: Int) throws {
      versions[file] += 1
      try known.write(
        lines(file, version: versions[file], rejects: commit == .input, &dice), to: "\(file).json")
    }
    for file in versions.indices { try write(file) }
    var options = ImportOptions()
    (options.commitPolicy, options.chunkRows, options.isAtomic) = (commit, chunkRows, isAtomic)
    var skipped = 0
    for step in 0..<(LongRun.seeds > 1 ? 8 : 5) {
      let files = versions.indices.shuffled(using: &dice).prefix(dice.int(2...9))
      let order = dice.isOne(of: 2) ? files.sorted() : Array(files)
      // Never the same as a run before: these are known as a whole.
      try write(order[dice.int(0...order.count - 1)])
      let foreign = [
        #"UPDATE "Order" SET version = 50 WHERE id LIKE 'f\#(step)-%'"#,
        #"DELETE FROM "Order" WHERE id LIKE 'f\#(step)-1'"#,
        #"UPDATE "Shop" SET name = 's1x' WHERE name = 's1' AND NOT EXISTS (SELECT 1 FROM "Shop" WHERE name = 's1x')"#,
        #"DELETE FROM "Line" WHERE sku = '1' AND order_id IN (SELECT bolide_id FROM "Order" WHERE id LIKE '%2')"#,
        #"INSERT INTO "Order"(id, size, code) SELECT 'f\#(step)-9', 1, 'f\#(step)-9' WHERE NOT EXISTS (SELECT 1 FROM "Order" WHERE id = 'f\#(step)-9')"#,
        #"UPDATE "Order" SET shop_id = NULL WHERE id LIKE 'x%'"#, "", "", "", "",
      ][dice.int(0...9)]
      var told: [RunProgress] = []
      for store in 0..<3 {
        if step > 0, !foreign.isEmpty { try known.write(sql: foreign, into: store) }
        var progress = try known.take(order.map { "\($0).json" }, into: store, options).progress
        // Chunks are counted as transactions, and tokens are of one store.
        (progress.token, progress.chunks) = (nil, 0)
        told.append(progress)
      }
      #expect(told[0] == told[1], "step \(step): \(Set(told[0].parts).symmetricDifference(told[1].parts))")
      #expect(told[1].counts.read == told[2].counts.read && told[2].skipped == 0)
      #expect(told[1].counts.inserted == told[2].counts.inserted, "step \(step)")
      #expect(told[1].counts.rejected == told[2].counts.rejected, "step \(step)")
      #expect(told[1].missing == told[2].missing && told[1].gone == told[2].gone, "step \(step)")
      skipped += told[1].skipped
      let rows = try (0..<3).map(known.rows(of:))
      try #require(rows[0] == rows[1], "step \(step): \(Set(rows[0]).symmetricDifference(rows[1]))")
      try #require(rows[1] == rows[2], "step \(step): \(Set(rows[1]).symmetricDifference(rows[2]))")
    }
    for store in 0..<3 { try known.verify(store) }
    #expect(skipped > 0)
  }

  // MARK: Whatever happens at the same time

  private func record(_ id: String, _ version: Int) -> String {
    #"{"id": "\#(id)", "version": \#(version), "size": 1, "code": "\#(id)"}"# + "\n"
  }

  /// Imports files again, with one that is new: what is skipped of them, and what is updated.
  private func again(
    _ known: OrderStores, _ files: [String], into store: Int = 1, _ options: ImportOptions = ImportOptions()
  ) throws -> [Int] {
    let name = "\(UInt32.random(in: 0 ... .max)).json"
    try known.write(record(name, 1), to: name)
    let progress = try known.take(files + [name], into: store, options).progress
    return [progress.skipped, progress.counts.updated]
  }

  /// The lock by which another program shows how far it is.
  private let held =
    "EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = 1 "
    + "AND objid = hashtext(current_schema())::bigint & 4294967295"

  @Test func `what is committed only after an input was read makes it be read again`() throws {
    let known = try OrderStores()
    try known.write(record("a", 1), to: "a.json")
    try known.write(record("b", 1), to: "b.json")
    #expect(try again(known, ["a.json", "b.json"]) == [0, 0])
    let other = try known.otherProgram()
    try other.send(
      "BEGIN; UPDATE \"Order\" SET version = 7 WHERE id = 'a'; SELECT pg_advisory_lock(1, hashtext(current_schema()));"
    )
    try known.waitUntil("\(held) AND granted)")
    // The row is unchanged as far as this import can see.
    #expect(try again(known, ["a.json", "b.json"]) == [2, 0])
    #expect(try again(known, ["b.json", "a.json"]) == [2, 0])
    try other.send("COMMIT;")
    #expect(try other.end())
    #expect(try known.psql("SELECT version FROM \"Order\" WHERE id = 'a'") == "7")
    #expect(try again(known, ["a.json", "b.json"]) == [1, 1])
    #expect(try known.psql("SELECT version FROM \"Order\" WHERE id = 'a'") == "1")
    #expect(try again(known, ["a.json", "b.json"]) == [2, 0])
  }

  /// The other program's change gets a smaller number than the chunk that has not seen it: when the chunk gets its own, or before
  /// that, by another command.
  @Test(.timeLimit(.minutes(5)), arguments: [false, true], [false, true])
  func `what is committed between a row's comparison and the chunk's commit makes its input be read again`(
    isAtomic: Bool, isNumbered: Bool
  ) throws {
    let known = try OrderStores()
    var options = ImportOptions()
    options.isAtomic = isAtomic
    try known.write(record("a", 1) + record("n", 1), to: "a.json")
    try known.write(record("b", 1), to: "b.json")
    #expect(try again(known, ["a.json", "b.json"], options) == [0, 0])
    // The chunk compares both rows, and then waits for the other one's lock, or for that of the numbers.
    try known.write(record("a", 1) + record("n", 2), to: "a.json")
    let holder = try known.otherProgram()
    let lock =
      isNumbered
      ? "PERFORM FROM \"Order\" WHERE id = 'n' FOR UPDATE"
      : "PERFORM pg_advisory_xact_lock(1651469417, hashtext(current_schema()))"
    try holder.send(
      "BEGIN; DO $$ BEGIN \(lock); PERFORM pg_advisory_xact_lock(1, hashtext(current_schema())); END $$;")
    try known.waitUntil("\(held) AND granted)")
    let outcome = ImportOutcome()
    let thread = Thread { [options] in
      outcome.set(Result { try known.take(["a.json", "b.json"], into: 1, options).progress.counts.updated })
    }
    thread.start()
    try known.waitUntil(
      "EXISTS (SELECT FROM pg_stat_activity AS a WHERE application_name LIKE 'bolide%' "
        + "AND \(held) AND pid = ANY (pg_blocking_pids(a.pid))))")
    _ = try known.psql("UPDATE \"Order\" SET version = 7 WHERE id = 'a'")
    if isNumbered { try known.stores[1].assignPendingChanges() }
    try holder.send("COMMIT;")
    #expect(try holder.end())
    outcome.wait()
    #expect(try outcome.result?.get() == 1)
    #expect(try known.psql("SELECT version FROM \"Order\" WHERE id = 'a'") == "7")
    #expect(try known.psql("SELECT count(*) FROM bolide_pending") == "0")
    #expect(try again(known, ["a.json", "b.json"], options) == [1, 1])
    #expect(try known.psql("SELECT version FROM \"Order\" WHERE id = 'a'") == "1")
    #expect(try again(known, ["a.json", "b.json"], options) == [2, 0])
  }

  @Test(arguments: [0, 1], [false, true])
  func `what is changed between two chunks of an input makes it be read again`(store: Int, isImport: Bool)
    throws
  {
    // A file has one import at a time.
    if store == 0, isImport { return }
    let known = try OrderStores()
    let other = try OrderStores.pipeline(name: "others")
    try known.write(record("a1", 1) + record("a2", 1), to: "a.json")
    try known.write(record("b", 1), to: "b.json")
    try known.write(record("a1", 7), to: "other.json")
    var options = ImportOptions()
    options.chunkRows = 1
    #expect(try again(known, ["a.json", "b.json"], into: store, options) == [0, 0])
    try known.write(record("a1", 2) + record("a2", 2), to: "a.json")
    let once = Once()
    options.progress = { _ in
      guard once.isFirst else { return }
      if isImport {
        once.result = Result {
          _ = try known.stores[store].run(other, on: [known.source("other.json")], options: ImportOptions())
        }
      } else {
        once.result = Result {
          try known.write(sql: "UPDATE \"Order\" SET version = 7 WHERE id = 'a1'", into: store)
        }
      }
    }
    #expect(try again(known, ["a.json", "b.json"], into: store, options) == [1, 2])
    try once.result?.get()
    #expect(try known.rows(of: store).contains { $0.contains("a1") && $0.contains("7") })
    #expect(try again(known, ["a.json", "b.json"], into: store) == [1, 1])
    #expect(try again(known, ["a.json", "b.json"], into: store) == [2, 0])
  }

  @Test(arguments: [0, 1], [false, true])
  func `of inputs with one key none is skipped, in one transaction or in several`(store: Int, isAtomic: Bool)
    throws
  {
    let known = try OrderStores()
    try known.write(record("x", 1), to: "a.json")
    try known.write(record("x", 2), to: "b.json")
    try known.write(record("y", 1), to: "c.json")
    var options = ImportOptions()
    options.isAtomic = isAtomic
    let files = ["a.json", "b.json", "c.json"]
    #expect(try again(known, files, into: store, options) == [0, 1])
    for _ in 1...3 { #expect(try again(known, files, into: store, options) == [1, 2]) }
    // Alone, each leaves what it wants.
    #expect(try again(known, ["b.json", "c.json"], into: store, options) == [2, 0])
    #expect(try again(known, ["a.json", "c.json"], into: store, options) == [1, 1])
    #expect(try again(known, ["a.json", "c.json"], into: store, options) == [2, 0])
  }

  @Test(arguments: [false, true])
  func `what another program's trigger changes makes its input be read again`(isAtomic: Bool) throws {
    let known = try OrderStores()
    _ = try known.psql(
      """
      CREATE FUNCTION raise() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        UPDATE "Order" SET version = version + 1 WHERE id = 'a' AND NEW.id = 'b'; RETURN NULL; END $$;
      CREATE TRIGGER raise AFTER INSERT OR UPDATE ON "Order" FOR EACH ROW EXECUTE FUNCTION raise();
      """)
    try known.write(record("a", 1), to: "a.json")
    try known.write(record("b", 1), to: "b.json")
    var options = ImportOptions()
    options.isAtomic = isAtomic
    #expect(try again(known, ["a.json", "b.json"], options) == [0, 0])
    #expect(try known.psql("SELECT version FROM \"Order\" WHERE id = 'a'") == "2")
    #expect(try again(known, ["a.json", "b.json"], options) == [isAtomic ? 0 : 1, 1])
    #expect(try known.psql("SELECT version FROM \"Order\" WHERE id = 'a'") == "1")
  }

  @Test func `without the history since then an input is read, and without older history it is not`() throws {
    let known = try OrderStores()
    for file in 1...4 { try known.write(record("\(file)", 1), to: "\(file).json") }
    let files = (1...4).map { "\($0).json" }
    func prune() throws {
      try known.stores[1].assignPendingChanges()
      _ = try known.stores[1].prune(.before(.token(known.stores[1].newestToken())))
    }
    #expect(try again(known, files) == [0, 0])
    try prune()
    #expect(try again(known, files) == [4, 0])
    try known.write(sql: #"UPDATE "Order" SET version = 7 WHERE id = '2'"#, into: 1)
    try prune()
    #expect(try again(known, files) == [0, 1])
    #expect(try again(known, files) == [4, 0])
  }

  @Test func `rows whose ids another program has chosen are known, too`() throws {
    let known = try OrderStores()
    let ids: [Int64] = [.min, -5_000_000_000, -5, 5_000_000_000, .max]
    for (place, id) in ids.enumerated() {
      try known.write(
        sql:
          "INSERT INTO \"Order\"(bolide_id, id, version, size, code) VALUES (\(id), 'r\(place)', 1, 1, 'r\(place)')",
        into: 1)
    }
    try known.write(ids.indices.map { record("r\($0)", 1) }.joined(), to: "a.json")
    #expect(try again(known, ["a.json"]) == [0, 0])
    #expect(try again(known, ["a.json"]) == [1, 0])
    for place in ids.indices {
      try known.write(sql: "UPDATE \"Order\" SET version = 7 WHERE id = 'r\(place)'", into: 1)
      #expect(try again(known, ["a.json"]) == [0, 1])
      #expect(try again(known, ["a.json"]) == [1, 0])
    }
  }

  @Test func `a dry run skips what an import would skip, and leaves nothing`() throws {
    let known = try OrderStores()
    for file in 1...4 { try known.write(record("\(file)", 1), to: "\(file).json") }
    #expect(try again(known, (1...4).map { "\($0).json" }) == [0, 0])
    try known.write(sql: #"UPDATE "Order" SET version = 7 WHERE id = '2'"#, into: 1)
    let before = try known.psql("SELECT input, run, number, own_number FROM bolide_input ORDER BY input")
    let progress = try known.addresses[1].trying(creation: .ifNew) { address in
      try address.open(for: known.pipeline, lockWait: 10).run(
        known.pipeline, on: (1...4).map { known.source("\($0).json") }, options: ImportOptions())
    }.progress
    #expect(progress.skipped == 3 && progress.counts.updated == 1 && progress.counts.unchanged == 3)
    #expect(
      try known.psql("SELECT input, run, number, own_number FROM bolide_input ORDER BY input") == before)
  }
}

/// What a callback does once, and what came of it.
private final class Once: @unchecked Sendable {
  private let lock = NSLock()
  private var isDone = false
  var result: Result<Void, any Error>?

  var isFirst: Bool {
    lock.withLock {
      defer { isDone = true }
      return !isDone
    }
  }
}

extension Dice {
  /// True once in so many throws.
  fileprivate mutating func isOne(of count: Int) -> Bool { int(1...count) == 1 }
}

extension RunProgress {
  /// What differs, where something does.
  fileprivate var parts: [String] {
    Mirror(reflecting: self).children.map { "\($0.label ?? ""): \($0.value)" }
  }
}
