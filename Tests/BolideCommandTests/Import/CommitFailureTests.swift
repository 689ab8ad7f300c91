import Foundation
import Testing

/// `commit: chunk` where something goes wrong: what is named, and what is stored.
@Suite struct CommitFailureTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.writeStrictOrders("repeated-key: last")
  }

  // MARK: Files that fail

  /// A feed of records with these ids, as lines.
  private static func lines(_ ids: String...) -> String {
    ids.map { #"{"id": "\#($0)", "code": "\#($0)", "size": 1}"# + "\n" }.joined()
  }

  private func ids() throws -> [String] {
    try folder.sqlite("orders.sqlite", #"SELECT id FROM "Order" ORDER BY id"#)
  }

  /// Good files, and such as cannot be read to the end.
  private func writeFaulty() throws {
    for number in 1...3 {
      try folder.write(Self.lines("\(number)a", "\(number)b"), to: "\(number).json")
    }
    try folder.write(Self.lines("c1", "c2"), to: "whole.json")
    try folder.python(
      """
      import gzip
      text = open("whole.json", "rb").read()
      open("cut.json.gz", "wb").write(gzip.compress(text, 0)[:len(text)])
      """)
    try folder.write("", to: "empty.json")
    try folder.write(Self.lines("t") + "{", to: "open.json")
    try folder.write(#"{"count": 3, "data": [\#(Self.lines("f"))]}"#, to: "few.json")
  }

  private static let fetch = "Fetch the file again and run the same command: no row is duplicated."

  @Test func `a file that cannot be read leaves the records of the others, and each is named`() throws {
    try writeFaulty()
    let size = try folder.bytes(of: "cut.json.gz").count
    let files = ["1.json", "cut.json.gz", "2.json", "empty.json", "open.json", "few.json", "3.json"]
    let outcome = try folder.bolide(arguments: ["import", "orders.yaml", "--commit", "chunk"] + files)
    #expect(
      outcome
        == .failure(
          65,
          "cut.json.gz: the gzip data is truncated after byte \(size). The 9 records read are in the store",
          "3 other inputs could not be read to the end either: empty.json: the file is empty; "
            + "open.json:2:2: the input ends inside record 2 (byte 37); few.json: the feed's `count` is 3, but 1 "
            + "record was read. \(Self.fetch)"))
    #expect(try ids() == ["1a", "1b", "2a", "2b", "3a", "3b", "c1", "f", "t"])
    #expect(
      try folder.sqlite("orders.sqlite", "SELECT outcome, read, chunks FROM bolide_run")
        == ["gzipTruncated|9|1"])
    // Whole, they are read again, and known from then on.
    try folder.gzip("whole.json")
    for sameAs in ["", "2"] {
      let again = ["1.json", "whole.json.gz", "2.json"]
      let outcome = try folder.bolide(arguments: ["import", "orders.yaml", "--commit", "chunk"] + again)
      #expect(outcome == .silent)
      #expect(
        try folder.sqlite(
          "orders.sqlite", "SELECT ifnull(same_as, '') FROM bolide_run ORDER BY run DESC LIMIT 1")
          == (sameAs.isEmpty ? [] : [sameAs]))
    }
  }

  @Test func `one other is named, and of many the first ones`() throws {
    try writeFaulty()
    let two = try folder.bolide(
      "import", "orders.yaml", "open.json", "1.json", "empty.json", "--commit", "chunk")
    #expect(
      two
        == .failure(
          65, "open.json:2:2: the input ends inside record 2 (byte 37). The 3 records read are in the store",
          "Another input could not be read to the end either: empty.json: the file is empty. "
            + "Fetch the input again and run the same command: no row is duplicated."))
    let many = try folder.bolide(
      arguments: ["import", "orders.yaml", "--commit", "chunk", "1.json"]
        + Array(repeating: "empty.json", count: 13))
    let list = Array(repeating: "empty.json: the file is empty", count: 10).joined(separator: "; ")
    #expect(
      many
        == .failure(
          66, "empty.json: the file is empty. The 2 records read are in the store",
          "12 other inputs could not be read to the end either: \(list); and 2 more. Fetch the file again."))
  }

  @Test(arguments: [
    ("input", ["1a", "1b", "c1"]), ("chunk --atomic", []), ("chunk --max-records 2", ["1a", "1b"]),
  ])
  func `one transaction for each input or for all, and a bound, end at the first error`(
    options: String, left: [String]
  ) throws {
    try writeFaulty()
    let outcome = try folder.shell(
      "$bolide import orders.yaml 1.json cut.json.gz 2.json empty.json --commit \(options)")
    #expect(outcome.status == 65 && !outcome.errors.contains("empty.json"), "\(outcome)")
    #expect(try ids() == left)
  }

  @Test func `a full feed of which a file fails is not complete`() throws {
    try writeFaulty()
    try folder.writeStrictOrders(
      "repeated-key: last\nfeed: full\ngone: delete\nmax-missing: 100%\ncommit: chunk\nmin-records: 5")
    try #require(
      try folder.bolide("import", "orders.yaml", "1.json", "2.json", "whole.json") == .silent)
    let outcome = try folder.bolide("import", "orders.yaml", "1.json", "cut.json.gz", "3.json")
    #expect(outcome.status == 65 && outcome.errors.hasPrefix("Error: cut.json.gz: "), "\(outcome)")
    #expect(try folder.bolide("missing", "orders.sqlite") == .silent)
    #expect(try ids() == ["1a", "1b", "2a", "2b", "3a", "3b", "c1", "c2"])
    let few = try folder.bolide("import", "orders.yaml", "1.json", "2.json", "--max-rejects", "1")
    #expect(
      few.status == 65
        && few.errors.hasPrefix("Error: 2.json: there are 4 records, fewer than the minimum of 5"))
  }

  // MARK: Places

  @Test(arguments: [
    (#"{"id": "x", "code": "x", "size": 1, "version": "?"}"#, "2.json:2:48: record 2: version: "),
    (
      #"{"id": "x", "code": "x", "size": 1, "version": 91}"#,
      "2.json:2:1: record 2: the check does not hold: "
    ),
    (#"{"id": "x", "code": "1a", "size": 1}"#, "2.json:2:1: record 2: code is unique, "),
    (
      #"{"id": "x", "code": "x", "size": 1, "items": [{"sku": "1", "amount": 91}]}"#,
      "2.json:2:70: record 2: Line 1: "
    ),
  ]) func `an import stops at the first rejected record of any file`(record: String, place: String) throws {
    try folder.write(Self.lines("1a", "1b"), to: "1.json")
    try folder.write(Self.lines("2a") + record + "\n" + Self.lines("2c"), to: "2.json")
    try folder.write(Self.lines("3a") + record + "\n", to: "3.json")
    let outcome = try folder.bolide(
      "import", "orders.yaml", "1.json", "2.json", "3.json", "--commit", "chunk", "--stop-on-reject")
    #expect(outcome.status == 65 && outcome.errors.hasPrefix("Error: \(place)"), "\(outcome)")
    #expect(
      outcome.errors.contains("; the \(place.contains("Line") ? 4 : 3) records before it are in the store."))
    #expect(try ids() == ["1a", "1b", "2a"] + (place.contains("Line") ? ["x"] : []))
    #expect(try folder.sqlite("orders.sqlite", "SELECT input, record FROM bolide_reject") == ["2.json|2"])
  }

  @Test func `a record whose key is there is named in its own file`() throws {
    try folder.writeStrictOrders("merge: fail\ncommit: chunk")
    try folder.write(Self.lines("a"), to: "1.json")
    try #require(try folder.bolide("import", "orders.yaml", "1.json") == .silent)
    try folder.write(Self.lines("b", "c"), to: "2.json")
    try folder.write(Self.lines("d") + Self.lines("a"), to: "3.json")
    let outcome = try folder.bolide("import", "orders.yaml", "2.json", "3.json")
    #expect(
      outcome.errors.hasPrefix(
        "Error: 3.json:2:1: record 2 has the id of an existing Order, and the merge policy"),
      "\(outcome)")
    #expect(try ids() == ["a"])
  }

  @Test(arguments: [("input", "chunk"), ("chunk", "input")])
  func `files are known again however they were committed`(first: String, second: String) throws {
    try folder.write(Self.lines("a"), to: "1.json")
    try folder.write(Self.lines("b"), to: "2.json")
    for commit in [first, second] {
      try #require(
        try folder.bolide("import", "orders.yaml", "1.json", "2.json", "--commit", commit) == .silent)
    }
    #expect(
      try folder.sqlite("orders.sqlite", "SELECT chunks, ifnull(same_as, '') FROM bolide_run ORDER BY run")
        == [first == "chunk" ? "1|" : "2|", "0|1"])
  }

  @Test func `standard input among the files, and a signal while it is quiet`() throws {
    try folder.write(Self.lines("a"), to: "1.json")
    let running = try folder.starting("import", "orders.yaml", "1.json", "-", "--commit", "chunk", "--json")
    try running.write(Data(Self.lines("b").utf8))
    // A transaction that is not full is committed all the same.
    try eventually { try folder.count("Order", in: "orders.sqlite") == 2 }
    running.send(SIGINT)
    let outcome = try running.outcome()
    #expect(outcome.status == 128 + SIGINT)
    #expect(try Counts(outcome) == Counts(read: 2, inserted: 2))
    #expect(try folder.bolide("verify", "orders.sqlite") == .silent)
  }

  @Test func `what is neither is refused`() throws {
    try folder.write(Self.lines("a"), to: "1.json")
    let option = try folder.bolide("import", "orders.yaml", "1.json", "--commit", "file")
    #expect(option.status == 64)
    #expect(option.errors.contains("'file' is not one of input, chunk"))
    try folder.writeStrictOrders("repeated-key: last\ncommit: file")
    #expect(
      try folder.bolide("import", "orders.yaml", "1.json")
        == .failure(78, "orders.yaml:8:9: 'commit' is input or chunk, not 'file'"))
    #expect(try folder.count("Order", in: "orders.sqlite") == 0)
  }
}
