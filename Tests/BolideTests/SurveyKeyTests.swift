import Testing

@testable import Bolide

struct SurveyKeyTests {
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
    #expect(try SurveyRoundTrip(input).settings.contains(key))
  }

  @Test func `equal instants in two spellings are one key`() throws {
    let feed = try SurveyRoundTrip(
      #"[{"date":"2020-01-01 00:00","v":"a"},{"date":"2020-01-01T00:00:00Z","v":"b"}]"#)
    #expect(feed.settings.contains("key: v"))
  }

  @Test func `where nothing is unique the file says so`() async throws {
    let feed = try SurveyRoundTrip(#"[{"s":"a","v":1.5},{"s":"a","v":1.5},{"s":"b","v":2.5}]"#)
    #expect(
      feed.text.contains(
        "key: s                          # not unique: 1 record has the key of an earlier one, out of 3; "
          + "the last one counts\n"))
    #expect(try await feed.imported() == (2, 3))
  }

  @Test func `records without any common attribute still give a pipeline`() throws {
    let text = try FeedSurvey(bytes: Array(#"[{"a":1},{"b":"x"},{"b":"y"}]"#.utf8), named: "x.json")
      .pipelineText
    #expect(text.contains("# no attribute is in every record: those without this one are refused\n"))
    let pipeline = try Pipeline(yaml: text, file: "x.yaml", directory: "")
    #expect(pipeline.model.entity(named: "X")?.key == ["b"])
  }

  @Test func `keys are counted in bounded memory, by a fair sample`() {
    var counter = KeyCounter()
    for number in 0..<100_000 { counter.take(Self.mixed(number), limit: 1000) }
    #expect(counter.share >= 64)
    #expect(counter.looked < 5000)
    #expect(counter.repeats == 0)
    for number in 0..<100_000 { counter.take(Self.mixed(number), limit: 1000) }
    #expect(counter.repeats > 500)
  }

  /// Numbers spread over all bits, as hashes are.
  private static func mixed(_ number: Int) -> Int {
    Int(truncatingIfNeeded: (UInt64(number) &* 0x9e37_79b9_7f4a_7c15) >> 20)
  }
}
