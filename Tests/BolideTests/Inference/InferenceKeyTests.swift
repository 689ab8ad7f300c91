import Testing

import Bolide
@testable import FeedInference

struct InferenceKeyTests {
  @Test(arguments: [
    (#"[{"name":"a","id":2},{"name":"b","id":1}]"#, "key: id"),
    (#"[{"v":"a","date":"2020-01-01"},{"v":"b","date":"2020-01-02"}]"#, "key: date"),
    (#"[{"x":1.5,"name":"a"},{"x":2.5,"name":"b"}]"#, "key: name"),
    (#"[{"id":null,"name":"a"},{"id":2,"name":"b"}]"#, "key: name"),
    (
      #"[{"des":"a","cd":"2020-01-01"},{"des":"a","cd":"2020-01-02"},{"des":"b","cd":"2020-01-02"}]"#,
      "key: [des, cd]"
    ),
  ])
  func `the key is one attribute, or else two`(input: String, key: String) async throws {
    #expect(try InferenceRoundTrip(input).settings.contains(key))
  }

  @Test func `equal instants in two spellings are one key`() throws {
    let feed = try InferenceRoundTrip(
      #"[{"date":"2020-01-01 00:00","v":"a"},{"date":"2020-01-01T00:00:00Z","v":"b"}]"#)
    #expect(feed.settings.contains("key: v"))
  }

  @Test func `where nothing is unique the file says so`() async throws {
    let feed = try InferenceRoundTrip(#"[{"s":"a","v":1.5},{"s":"a","v":0.5},{"s":"b","v":2.5}]"#)
    #expect(
      feed.text.contains(
        "key: s                          # not unique: 1 record has the key of an earlier one, out of 3; "
          + "the last one counts\n"))
    #expect(try await feed.imported() == (2, 3))
  }

  @Test func `records without any common attribute still give a pipeline`() throws {
    let text = try PipelineInference(bytes: Array(#"[{"a":1},{"b":"x"},{"b":"y"}]"#.utf8), named: "x.json")
      .pipelineText
    #expect(text.contains("# unique; 1 record has none and is rejected\n"))
    let pipeline = try Pipeline(yaml: text, file: "x.yaml", directory: "")
    #expect(pipeline.model.entity(named: "X")?.key == ["b"])
  }

  @Test func `a column of numbers is found behind any number of texts`() throws {
    let rows = (0..<100).map { row in
      let texts = (0..<30).map { #""c\#($0)":"t\#(row % 7)""# }.joined(separator: ",")
      return #"{\#(texts),"ticket":\#(row)}"#
    }
    let feed = try InferenceRoundTrip("[\(rows.joined(separator: ","))]")
    #expect(feed.settings.contains("key: ticket"))
  }

  @Test func `a key that loses the fewest records is drafted, gaps and several attributes included`()
    async throws
  {
    // Titles repeat over the years, and one is null: together they lose one record, either alone many.
    let films = (0..<60).map { film in
      #"{"title":\#(film == 7 ? "null" : "\"film \(film % 40)\""),"year":"\#(1990 + film / 40)-05-01","v":\#(film).5}"#
    }
    let feed = try InferenceRoundTrip("[\(films.joined(separator: ","))]", refusing: 1)
    #expect(
      feed.settings.contains("key: [year, title]") || feed.settings.contains("key: [title, year]"),
      "\(feed.text)")
    #expect(feed.text.contains("# unique; 1 record has none and is rejected\n"), "\(feed.text)")
    #expect(try await feed.imported() == (59, 60))
    // Three together, where no two are enough.
    let cells = (0..<64).map { #"{"a":"x\#($0 % 4)","b":"y\#($0 / 4 % 4)","c":"z\#($0 / 16)","v":\#($0).5}"# }
    let cube = try InferenceRoundTrip("[\(cells.joined(separator: ","))]")
    #expect(try await cube.imported() == (64, 64))
  }

  @Test func `records that are there twice lose nothing, and others of one key end check with 65`() throws {
    let rows = (1...30).map { #"{"id":\#($0),"v":"\#($0 % 2)"}"# }
    let copies = try InferenceRoundTrip("[\((rows + [rows[4]]).joined(separator: ","))]")
    #expect(
      copies.text.contains(
        "key: id                         # unique, but for 1 record that is there again, all alike\n"))
    #expect(
      try !copies.check().losesRecords && copies.check().text.contains("  1 record is there again, all alike")
    )
    let same = try InferenceRoundTrip(#"[{"s":"a","v":1.5},{"s":"a","v":0.5},{"s":"b","v":2.5}]"#)
    #expect(try same.check().losesRecords)
    #expect(
      try same.check().text.hasSuffix(
        """
          1 record has the key of an earlier one, and other values
          the last record of a key counts; if this is intended, set `repeated-key: last`
        """))
    #expect(try !same.check(adding: "repeated-key: last").losesRecords)
  }

  @Test func `children are told apart by what no two of any record share, with what else could do it`() throws
  {
    let rows = (0..<30).map { row in
      #"{"id":"r\#(row)","list":[{"at":"2024-01-01","link":"l\#(row)a"},{"at":"2024-01-02","link":"l\#(row)b"}]}"#
    }
    let feed = try InferenceRoundTrip("[\(rows.joined(separator: ","))]")
    #expect(
      feed.text.contains("    key: [feed, link]           # unique in all 60 objects; so is at\n"),
      "\(feed.text)")
    let other = rows[0].replacing("l0b", with: "l0a")
    let pipeline = try Pipeline(yaml: feed.text, file: "new.yaml", directory: "")
    let check = try FeedCheck(pipeline, bytes: Array("[\(other)]".utf8), named: "later")
    #expect(check.losesRecords && check.repeatedKeys == 0 && check.children.map(\.repeatedKeys) == [1])
    #expect(
      check.text.contains("\n  List: 1 has the key of an earlier one of its record, and other values\n"))
  }

  @Test func `where no record has two children, their key is said to be a guess`() throws {
    let rows = (0..<30).map { #"{"id":"r\#($0)","list":[{"at":"2024-01-01","kind":"x"}]}"# }
    let feed = try InferenceRoundTrip("[\(rows.joined(separator: ","))]")
    #expect(
      feed.text.contains("    key: [feed, at]             # a guess: no record has more than one object\n"),
      "\(feed.text)")
  }

  @Test(arguments: [
    "{}", "[{},{}]", #"[{".":1}]"#, #"[{"":1}]"#,
  ])
  func `records without a key to read from give no draft`(input: String) {
    let error = #expect(throws: ImportError.self) {
      try PipelineInference(bytes: Array(input.utf8), named: "x.json")
    }
    #expect(error?.kind == .badInput)
    #expect(
      [
        "x.json: its records have no keys to read from",
        "x.json: there are no records in it, an envelope alone",
      ]
      .contains(error?.message))
  }

  @Test func `numbers with decimals and nested values are the key where there is nothing else`() throws {
    #expect(try InferenceRoundTrip(#"[{"e":1.5,"j":[1]},{"e":2.5,"j":[1]}]"#).settings.contains("key: e"))
    #expect(try InferenceRoundTrip(#"{"items":[1]}{"items":[2]}"#).settings.contains("key: items"))
  }

  @Test func `keys are counted in bounded memory, by a fair sample`() {
    var counter = KeyCounter()
    for number in 0..<100_000 { counter.take(Self.mixed(number), record: 0, limit: 1000) }
    #expect(counter.share >= 64)
    #expect(counter.looked < 5000)
    #expect(counter.repeats == 0)
    for number in 0..<100_000 { counter.take(Self.mixed(number), record: number % 2, limit: 1000) }
    #expect(counter.repeats > 200 && counter.copies > 200)
  }

  /// Numbers spread over all bits, as hashes are.
  private static func mixed(_ number: Int) -> Int {
    Int(truncatingIfNeeded: (UInt64(number) &* 0x9e37_79b9_7f4a_7c15) >> 20)
  }
}
