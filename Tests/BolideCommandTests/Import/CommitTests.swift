import Foundation
import Testing

/// `commit: chunk`: many small inputs share transactions, and nothing else differs.
@Suite struct CommitTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.writeStrictOrders("repeated-key: last")
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

  @Test(arguments: 1...2) func `120 files leave the same in few transactions as in many`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    for version in [10, 20] {
      let names = try folder.writeOrderFiles(120, &random, version: version, hasRepeats: false)
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
      try folder.orderContents("input.sqlite", counts: counts)
        == folder.orderContents("chunk.sqlite", counts: counts))
    #expect(try history("input.sqlite") == history("chunk.sqlite"))
    let chunks = "SELECT max(chunks) > 100, count(*) FROM bolide_run"
    #expect(try folder.sqlite("input.sqlite", chunks) == ["1|2"])
    #expect(try folder.sqlite("chunk.sqlite", chunks) == ["0|2"])
  }

  @Test(arguments: ["last", "first", "reject"], ["", "1"])
  func `keys that come again in other files leave the same`(policy: String, chunkRows: String) throws {
    try folder.writeStrictOrders("repeated-key: \(policy)")
    var random = SeededGenerator(seed: 9)
    for version in [10, 20] {
      let names = try folder.writeOrderFiles(16, &random, version: version, hasRepeats: true)
      for commit in ["input", "chunk"] {
        let outcome = try folder.bolide(
          arguments: ["import", "orders.yaml", "--store", "\(commit).sqlite", "--commit", commit]
            + (chunkRows.isEmpty ? [] : ["--chunk-rows", chunkRows]) + names)
        #expect(outcome.status == 65)
      }
    }
    #expect(
      try folder.orderContents("input.sqlite") == folder.orderContents("chunk.sqlite"))
  }
}
