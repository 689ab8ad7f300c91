import Testing

import Bolide

struct InferenceTypeTests {
  @Test(arguments: [
    (["true", "false"], "boolean"),
    ([#""TRUE""#, #""False""#], "boolean"),
    (["1", "0"], "integer64"),
    ([#""12""#, #""+7""#, "-3"], "string"),
    (["9223372036854775807", "1"], "integer64"),
    (["9223372036854775808", "1"], "string"),
    (["9007199254740993", "0.5"], "string"),
    (["1", "2.5", #"".19""#, #""5.3E-9""#, #""+12.8""#, #""35.""#], "double"),
    ([#""8.0""#, #""9.0""#], "double"),
    ([#""007""#, #""123""#], "string"),
    ([#""0""#, #""0.5""#], "double"),
    ([#""1e999""#, #""1""#], "string"),
    ([#""2020-Jan-01 00:54""#, #""2024-05-01T00:48Z""#], "{ type: date, zone: UTC }"),
    ([#""2020-Jan-01 00:54 UT""#, #""2024-05-01T00:48Z""#], "date"),
    ([#""2025-04-02 18:55 UT""#, #""2015-1-3""#], "date"),
    ([#""2015-1-3""#, #""0861-02-03""#], "day"),
    ([#""2015-1-3""#, #""2015-02-30""#], "string"),
    ([#""11\/21\/2009""#, #""01\/02\/2009""#], "{ type: day, format: month-first }"),
    ([#""21.11.2009 10:00""#, #""01.02.2009 11:00""#], "{ type: date, format: day-first, zone: UTC }"),
    ([#""01/02/2009""#, #""03/04/2009""#], "string"),
    (
      [#""2020-01-01 00:00:00.00025""#, #""2020-01-01 00:00:01""#], "{ type: date, precision: us, zone: UTC }"
    ),
    ([#""2020-01-01 00:00:00.25""#, #""2020-01-01 00:00:01""#], "{ type: date, precision: ms, zone: UTC }"),
    ([#""Tue, 24 Nov 2026 16:45:00 GMT""#, #""25 Nov 2026 16:45 +0200""#], "date"),
    ([#""24 Nov 2026 16:45""#, #""Nov 25, 2026 04:45 PM""#], "{ type: date, zone: UTC }"),
    ([#""31 Dec 2025""#, #""Sep 27, 2025""#, #""27-Sep-2025""#], "day"),
    ([#""\/Date(1764000000000)\/""#, #""\/Date(1764000001000+0100)\/""#], "date"),
    ([#""\/Date(1764000000001)\/""#], "{ type: date, precision: ms }"),
    ([#""20251231T235959Z""#, #""20251231T2359Z""#], "date"),
    ([#""2026-W48-2""#, #""2026W483""#], "day"),
    ([#""2026-328""#, #""2026-001""#], "string"), ([#""2026328""#, #""0101001""#], "string"),
    ([#""20251231""#, #""20260101""#], "string"), (["20251231", "20260101"], "integer64"),
    ([#""may""#, #""june""#], "string"),
    ([#""123e4567-e89b-12d3-a456-426614174000""#], "uuid"),
    ([#""d41d8cd98f00b204e9800998ecf8427e""#], "string"),
    (["[1]", #"{"a":{"b":1}}"#], "json"),
    (["[1]", "1", #""x""#], "json"),
    (["true", #""x""#], "json"),
    (["null", "null"], "string"),
    ([#""12""#, "null"], "string"),
    ([#""half of a pair \ud83d and more""#, "1"], "integer64"),
  ])
  func `the type is one that every value converts to`(values: [String], type: String) async throws {
    let isRefused = values.contains { $0.contains("ud83d") }
    let records = values.enumerated().map { #"{"id":"r\#($0)","v":\#($1)}"# }.joined(separator: ",")
    let input = Array("[\(records)]".utf8)
    let text = try PipelineInference(bytes: input, named: "x.json").pipelineText
    let line = text.split(separator: "\n").first { $0.hasPrefix("  v:") } ?? ""
    #expect(line == "  v:  \(type)" || line.hasPrefix("  v:  \(type)  #") || line.hasPrefix("  v:  \(type) "))
    guard !isRefused else { return }
    let feed = try InferenceRoundTrip("[\(records)]")
    #expect(try await feed.imported() == (values.count, values.count))
  }

  @Test(arguments: [
    ("updated", ["1700000000", "1600000000"], "{ type: date, epoch: seconds }"),
    ("createdAt", ["1700000000000", "1600000000000"], "{ type: date, epoch: milliseconds }"),
    ("time", ["1700000000001", "1600000000000"], "{ type: date, epoch: milliseconds, precision: ms }"),
    ("views", ["1700000000", "1600000000"], "integer64"),
    ("time", ["12", "1600000000"], "integer64"),
    ("reportDate", ["20251231", "19000101", "21001231"], "day"),
    ("day", [#""20251231""#, #""20260101""#], "day"), ("on", [#""2026-328""#, #""2026-001""#], "day"),
    ("reportDate", ["20251231", "20251301"], "integer64"),
    ("reportDate", ["20251231", "18991231"], "integer64"),
    ("dateZone", ["20251231"], "integer64"), ("views", ["20251231"], "integer64"),
  ])
  func `whole numbers are dates only by name and size`(name: String, values: [String], type: String) throws {
    let records = values.map { #"{"\#(name)":\#($0)}"# }.joined(separator: ",")
    #expect(try InferenceRoundTrip("[\(records)]").attribute(name) == type)
  }

  @Test func `days that could be codes are proposed, not taken`() async throws {
    let feed = try InferenceRoundTrip(
      #"[{"id":1,"a":20251231,"b":"20251231","c":"2026-328"},"#
        + #"{"id":2,"a":20260101,"b":"20260102","c":"2026-329"}]"#)
    #expect(["a", "b", "c"].map { feed.attribute($0) } == ["integer64", "string", "string"])
    let note = "could be days such as 20251231 or 2025-365, or codes; if they are days:"
    for name in ["a", "b", "c"] {
      #expect(feed.text.contains("\(note)\n# \(name):"), "\(feed.text)")
      #expect(feed.text.contains(" day\n"))
    }
  }

  @Test func `digits in texts stay texts, so that no two spellings become one`() async throws {
    let feed = try InferenceRoundTrip(#"[{"id":"101","zip":"20850","n":1},{"id":"102","zip":"20851","n":2}]"#)
    #expect(
      feed.attribute("id") == "string" && feed.attribute("zip") == "string"
        && feed.attribute("n") == "integer64")
    #expect(
      feed.text.contains("digits in texts, kept as they are; if they are numbers:\n# zip: integer64\n"),
      "\(feed.text)")
    let later = Array(#"[{"id":"7","zip":"00501"},{"id":"007","zip":"501"},{"id":"7.0","zip":"0501"}]"#.utf8)
    let pipeline = try Pipeline(yaml: feed.text, file: "new.yaml", directory: "")
    let check = try FeedCheck(pipeline, bytes: later, named: "later")
    #expect(check.read == 3 && check.rejected == 0 && check.repeatedKeys == 0 && check.copies == 0)
  }

  @Test func `spellings of missing are proposed, not taken`() async throws {
    let feed = try InferenceRoundTrip(
      #"[{"id":1,"v":"NA","d":"-"},{"id":2,"v":"1.5","d":"2020-01-01"},{"id":3,"v":"","d":"99999"},"#
        + #"{"id":4,"v":"99999","d":"2020-01-02"}]"#)
    #expect(feed.attribute("v") == "string")
    #expect(
      feed.text.contains(
        """
          v:  string     # text because of "NA" in 1, "" in 1; if that means missing:
        # v:  { type: double, missing: [NA, ""] }
          d:  string     # text because of "-" in 1, "99999" in 1; if that means missing:
        # d:  { type: day, missing: ["-", "99999"] }
        """))
    #expect(try await feed.imported() == (4, 4))
    let taken = feed.text.replacing("  v:  string  ", with: "# ").replacing("# v:  {", with: "  v:  {")
    let pipeline = try Pipeline(yaml: taken, file: "x.yaml", directory: "")
    #expect(pipeline.fields.first { $0.attribute == "v" }?.missing == ["NA", ""])
  }

  @Test func `links with the caller's access key are left out`() throws {
    let feed = try InferenceRoundTrip(#"[{"id":1,"link":"http://example.com/x?api_key=abc"}]"#)
    #expect(feed.attribute("link") == nil)
    #expect(feed.text.contains("# link: string"))
    #expect(feed.text.contains("left out: its links carry the caller's access key"))
    #expect(!feed.text.contains("abc"))
  }

  @Test func `a column of several kinds says so`() throws {
    let feed = try InferenceRoundTrip(#"[{"id":1,"v":"JPL 3"},{"id":2,"v":"18"},{"id":3,"v":4}]"#)
    #expect(feed.text.contains("# mixed: 2 of 3 are numbers\n"))
  }
}
