import Foundation
import Testing

import Bolide
@testable import FeedInference

/// Several inputs of `bolide init` are one feed.
struct InferenceInputsTests {
  @Test func `types, gaps and the key are those of all inputs together`() async throws {
    let feed = try InferenceRoundTrip(
      [
        ("2024/feed-2024-01.json", #"{"rows":[{"id":1,"v":1,"d":"11/21/2024"},{"id":2,"v":2}]}"#),
        ("feed-2024-02.json", #"{"rows":[{"id":3,"v":2.5,"d":"01/02/2024"},{"id":4,"w":"x"}]}"#),
        ("feed-2024-03.json", #"{"rows":[{"id":1,"v":1,"d":"11/21/2024"}]}"#),
      ])
    #expect(
      feed.text == """
        # From 3 inputs, feed-2024-01.json, feed-2024-02.json and feed-2024-03.json: 5 records; objects under rows.
        # A draft from what these 3 inputs show: look at the key, the types and the names.
        bolide: 1
        name: feed
        store: feed.sqlite
        entity: Feed
        records: rows
        key: id                         # unique, but for 1 record that is there again, all alike
        attributes:
          id: integer64
          v:  double                              # missing in 1
          d:  { type: day, format: month-first }  # missing in 2
          w:  string                              # missing in 4

        """)
    #expect(try await feed.imported() == (4, 5))
  }

  @Test
  func `the inputs are told by two names where there are many, and by their folders where those differ`()
    throws
  {
    let pages = (1...1200).map { (Array(#"[{"id":\#($0)}]"#.utf8), "page\($0).json") }
    let many = try PipelineInference(pages).pipelineText
    #expect(
      many.hasPrefix("# From 1,200 inputs, page1.json, page2.json and 1,198 more: 1,200 records; objects.\n"))
    #expect(many.contains("\nname: page1\n") && many.contains("what these 1,200 inputs show:"))
    let folders = try InferenceRoundTrip(["a/feed.json", "b/feed.json"].map { ($0, #"[{"id":"\#($0)"}]"#) })
    #expect(folders.text.hasPrefix("# From 2 inputs, a/feed.json and b/feed.json: 2 records; objects.\n"))
  }

  @Test(arguments: [
    // Of two arrays the one with the most objects in all inputs, whichever has the most in each.
    (
      [#"{"a":[{"i":1},{"i":2}],"b":[{"i":1}]}"#, #"{"a":[{"i":3}],"b":[{"i":2},{"i":3},{"i":4},{"i":5}]}"#],
      "records: b", 5
    ),
    // The only place that all have, though each has more in another.
    (
      [#"{"a":[{"i":1},{"i":2}],"b":[{"i":1}]}"#, #"{"b":[{"i":2}],"c":[{"i":3},{"i":4}]}"#], "records: b", 2
    ),
    // On some days one of them is empty.
    ([#"{"a":[{"i":1},{"i":2}],"b":[{"i":1}]}"#, #"{"a":[],"b":[{"i":2}]}"#], "records: a", 2),
    // One object alone is a line as others are.
    ([#"{"i":1}"#, "{\"i\":2}\n{\"i\":3}"], "shape: lines", 3),
    (["{\n\"i\":1,\n\"l\":[]}", "{\"i\":2,\"l\":[1]}"], "shape: lines", 2),
    // A map of two could be an object.
    (
      [
        #"{"ceres":{"d":939,"p":4},"vesta":{"d":525,"p":3}}"#,
        #"{"ceres":{"d":938,"p":4},"juno":{"d":1,"p":3},"pallas":{"d":512,"p":4}}"#,
      ], "records: <key>", 5
    ),
    (["i,v\n1,2\n", "v,i\n3,4\n", "i,v\n"], "shape: csv", 2),
    (
      [#"{"count":"0"}"#, #"{"data":[[1,"a"]],"fields":["id","v"]}"#, #"{"data":[],"fields":["id","v"]}"#],
      "shape: columnar", 1
    ),
    ([#"[{"i":1}]"#, #"{"count":0}"#, #"{"items":[]}"#], "entity: Feed", 1),
    (
      [#"{"photos":[{"id":1}]}"#, #"{"photos":[]}"#, #"{"photos":[{"id":2}],"next":null}"#],
      "records: photos", 2
    ),
    (["[]", #"[["2020-01-01",1]]"#, #"[["2020-01-02",2]]"#], "columns: [column1, column2]", 2),
  ])
  func `the place of the records is one that all inputs have`(
    inputs: [String], says: String, records: Int
  ) async throws {
    let feed = try InferenceRoundTrip(
      inputs.enumerated().map { (says == "shape: csv" ? "feed-\($0).csv" : "feed-\($0).json", $1) })
    #expect(feed.settings.contains(says), "\(feed.text)")
    let counts = try await feed.imported()
    #expect(counts.read == records)
  }

  @Test func `inputs without records, other places and counts are told of all inputs`() throws {
    let feed = try InferenceRoundTrip([
      ("a.json", #"{"count":9,"x":[{"i":1},{"i":2}],"z":[{"i":1}]}"#), ("b.json", #"{"x":[]}"#),
      ("c.json", #"{"count":1,"x":[{"i":3},{"i":4}],"z":[{"i":1},{"i":2}]}"#),
    ])
    #expect(feed.text.contains("# Another place that could be the records: z (3).\n"))
    #expect(feed.text.contains("# There are no records in b.json.\n"))
    let later = try InferenceRoundTrip([
      ("a.json", "{\"x\":[]}"), ("b.json", #"{"x":[{"i":1},{"i":2}],"z":[{"i":1}]}"#),
      ("c.json", #"{"x":[]}"#),
      ("d.json", #"{"x":[],"z":[{"i":2}]}"#), ("e.json", "{\"x\":[]}"),
    ])
    #expect(later.text.contains("# There are no records in a.json, c.json and 2 more.\n"), "\(later.text)")
    #expect(feed.text.contains("count: ignore                   # the envelope of c.json counts 1\n"))
  }

  @Test(arguments: [
    (
      [#"{"a":[{"i":1}]}"#, #"{"b":[{"i":1}]}"#, #"{"a":[{"i":2}]}"#],
      "1.json: found objects under b, but 0.json has objects under a"
    ),
    (
      [#"[{"i":1}]"#, "{\"i\":1}\n{\"i\":2}"],
      "1.json: found one object a line, or concatenated, but 0.json has objects"
    ),
    (
      ["i,v\n1,2", #"[{"i":1}]"#, #"[{"i":2}]"#],
      "0.json: found lines of comma-separated values, named by the first of them, but 1.json has objects"
    ),
    (
      ["[[1,2]]", "[[1,2,3]]"],
      "1.json: found rows that nothing names, of 3 columns, but 0.json has rows that nothing names, of 2 columns"
    ),
    ([#"[{"i":1}]"#, #"{"i":2,"items":[]}"#], "1.json: found one object, but 0.json has objects"),
    (["i,v\n1,2\n", "j,w\n1,2\n"], "1.json: the key column 'i' is missing; the columns are j, w"),
    ([#"[{"i":1}]"#, "[1,2]"], "1.json: none of its 2 values is an object"),
    ([#"[{"i":1}]"#, #"[{"i":1},{"i":"#], "1.json:1:15: the input ends inside record 2 (byte 14)"),
    ([#"[{"i":1}]"#, ""], "1.json: the input is empty"),
    (["[]", "[]", #"{"count":0}"#], "0.json and 2 more: there are no records in them"),
  ])
  func `an input that is unlike the others is named`(inputs: [String], sentence: String) {
    let error = #expect(throws: ImportError.self) {
      try PipelineInference(inputs.enumerated().map { (bytes: Array($1.utf8), name: "\($0).json") })
    }
    #expect(error?.message == sentence)
    #expect(error?.hint?.contains("in the store") != true)
    if error?.code == "unlike-others" {
      #expect(error?.hint == "Use inputs of one shape: one pipeline reads them all in the same way.")
    }
  }

  @Test func `any records, in any parts, give a draft that imports them all`() async throws {
    var random = SystemRandomNumberGenerator()
    for round in 1...12 {
      let values = ["1", "-2.5", "null", #""x""#, #""2024-01-02""#, "true", "[1]", #"{"k":1}"#, #""""#]
      let records = (0..<Int.random(in: 2...40, using: &random)).map { record in
        // Each value is of one of two kinds, so that columns are now alike and now mixed.
        let members = ["a", "b", "c"].enumerated().compactMap { place, key -> String? in
          let value = values[(round + place * 3 + Int.random(in: 0...1, using: &random)) % values.count]
          return Int.random(in: 0...3, using: &random) > 0 ? #""\#(key)":\#(value)"# : nil
        }
        return "{\(([#""id":"r\#(record)""#] + members).joined(separator: ","))}"
      }
      // Cut anywhere; a part may have none.
      var parts: [[String]] = [[]]
      for record in records {
        if Int.random(in: 0...4, using: &random) == 0 { parts.append([]) }
        parts[parts.count - 1].append(record)
      }
      let feed = try InferenceRoundTrip(
        parts.enumerated().map { ("\($0).json", #"{"rows":[\#($1.joined(separator: ","))]}"#) })
      #expect(try await feed.imported() == (records.count, records.count), "\(parts)")
      // One input of all records shows the same, but for its name.
      let whole = try InferenceRoundTrip(#"{"rows":[\#(records.joined(separator: ","))]}"#, named: "0.json")
      #expect(
        feed.text.split(separator: "attributes:")[1] == whole.text.split(separator: "attributes:")[1],
        "\(parts)")
    }
  }
}
