import Foundation
import Testing

/// `sort: key`: records are imported in the order of their keys, and nothing else differs.
@Suite struct SortTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.writeStrictOrders("repeated-key: last")
  }

  private static let counts =
    "read, inserted, updated, repeated, unchanged, ignored, duplicates, superseded, rejected"

  @Test(arguments: ["last", "first", "reject"])
  func `records of the same keys leave the same as unsorted in one transaction`(policy: String) throws {
    try folder.writeStrictOrders("repeated-key: \(policy)")
    var random = SeededGenerator(seed: 11)
    for version in [10, 20] {
      let names = try folder.writeOrderFiles(40, &random, version: version, hasRepeats: true)
      for sort in ["none", "key"] {
        let outcome = try folder.bolide(
          arguments: [
            "import", "orders.yaml", "--store", "\(sort).sqlite", "--commit", "chunk", "--sort", sort,
          ]
            + names)
        #expect(outcome.status == 65)
      }
    }
    #expect(
      try folder.orderContents("key.sqlite", counts: Self.counts)
        == folder.orderContents("none.sqlite", counts: Self.counts))
    // Also where the input's end is a transaction's, and a transaction takes one key.
    for version in [10, 20] {
      let names = try folder.writeOrderFiles(40, &random, version: version, hasRepeats: true)
      for (sort, rows) in [("none", "1"), ("key", "1")] {
        let outcome = try folder.bolide(
          arguments: [
            "import", "orders.yaml", "--store", "\(sort).sqlite", "--chunk-rows", rows, "--sort", sort,
          ]
            + names)
        #expect(outcome.status == 65)
      }
    }
    #expect(try folder.orderContents("key.sqlite") == folder.orderContents("none.sqlite"))
  }

  /// More than fit into one run of the least memory.
  @Test func `a feed in random order leaves the same as one in the order of its keys`() throws {
    var random = SeededGenerator(seed: 5)
    let orders = (0..<15_000).map { number in
      folder.order("f\(10_000 + number)", 10, isWhole: false, &random).object
    }
    try folder.write("[\(orders.joined(separator: ",\n"))]", to: "ordered.json")
    try folder.write("[\(orders.shuffled(using: &random).joined(separator: ",\n"))]", to: "shuffled.json")
    for (input, sort) in [("ordered", "none"), ("shuffled", "key")] {
      let outcome = try folder.bolide(
        "import", "orders.yaml", "\(input).json", "--store", "\(sort).sqlite", "--sort", sort, "--memory",
        "48MiB")
      #expect(outcome.status == 65)
    }
    func contents(_ store: String) throws -> [String] {
      try folder.orderContents(store, counts: Self.counts, rejects: "times, read_since")
        .filter { !$0.contains("json|") }
    }
    #expect(try contents("key.sqlite") == contents("none.sqlite"))
    let ids = #"SELECT bolide_id, id FROM "Order" ORDER BY bolide_id"#
    #expect(try folder.sqlite("key.sqlite", ids) == folder.sqlite("none.sqlite", ids))
    #expect(try folder.sqlite("key.sqlite", "SELECT max(chunks) > 2 FROM bolide_run") == ["1"])
  }

  @Test func `a replay knows which record came later`() throws {
    try folder.write(
      """
      [{"id": "a", "version": 1, "code": "a", "size": 1}, {"id": "a", "version": "?", "code": "a", "size": 2},
       {"id": "b", "version": "?", "code": "b", "size": 1}, {"id": "b", "version": 2, "code": "b", "size": 2},
       {"id": "c", "version": 3, "code": "c", "size": 3, "items": [{"sku": "x", "amount": 91}]}]
      """, to: "feed.json")
    try #require(try folder.bolide("import", "orders.yaml", "feed.json", "--sort", "key").status == 65)
    try folder.write(
      try String(contentsOfFile: folder.path("orders.yaml"), encoding: .utf8)
        .replacing("version:   integer32", with: #"version:   { type: integer32, missing: "?" }"#)
        .replacing("max: 90", with: "max: 99"), to: "orders.yaml")
    let outcome = try folder.bolide("import", "orders.yaml", "--replay", "--sort", "key", "--json")
    #expect(outcome.output.contains(#""read":2,"inserted":0,"updated":1,"#), "\(outcome)")
    #expect(
      try folder.sqlite("orders.sqlite", #"SELECT id, version, size FROM "Order" ORDER BY id"#) == [
        "a||2", "b|2|2", "c|3|3",
      ])
    #expect(try folder.sqlite("orders.sqlite", "SELECT sku, amount FROM Line") == ["x|91.0"])
  }

  /// What is rejected goes to the store before the first row does.
  @Test func `a thousand rejected records end no import that has rows`() throws {
    let records = (0..<3_000).map {
      #"{"id": "\#($0)", "version": \#($0 % 100 == 7 ? "1" : "\"?\""), "code": "\#($0)", "size": 1}"#
    }
    try folder.write("[\(records.joined(separator: ",\n"))]", to: "feed.json")
    let outcome = try folder.bolide(
      "import", "orders.yaml", "feed.json", "--sort", "key", "--max-rejects", "2970", "--json")
    #expect(outcome.status == 3)
    #expect(outcome.output.contains(#""read":3000,"inserted":30,"#))
  }

  @Test func `a feed that is cut off leaves the records before the cut`() throws {
    try folder.write(
      """
      [{"id": "c", "code": "c", "size": 1}, {"id": "a", "code": "a", "size": 1},
      {"id": "b", "co
      """, to: "feed.json")
    let outcome = try folder.bolide("import", "orders.yaml", "feed.json", "--sort", "key")
    #expect(
      outcome
        == .failure(
          65,
          "feed.json:2:16: the input ends inside record 3 (byte 90). The 2 records before it are in the store",
          "Fetch the input again and run the same command: no row is duplicated."))
    #expect(
      try folder.sqlite("orders.sqlite", #"SELECT id FROM "Order" ORDER BY bolide_id"#) == ["a", "c"])
  }

  @Test func `nothing is imported when a guard fails, or there is no room to sort`() throws {
    try folder.write(
      #"[{"id": "c", "code": "c", "size": 1}, {"id": "a", "code": "a", "size": 1}]"#, to: "feed.json")
    let few = try folder.bolide(
      "import", "orders.yaml", "feed.json", "--sort", "key", "--chunk-rows", "1", "--min-records", "3")
    #expect(few.status == 65)
    let outcome = try folder.shell(
      #"TMPDIR=/nowhere "$bolide" import orders.yaml feed.json --sort key --chunk-rows 1"#)
    #expect(
      outcome
        == .failure(
          74, "feed.json: the spool file in /nowhere cannot be written: No such file or directory",
          "Free some space there, or set TMPDIR to a directory that has room."))
    #expect(
      try folder.sqlite(
        "orders.sqlite", #"SELECT count(*) FROM "Order"; SELECT outcome, read FROM bolide_run"#)
        == ["0", "min-records|0", "cannotSpool|0"])
  }

  @Test func `sorting and stopping at a rejected record contradict each other`() throws {
    try folder.write(#"[{"id": "c", "code": "c", "size": 1}]"#, to: "feed.json")
    let outcome = try folder.bolide("import", "orders.yaml", "feed.json", "--sort", "key", "--stop-on-reject")
    #expect(outcome.status == 64)
    #expect(
      outcome.errors.hasPrefix(
        "Error: --sort and --stop-on-reject cannot be combined: sorted records are not imported in the order of the input\n"
      ))
    let problem = Outcome.failure(
      78,
      "orders.yaml:7:7: 'sort' and 'stop-on-reject' cannot be combined: sorted records are not imported in the order of the input"
    )
    try folder.writeStrictOrders("sort: key\nstop-on-reject: true")
    #expect(try folder.bolide("check", "orders.yaml") == problem)
    try folder.writeStrictOrders("sort: key")
    #expect(try folder.bolide("import", "orders.yaml", "feed.json", "--stop-on-reject") == problem)
    #expect(
      try folder.bolide("import", "orders.yaml", "feed.json", "--stop-on-reject", "--sort", "none") == .silent
    )
  }
}
