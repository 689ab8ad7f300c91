import Foundation
import Testing

/// `--replay` of rejected children: their record is tried again, once, and what lands is kept no longer.
@Suite struct ChildReplayTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withOrders()
  }

  private func replay(_ arguments: String...) throws -> Outcome {
    try Running(
      Folder.tool, ["import", "orders.yaml", "--replay", "--json", "-q"] + arguments, in: folder,
      input: .nothing
    ).outcome()
  }

  private func kept() throws -> [String] {
    try folder.sqlite(
      "orders.sqlite",
      "SELECT code, attribute, record, entity, child, times FROM bolide_reject ORDER BY reject")
  }

  private static let bad = """
    [{"id": "a", "items": [{"sku": "x", "amount": "?"}, {"sku": "y", "amount": "-"}, {"sku": "z", "amount": 3}]},
     {"id": "b", "items": [{"sku": "x", "amount": "-"}]}]
    """

  @Test(arguments: ["last", "first", "reject"]) func `children land when the pipeline is mended`(
    policy: String
  ) throws {
    let keys = "repeated-key: \(policy)"
    try folder.writeOrders(keys)
    try folder.importOrders(Self.bad)
    #expect(
      try kept() == [
        "not-a-number|amount|1|Line|1|1", "not-a-number|amount|1|Line|2|1", "not-a-number|amount|2|Line|1|1",
      ])
    try folder.writeOrders(keys, amount: #"{ type: double, missing: "-" }"#)
    let outcome = try replay()
    #expect(outcome.status == 65)
    #expect(try Counts(outcome) == Counts(read: 2, unchanged: 2))
    #expect(try Counts("Line", outcome) == Counts(read: 4, inserted: 2, unchanged: 1, rejected: 1))
    #expect(outcome.output.contains(#""stillKept":1,"#))
    #expect(try kept() == ["not-a-number|amount|1|Line|1|2"])
    #expect(
      try folder.orders() == [
        "a||2|3.0|3.0|0", "b||1|0.0||0", "a|y|||||", "a|z|3.0||||", "b|x|||||",
      ])
    try folder.writeOrders(keys, amount: #"{ type: double, missing: ["-", "?"] }"#)
    #expect(try replay().output.contains(#""stillKept":0,"#))
    #expect(try folder.orders().first == "a||3|3.0|3.0|0")
  }

  @Test func `children that are rejected again are shown where they stood`() throws {
    try folder.write(
      #"[{"id": "a", "items": [{"sku": "x", "amount": "?"}, {"amount": 3}]}]"#, to: "feed.json")
    func places(_ input: String) throws -> [String] {
      let outcome = try folder.bolide("import", "orders.yaml", input)
      #expect(outcome.status == 65)
      return outcome.errors.split(separator: "\n").filter { $0.contains("record 1") }.map(String.init)
    }
    let first = try places("feed.json")
    #expect(first.count == 2)
    #expect(try places("--replay") == first)
  }

  @Test func `a record that lands at last brings its children, and their refusals`() throws {
    try folder.importOrders(
      #"[{"id": "a", "version": "v1", "items": [{"sku": "x"}, {"sku": "y", "amount": "?"}]}]"#)
    #expect(try kept() == ["not-a-number|version|1||0|1"])
    let text = try String(contentsOf: folder.url.appending(path: "orders.yaml"), encoding: .utf8)
    try folder.write(
      text.replacing("version:   integer32", with: "release: { type: string, from: version }"),
      to: "orders.yaml")
    let outcome = try replay()
    #expect(try Counts(outcome) == Counts(read: 1, inserted: 1))
    #expect(try Counts("Line", outcome) == Counts(read: 2, inserted: 1, rejected: 1))
    #expect(try kept() == ["not-a-number|amount|1|Line|2|1"])
    try folder.write(
      text.replacing("version:   integer32", with: "release: { type: string, from: version }")
        .replacing("amount: double", with: #"amount: { type: double, missing: "?" }"#), to: "orders.yaml")
    #expect(try Counts("Line", try replay()) == Counts(read: 2, inserted: 1, unchanged: 1))
    #expect(try kept() == [])
    #expect(try folder.orders() == ["a||2|0.0||0", "a|x|||||", "a|y|||||"])
  }

  @Test func `a record that was read again since is not tried`() throws {
    try folder.importOrders(Self.bad)
    try folder.importOrders(#"[{"id": "a", "status": "new", "items": [{"sku": "x", "amount": 9}]}]"#)
    try folder.writeOrders(amount: #"{ type: double, missing: ["-", "?"] }"#)
    let outcome = try replay()
    #expect(try Counts(outcome) == Counts(read: 1, unchanged: 1))
    #expect(
      try folder.orders() == [
        "a|new|2|12.0|9.0|0", "b||1|0.0||0", "a|x|9.0||||new", "a|z|3.0||||new", "b|x|||||",
      ])
    // The good import has closed those whose record it has read.
    #expect(outcome.output.contains(#""stillKept":0,"#))
  }

  @Test func `a record whose key comes again in the same input is overtaken by the later one`() throws {
    try folder.importOrders(
      #"[{"id": "a", "items": [{"sku": "x", "amount": "-"}]}, {"id": "a", "items": [{"sku": "y", "amount": "-"}]}]"#
    )
    try folder.writeOrders(amount: #"{ type: double, missing: "-" }"#)
    let outcome = try replay()
    #expect(try Counts(outcome) == Counts(read: 1, unchanged: 1))
    #expect(try folder.orders() == ["a||1|0.0||0", "a|y|||||"])
  }

  @Test func `a record that is rejected as a whole now stands for its children`() throws {
    try folder.importOrders(Self.bad)
    try folder.writeOrders("check: id <> 'a'")
    let outcome = try replay()
    #expect(try Counts(outcome) == Counts(read: 2, unchanged: 1, rejected: 1))
    #expect(try kept() == ["check-failed||1||0|2", "not-a-number|amount|2|Line|1|2"])
  }

  @Test func `the text of a long record is cut, and its children are not tried`() throws {
    let items = (0..<500).map { #"{"sku": "\#($0)", "amount": "-"}"# }.joined(separator: ",")
    try folder.writeOrders("reject-text: 8KiB")
    try folder.importOrders(#"[{"id": "b", "items": [\#(items)]}]"#)
    try folder.writeOrders(amount: #"{ type: double, missing: "-" }"#)
    let outcome = try replay()
    #expect(outcome.output.contains(#""stillKept":500,"#))
    #expect(try Counts(outcome) == Counts(read: 0))
  }

  @Test func `more rejects than one batch takes keep those of a record together`() throws {
    let orders = (0..<300).map { order in
      #"{"id": "\#(order)", "items": [\#((0..<7).map { #"{"sku": "\#($0)", "amount": "-"}"# }.joined(separator: ","))]}"#
    }
    let keys = "repeated-key: reject"
    try folder.writeOrders(keys)
    try folder.importOrders("[\(orders.joined(separator: ","))]")
    try folder.writeOrders(keys, amount: #"{ type: double, missing: "-" }"#)
    let outcome = try replay()
    #expect(outcome.status == 0)
    #expect(try Counts(outcome) == Counts(read: 300, unchanged: 300))
    #expect(try Counts("Line", outcome) == Counts(read: 2100, inserted: 2100))
    #expect(try kept() == [])
  }
}
