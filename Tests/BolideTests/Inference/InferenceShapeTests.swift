import Testing

import Bolide

struct InferenceShapeTests {
  @Test func `a matrix deep in one object is not taken for the records`() async throws {
    let body = """
      {"object":{"des":"433","fullname":"433 Eros"},"orbit":{"epoch":2460000.5,"covariance":{"labels":["e","q"],
      "data":[[1.5,2.5],[2.5,3.5]]}}}
      """
    let feed = try InferenceRoundTrip(body)
    #expect(feed.settings.contains("shape: lines") && feed.settings.contains("key: des"), "\(feed.text)")
    #expect(feed.text.contains("# Another place that could be the records: orbit/covariance/data (2).\n"))
    #expect(try await feed.imported() == (1, 1))
  }

  @Test(arguments: [
    (#"{"count":55,"events":[{"id":1},{"id":2}]}"#, "count: total", "the envelope counts 55"),
    (#"{"count":1,"events":[{"id":1},{"id":2}]}"#, "count: ignore", "the envelope counts 1"),
  ])
  func `a count that is not the records' is said in the draft`(
    input: String, line: String, note: String
  ) async throws {
    let feed = try InferenceRoundTrip(input)
    #expect(feed.settings.contains(line) && feed.text.contains("# \(note)\n"), "\(feed.text)")
    #expect(try await feed.imported() == (2, 2))
  }

  @Test(arguments: [
    #"{"count":55,"next":"?page=2","events":[{"id":1}]}"#, #"{"count":1,"events":[{"id":1}]}"#,
  ])
  func `a count that tells by itself is not spoken of`(input: String) throws {
    #expect(try !InferenceRoundTrip(input).text.contains("count"))
  }

  @Test(arguments: [
    (#"{"data":[[1,"a"],[2,"b"]],"fields":["id","val"]}"#, "shape: columnar", 2),
    (#"{"rows":[[1,"a"],[2,"b"]],"columns":["id","val"]}"#, nil, 2),
    (#"{"meta":{"view":{"columns":[{"fieldName":":id"},{"fieldName":"v"}]}},"data":[["r1",1]]}"#, nil, 1),
    (#"[["2020-01-01","5.1"],["2020-01-02","6.1"]]"#, "columns: [column1, column2]", 2),
    ("[[1,\"a\"],[2,\"b\"]]", "columns: [column1, column2]", 2),
    ("[\"id\",\"val\"]\n[1,2]\n[2,3]\n", nil, 2),
    (#"{"photos":[{"id":1},{"id":2}]}"#, "records: photos", 2),
    // Keys that read as the words in which a shape is told.
    (#"{"a, named by b":[{"id":1},{"id":2}]}"#, #"records: "a, named by b""#, 2),
    (#"{"rows under data, named by fields":[{"id":1}]}"#, #"records: "rows under data, named by fields""#, 1),
    (#"{"a":[{"id":1}],"b":[{"id":1},{"id":2}]}"#, "records: b", 2),
    (#"{"a12":{"v":1},"b13":{"v":2}}"#, "records: <key>", 2),
    (#"{"ceres":{"d":939,"p":4},"vesta":{"d":525,"p":3},"pallas":{"d":512,"p":4}}"#, "records: <key>", 3),
    (#"{"id":1}{"id":2}"#, "shape: lines", 2),
    (#"{"id":1,"tags":["a"]}"#, nil, 1),
  ])
  func `every shape is found, said where that is needed, and imported`(
    input: String, says: String?, records: Int
  ) async throws {
    let feed = try InferenceRoundTrip(input)
    let places = feed.settings.filter {
      $0.hasPrefix("records:") || $0.hasPrefix("shape:") || $0.hasPrefix("columns:")
    }
    #expect(places == [says].compactMap { $0 })
    #expect(try await feed.imported() == (records, records))
  }

  @Test func `names that come after more rows than are looked at`() async throws {
    let rows = (1...40_000).map { #"["2020-Jan-01 00:54","object \#($0)","0.0211660525256395"]"# }
    let input = #"{"count":40000,"data":[\#(rows.joined(separator: ","))],"fields":["cd","des","dist"]}"#
    let feed = try InferenceRoundTrip(input)
    #expect(feed.settings.contains("key: des"))
    #expect(feed.attribute("cd") == "{ type: date, zone: UTC }")
    #expect(try await feed.imported() == (40_000, 40_000))
  }

  @Test func `other places that could be the records are named`() throws {
    let feed = try InferenceRoundTrip(#"{"events":[{"id":1}],"b":[{"id":1},{"id":2}]}"#)
    #expect(feed.text.contains("# Another place that could be the records: events (1).\n"))
  }

  @Test func `records that are not like the others are counted`() throws {
    let text = try PipelineInference(
      bytes: Array(#"{"fields":["a","b"],"data":[[1,2],[3],[4,5]]}"#.utf8), named: "x.json"
    ).pipelineText
    #expect(text.contains("# 1 of them are not like the others, and would be rejected.\n"))
    #expect(text.contains("unique in all 2 records"))
  }

  @Test(arguments: [
    ("[]", ImportError.Kind.badInput, "there are no records in it"),
    (#"{"count":"0","signature":{"v":"1"}}"#, .badInput, "there are no records in it, an envelope alone"),
    (#"{"photos":[]}"#, .badInput, "there are no records in it, an envelope alone"),
    ("[1,2]", .badInput, "none of its 2 values is an object"),
    ("<html>", .badInput, "found an HTML or XML page; expected records"),
    (#"[{"a":1},{"a":"#, .badInput, "the input ends inside record 2 (byte 14)"),
    ("", .noInput, "not one byte"),
  ])
  func `an input that teaches nothing is an error`(
    input: String, kind: ImportError.Kind, part: String
  ) throws {
    let error = #expect(throws: ImportError.self) {
      try PipelineInference(bytes: Array(input.utf8), named: "x.json")
    }
    #expect(error?.kind == kind)
    #expect(error?.message.contains(part) == true || part == "not one byte")
    #expect(error?.message.contains("in the store") == false)
  }
}
