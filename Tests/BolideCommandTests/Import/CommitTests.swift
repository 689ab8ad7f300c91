import Foundation
import Testing

/// `commit: chunk`: many small inputs share transactions, and nothing else differs.
@Suite struct CommitTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.writeStrictOrders("repeated-key: last")
  }

  /// Random files, each of its own shape: objects, lines, rows under names, a compressed one, none at all.
  ///
  /// - Parameter hasRepeats: whether a key may come again. Then the store rejects nothing: of the records of one key in a
  ///   transaction it is asked for one only.
  /// - Returns: their names, in order.
  private func writeFiles(
    _ count: Int, _ random: inout SeededGenerator, version: Int, hasRepeats: Bool
  ) throws -> [String] {
    var packed: [String] = []
    let names = try (1...count).map { file in
      let records = (0..<Int.random(in: 0...12, using: &random)).map { number in
        let (file, number) =
          hasRepeats && Bool.random(using: &random)
          ? (Int.random(in: 1...count, using: &random), 0) : (file, number)
        return record("f\(file)-\(number)", version, isWhole: hasRepeats, &random)
      }
      let name = "\(file).json"
      let shape = Int.random(in: 0..<4, using: &random)
      switch shape {
      case 0 where !records.isEmpty:
        try folder.write(records.map(\.object).joined(separator: "\n") + "\n", to: name)
      case 1:
        let rows = records.map(\.row).joined(separator: ", ")
        try folder.write(
          #"{"fields": ["id", "version", "code", "size", "shop"], "data": [\#(rows)]}"#, to: name)
      case 2:
        let objects = records.map(\.object).joined(separator: ",\n")
        try folder.write(#"{"count": \#(records.count), "data": [\#(objects)]}"#, to: name)
      default:
        try folder.write("[\(records.map(\.object).joined(separator: ",\n"))]", to: name)
      }
      guard shape == 3 else { return name }
      packed.append(name)
      return "\(name).gz"
    }
    try #require(try folder.run("gzip", ["-f"] + packed).status == 0)
    return names
  }

  /// A record, sometimes with what the reader, the check or the store rejects.
  private func record(
    _ id: String, _ version: Int, isWhole: Bool, _ random: inout SeededGenerator
  ) -> (object: String, row: String) {
    let version =
      switch Int.random(in: 0..<20, using: &random) {
      case 0: #""?""#
      case 1: "91"
      default: "\(version + Int.random(in: 0..<3, using: &random))"
      }
    let size = isWhole || Int.random(in: 0..<20, using: &random) > 0 ? #", "size": 1"# : ""
    // An object wants the same code each time: one that is handed on lands where both records are in one transaction.
    let code = isWhole || id.utf8.reduce(0, { $0 + Int($1) }) % 19 > 0 ? id : "taken"
    let shop = Int.random(in: 0..<5, using: &random)
    let items = (0..<Int.random(in: 0..<4, using: &random)).map {
      #"{"sku": "\#($0)", "amount": \#(Int.random(in: 0..<100, using: &random))}"#
    }
    return (
      #"{"id": "\#(id)", "version": \#(version)\#(size), "code": "\#(code)", "shop": "s\#(shop)", "items": [\#(items.joined(separator: ", "))]}"#,
      #"["\#(id)", \#(version), "\#(code)", 1, "s\#(shop)"]"#
    )
  }

  /// What has to be the same however the records are committed.
  private func contents(_ store: String, counts: String = "read, rejected") throws -> [String] {
    #expect(try folder.bolide("verify", store) == .silent)
    return try folder.sqlite(
      store,
      """
      SELECT id, version, size, code, name, lineCount FROM "Order" LEFT JOIN Shop AS s ON shop_id = s.bolide_id ORDER BY id;
      SELECT name, total FROM Shop ORDER BY name;
      SELECT id, sku, amount FROM Line JOIN "Order" AS o ON o.bolide_id = order_id ORDER BY id, sku;
      SELECT last_run, times, input, record, byte, line, column, code, message, attribute, entity, child, is_cut,
      read_since, t.text, a.text FROM bolide_reject AS r LEFT JOIN bolide_reject_text AS t ON t.id = r.text
      LEFT JOIN bolide_reject_text AS a ON a.id = around ORDER BY reject;
      SELECT run, input, outcome, bytes, unkept, \(counts) FROM bolide_run;
      SELECT run, entity, \(counts) FROM bolide_run_child ORDER BY run, entity;
      SELECT * FROM bolide_run_field ORDER BY run, entity, attribute;
      """)
  }

  /// How often each object was inserted, updated and deleted.
  private func history(_ store: String) throws -> [String] {
    try folder.sqlite(
      store,
      """
      SELECT o.id, sku, kind, count(*) FROM "Order" AS o LEFT JOIN Line AS l ON order_id = o.bolide_id
      JOIN bolide_change AS c JOIN bolide_entity AS e USING (entity)
      WHERE ifnull(l.bolide_id, o.bolide_id) BETWEEN c.first AND c.last
      AND e.name = iif(l.bolide_id IS NULL, 'Order', 'Line') GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
      """)
  }

  @Test(arguments: 1...3) func `300 files leave the same in few transactions as in many`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    for version in [10, 20] {
      let names = try writeFiles(300, &random, version: version, hasRepeats: false)
      var reports: [String] = []
      for commit in ["input", "chunk"] {
        let outcome = try folder.bolide(
          arguments: ["import", "orders.yaml", "--store", "\(commit).sqlite", "--commit", commit, "-v"]
            + names)
        #expect(outcome.status == 65)
        reports.append(
          outcome.errors.replacing(#/· [^·]* s\b.*/#, with: "").replacing("\(commit).sqlite", with: ""))
      }
      #expect(reports[0] == reports[1])
    }
    let counts =
      "read, inserted, updated, repeated, unchanged, ignored, duplicates, superseded, rejected"
    #expect(
      try contents("input.sqlite", counts: counts) == contents("chunk.sqlite", counts: counts))
    #expect(try history("input.sqlite") == history("chunk.sqlite"))
    let chunks = "SELECT max(chunks) > 100, count(*) FROM bolide_run"
    #expect(try folder.sqlite("input.sqlite", chunks) == ["1|2"])
    #expect(try folder.sqlite("chunk.sqlite", chunks) == ["0|2"])
  }

  @Test(arguments: ["last", "first", "reject"], ["", "7", "1"])
  func `keys that come again in other files leave the same`(policy: String, chunkRows: String) throws {
    try folder.writeStrictOrders("repeated-key: \(policy)")
    var random = SeededGenerator(seed: 9)
    for version in [10, 20] {
      let names = try writeFiles(40, &random, version: version, hasRepeats: true)
      for commit in ["input", "chunk"] {
        let outcome = try folder.bolide(
          arguments: ["import", "orders.yaml", "--store", "\(commit).sqlite", "--commit", commit]
            + (chunkRows.isEmpty ? [] : ["--chunk-rows", chunkRows]) + names)
        #expect(outcome.status == 65)
      }
    }
    #expect(
      try contents("input.sqlite") == contents("chunk.sqlite"))
  }
}
