import Foundation
import TestServer
import Testing

/// Inputs of an import of several that are not read, as they would change nothing.
@Suite struct SkippedInputTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.writeStrictOrders("repeated-key: last")
  }

  private func skipped(_ outcome: Outcome) -> Int {
    outcome.output.firstMatch(of: #/"skipped":(\d+)/#).flatMap { Int($0.1) } ?? 0
  }

  private func write(_ file: Int, version: Int) throws {
    let records = (0..<5).map {
      #"{"id": "\#(file)-\#($0)", "version": \#(version), "code": "\#(file)-\#($0)", "size": 1, "shop": "s\#($0)", "items": [{"sku": "a", "amount": \#(version)}]}"#
    }
    try folder.write("[\(records.joined(separator: ", "))]", to: "\(file).json")
  }

  @Test(arguments: ["input", "chunk"]) func `of 100 files the one that changed is read`(commit: String) throws
  {
    for file in 1...100 { try write(file, version: 1) }
    let command =
      ["import", "orders.yaml", "--json", "-v", "--commit", commit] + (1...100).map { "\($0).json" }
    let first = try folder.bolide(arguments: command)
    #expect(try Counts(first) == Counts(read: 500, inserted: 500))
    #expect(skipped(first) == 0)
    for (file, version) in [(50, 2), (1, 3), (100, 4), (50, 1)] {
      try write(file, version: version)
      let again = try folder.bolide(arguments: command)
      #expect(again.status == 0)
      #expect(try Counts(again) == Counts(read: 500, updated: 5, unchanged: 495))
      #expect(try Counts("Line", again) == Counts(read: 500, updated: 5, unchanged: 495))
      #expect(skipped(again) == 99)
      #expect(again.errors.contains("495 unchanged; 99 unchanged inputs skipped · "), "\(again.errors)")
    }
    // All of them together are one file that did not change.
    let same = try folder.bolide(arguments: command)
    #expect(same.output.contains(#""sameAs":5"#) && skipped(same) == 0)
    #expect(
      try folder.sqlite("orders.sqlite", "SELECT skipped FROM bolide_run") == [
        "0", "99", "99", "99", "99", "0",
      ])
    // In any other order, and without some.
    let others = try folder.bolide(
      arguments: Array(command.prefix(6)) + ["9.json", "new.json", "3.json", "9.json"])
    #expect(others.status == 66)
    try folder.write("[]", to: "new.json")
    let part = try folder.bolide(
      arguments: Array(command.prefix(6)) + ["9.json", "new.json", "3.json", "9.json"])
    #expect(try Counts(part) == Counts(read: 15, unchanged: 15))
    #expect(skipped(part) == 3)
    #expect(skipped(try folder.bolide(arguments: command + ["--force"])) == 0)
    #expect(try folder.bolide("verify", "orders.sqlite") == .silent)
  }

  /// Everything that an import leaves, apart from times and what tells how inputs were read.
  ///
  /// - Parameter byKey: whether ids and changes may differ: the rows of a transaction get their ids in the order of their keys,
  ///   and records of one key are one. Transactions that inputs share end before one that may be skipped.
  private func contents(_ store: String, counts: String, byKey: Bool) throws -> [String] {
    #expect(try folder.bolide("verify", store) == .silent)
    let rows =
      byKey
      ? """
      SELECT id, version, code, size, s.name, lineCount
      FROM "Order" AS o LEFT JOIN Shop AS s ON s.bolide_id = shop_id ORDER BY id;
      SELECT id, sku, amount FROM Line JOIN "Order" AS o ON o.bolide_id = order_id ORDER BY id, sku;
      SELECT name, total FROM Shop ORDER BY name;
      """
      : """
      SELECT * FROM "Order" ORDER BY 1; SELECT * FROM Shop ORDER BY 1; SELECT * FROM Line ORDER BY 1;
      SELECT change, entity, kind, first, last FROM bolide_change; SELECT * FROM bolide_previous;
      SELECT pipeline, entity, page, hex(last), hex(missing) FROM bolide_seen ORDER BY 1, 2, 3;
      """
    return try folder.sqlite(
      store,
      rows + """
        SELECT first_run, last_run, times, input, record, code, message, entity, child, key IS NULL, read_since
        FROM bolide_reject ORDER BY reject;
        SELECT run, input, outcome, bytes, missing, gone, \(counts) FROM bolide_run;
        SELECT run, entity, \(counts) FROM bolide_run_child ORDER BY run, entity;
        SELECT * FROM bolide_run_field ORDER BY run, entity, attribute;
        """)
  }

  private static let kinds: [(keys: String, commit: String, options: [String])] = [
    ("", "input", []), ("", "input", ["--chunk-rows", "3"]), ("", "chunk", []),
    ("", "chunk", ["--chunk-rows", "7"]),
    ("", "input", ["--atomic"]), ("feed: full", "input", []),
    ("feed: full\ngone: delete\nmax-missing: 100%", "chunk", []),
    ("merge: ignore", "input", []), ("merge: { update-if-newer: version }", "chunk", ["--chunk-rows", "7"]),
    ("merge: { update-if-newer: version }", "input", []),
  ]

  /// Commands with files that share keys, while other programs write, leave the same as where every file is read.
  @Test(arguments: 0..<kinds.count, 1...LongRun.seeds)
  func `what is skipped would have changed nothing`(kind: Int, seed: Int) throws {
    let (keys, commit, options) = Self.kinds[kind]
    try folder.writeStrictOrders("repeated-key: last\n\(keys)")
    var random = SeededGenerator(seed: UInt64(seed * 100 + kind))
    var versions = Array(repeating: 0, count: 9)
    func write(_ file: Int) throws {
      versions[file] += 1
      // Most keys are one file's, some are everybody's.
      let records = (0..<Int.random(in: 0...6, using: &random)).map { number in
        let isShared = Int.random(in: 0..<12, using: &random) == 0
        // Whether a record is rejected may depend on others of its key in its transaction.
        let isGood = isShared && commit == "chunk"
        let id = isShared ? "x\(Int.random(in: 0..<4, using: &random))" : "f\(file)-\(number)"
        let version =
          Int.random(in: 0..<30, using: &random) == 0 && !isGood ? 91 : Int.random(in: 1..<9, using: &random)
        let code = Int.random(in: 0..<40, using: &random) == 0 && !isGood ? "taken" : id
        let size =
          Int.random(in: 0..<30, using: &random) == 0 && !isGood
          ? "" : #", "size": \#(Int.random(in: 0..<2, using: &random))"#
        let shop =
          Bool.random(using: &random) ? #", "shop": "s\#(Int.random(in: 0..<3, using: &random))""# : ""
        let items = (0..<Int.random(in: 0..<3, using: &random)).map {
          #"{"sku": "\#($0)", "amount": \#(Int.random(in: 0..<91, using: &random))}"#
        }
        return
          #"{"id": "\#(id)", "version": \#(version), "code": "\#(code)"\#(size)\#(shop), "items": [\#(items.joined(separator: ", "))]}"#
      }
      try folder.write(
        "\n\(records.joined(separator: "\n"))\n{\"id\": \"own\(file)\", \"version\": \(versions[file]), \"code\": \"own\(file)\", \"size\": 1}\n",
        to: "\(file).json")
    }
    for file in versions.indices { try write(file) }
    let stores = ["skipping.sqlite", "reading.sqlite"]
    var all = 0
    for step in 0..<7 {
      let files = versions.indices.shuffled(using: &random).prefix(Int.random(in: 2...9, using: &random))
      let inOrder = Bool.random(using: &random) ? files.sorted() : Array(files)
      // Never the same as a run before: these are known as a whole.
      try write(inOrder[Int.random(in: 0..<inOrder.count, using: &random)])
      let foreign = [
        #"UPDATE "Order" SET version = 50 WHERE id LIKE 'f\#(step)-%'"#,
        #"DELETE FROM "Order" WHERE id LIKE 'f\#(step)-1'"#,
        "UPDATE OR IGNORE Shop SET name = name || 'x' WHERE name = 's1'",
        "DELETE FROM Line WHERE sku = '1' AND bolide_id % 5 = 0",
        #"INSERT OR IGNORE INTO "Order"(id, size) VALUES ('f\#(step)-9', 1)"#, "", "", "",
      ][Int.random(in: 0..<8, using: &random)]
      var reports: [String] = []
      for store in stores {
        if step > 0, !foreign.isEmpty { try folder.sqlite(store, foreign) }
        let outcome = try folder.bolide(
          arguments: ["import", "orders.yaml", "--store", store, "--commit", commit, "--json"]
            + ["--max-rejects", "50%"] + options + (store == stores[1] ? ["--force"] : [])
            + inOrder.map { "\($0).json" })
        all += skipped(outcome)
        reports.append(
          "\(outcome.status) \(outcome.errors.split(separator: "\n").filter { !$0.hasPrefix("orders: ") })")
      }
      #expect(
        reports[0].replacing(stores[0], with: "") == reports[1].replacing(stores[1], with: ""),
        "step \(step)"
      )
      // What is left alone is skipped as unchanged.
      let counts =
        commit == "chunk"
        ? "read, inserted, rejected"
        : keys.contains("merge")
          ? "read, inserted, updated, rejected"
          : "read, inserted, updated, repeated, unchanged, ignored, duplicates, superseded, rejected"
      let (left, right) = (
        try contents(stores[0], counts: counts, byKey: commit == "chunk"),
        try contents(stores[1], counts: counts, byKey: commit == "chunk")
      )
      try #require(left == right, "step \(step): \(Set(left).symmetricDifference(right))")
      guard step == 4 else { continue }
      let pipeline = String(decoding: try folder.bytes(of: "orders.yaml"), as: UTF8.self)
      try folder.write(pipeline.replacing("version < 90", with: "version < 99"), to: "orders.yaml")
      for store in stores { _ = try folder.bolide("import", "orders.yaml", "--store", store, "--replay") }
    }
    #expect(all > 0)
  }
}
