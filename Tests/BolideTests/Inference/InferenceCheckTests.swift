import Testing

import Bolide

struct InferenceCheckTests {
  private let pipeline = """
    bolide: 1
    entity: Quake
    key: id
    attributes:
      id: string
      magnitude: double
      depth: { type: double, from: depth_km }
      strong: { type: boolean, value: "magnitude > 5" }
    check: magnitude >= 0
    """

  private func check(_ input: String, pipeline text: String? = nil) throws -> FeedCheck {
    let pipeline = try Pipeline(yaml: text ?? pipeline, file: "quakes.yaml", directory: "")
    return try FeedCheck(pipeline, bytes: Array(input.utf8), named: "quakes.json")
  }

  @Test func `what fits and what does not is said on one screen`() throws {
    let check = try check(
      #"[{"id":"a","magnitude":5.1,"felt":3,"tz":null},{"id":"b","magnitude":"weak"},"#
        + #"{"id":"a","magnitude":-1},{"id":"a","magnitude":2},{"magnitude":2,"net":"x"}]"#)
    #expect(
      check.text == """
        quakes.json: objects; 5 records
          3 of 5 records would be rejected:
            quakes.json:1:70: record 2: magnitude: expected a number such as 12.8
            quakes.json:1:78: record 3: the check does not hold: magnitude >= 0
            quakes.json:1:129: record 5: id is part of the key and is missing
          1 record has the key of an earlier one, and other values
          the last record of a key counts; if this is intended, set `repeated-key: last`
          never in the input: depth from depth_km
          not used by the pipeline: felt, tz, net
        """)
    #expect(check.rejected == 3)
  }

  @Test func `an input that fits is told in three lines`() throws {
    #expect(
      try check(#"[{"id":"a","magnitude":5.1,"depth_km":3}]"#).text == """
        quakes.json: objects; 1 record
          no record would be rejected
          no two records have the same key
        """)
  }

  @Test func `times without a zone are named, unless UTC is said`() throws {
    let text = pipeline + "\n  at: date\n  seen: { type: date, zone: UTC }\n  day: date\n  z: date\n"
    let dated = text.replacing("check: magnitude >= 0\n", with: "")
    let check = try check(
      #"[{"id":"a","at":"2026-05-12 03:14:07","seen":"2026-05-12 03:14","day":"2026-05-12","z":"2026-05-12T03:14Z"}]"#,
      pipeline: dated)
    #expect(check.localTimes == ["at"])
    #expect(check.text.hasSuffix("\n  times without a zone, read as UTC; if they are, say `zone: UTC`: at"))
  }

  @Test func `no more than ten rejected records are shown`() throws {
    let records = (1...2500).map { #"{"id":"\#($0)","magnitude":"weak"}"# }.joined(separator: "\n")
    let check = try check(records)
    #expect(check.read == 2500)
    #expect(check.rejected == 2500)
    #expect(check.firstRejects.map(\.record) == Array(1...10))
    #expect(check.text.contains("\n    … and 2,490 more\n"))
    #expect(!check.text.contains("comes twice"))
  }

  @Test func `an empty feed is fine`() throws {
    #expect(try check("[]").text.hasPrefix("quakes.json: objects; 0 records\n  nothing to import"))
  }

  @Test func `what would end an import ends the check, and nothing is said to be stored`() throws {
    for input in [#"[{"id":"a"},{"id""#, #"{"count":2,"data":[["a"]],"fields":["id"]}"#, #"{"error":"x"}"#] {
      let error = #expect(throws: ImportError.self) { try check(input) }
      #expect(error?.kind == .badInput)
      #expect(error?.message.contains("store") == false)
      #expect(error?.hint?.contains("in the store") != true)
    }
    let error = #expect(throws: ImportError.self) { try check(#"{"data":[["a"]],"fields":["name"]}"#) }
    #expect(error?.code == "key-missing")
  }

  @Test func `a shipped pipeline's links and checks run without a store`() throws {
    let text = """
      bolide: 1
      entity: Fireball
      key: date
      attributes:
        date: date
        energy: double
      link:
        group: { to: { year: "strftime('%Y', date)" } }
      entities:
        Group:
          key: year
          attributes:
            year: integer16
          relationships:
            fireballs: { to-many: Fireball, inverse: group, on-delete: nullify }
      """
    let check = try check(
      #"{"fields":["date","energy","vel"],"data":[["2020-01-01 00:00:00","1",null]]}"#, pipeline: text)
    #expect(check.rejected == 0)
    #expect(check.unusedKeys == ["vel"])
  }
}
