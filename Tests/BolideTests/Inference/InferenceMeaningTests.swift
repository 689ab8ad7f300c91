import Testing

import Bolide

/// What `bolide init` reads out of values besides their types.
struct InferenceMeaningTests {
  @Test func `a number with its direction beside it becomes a signed one`() async throws {
    let feed = try InferenceRoundTrip(
      """
      {"fields":["date","lat","lat-dir","lon","lon-dir","alt"],"data":[
      ["2024-01-01 00:00:01","22.5","N","1","W","9"],["2024-01-02 00:00:02","3","S","2.5","E","8"],
      ["2024-01-03 00:00:03",null,null,null,null,null]]}
      """)
    #expect(
      feed.settings.drop { $0 != "attributes:" } == [
        "attributes:", "date:      { type: date, zone: UTC }", "lat:       { type: double, transient: true }",
        #"latDir:    { type: string, transient: true, from: lat-dir, one-of: ["N", S] }"#,
        "lon:       { type: double, transient: true }",
        "lonDir:    { type: string, transient: true, from: lon-dir, one-of: [E, W] }", "alt:       string",
        #"latitude:  { type: double, value: "CASE latDir WHEN 'N' THEN lat WHEN 'S' THEN -lat END" }"#,
        #"longitude: { type: double, value: "CASE lonDir WHEN 'E' THEN lon WHEN 'W' THEN -lon END" }"#,
        "check: [(lat IS NULL) = (latDir IS NULL), (lon IS NULL) = (lonDir IS NULL)]",
      ])
    #expect(try await feed.values(of: "latitude") == ["22.5", "-3.0", "null"])
    #expect(try await feed.values(of: "longitude") == ["-1.0", "2.5", "null"])
  }

  @Test func `a number with its direction behind it becomes a signed one`() async throws {
    let feed = try InferenceRoundTrip(
      #"[{"id":"a","lat":"22.0S","at":{"lon":"3W"}},{"id":"b","lat":"1.25N","at":{"lon":""}},{"id":"c","lat":null,"at":{"lon":"10.5E"}}]"#
    )
    #expect(try await feed.values(of: "latitude") == ["-22.0", "1.25", "null"])
    #expect(try await feed.values(of: "longitude") == ["-3.0", "null", "10.5"])
    #expect(feed.attribute("lat") == "{ type: string, transient: true }")
    #expect(feed.attribute("lon") == #"{ type: string, transient: true, from: at/lon, missing: [""] }"#)
  }

  @Test(arguments: [
    // Numbers that have a sign already, a direction of both axes, a letter that is none, no number beside it, two.
    #"[{"id":"a","lat":-1.5,"lat_dir":"N"},{"id":"b","lat":2,"lat_dir":"S"}]"#,
    #"[{"id":"a","lat":1.5,"lat_dir":"N"},{"id":"b","lat":2,"lat_dir":"W"}]"#,
    #"[{"id":"a","lat":1.5,"lat_dir":"N"},{"id":"b","lat":2,"lat_dir":"X"}]"#,
    #"[{"id":"a","speed":1.5,"wind_dir":"N"},{"id":"b","speed":2,"wind_dir":"S"}]"#,
    #"[{"id":"a","lat":"12.5S"},{"id":"b","lat":"1.5"}]"#,
    #"[{"id":"a","lat":"12.5S"},{"id":"b","lat":"xS"}]"#,
    #"[{"id":"a","code":"4S"},{"id":"b","code":"4E"}]"#,
  ]) func `what is no coordinate stays as it is`(input: String) async throws {
    let feed = try InferenceRoundTrip(input)
    #expect(!feed.text.contains("transient"))
    #expect(try await feed.imported() == (2, 2))
  }

  @Test func `a record whose coordinate lost its letter is rejected, not turned around`() throws {
    let feed = try InferenceRoundTrip(#"[{"id":"a","lat":"22.0S"},{"id":"b","lat":"1.25N"}]"#)
    let pipeline = try Pipeline(yaml: feed.text, file: "new.yaml", directory: "")
    let later = Array(#"[{"id":"a","lat":"22.0"},{"id":"b","lat":"9.5N"}]"#.utf8)
    let check = try FeedCheck(pipeline, bytes: later, named: "later")
    #expect(check.rejected == 1)
    #expect(check.firstRejects.first?.attribute == "latitude")
  }

  @Test func `numbers far from all others are proposed as missing`() throws {
    let feed = try InferenceRoundTrip(
      #"[{"id":"a","t":12.5,"n":3,"m":-9},{"id":"b","t":99999,"n":-9,"m":-4},{"id":"c","t":-40,"n":7,"m":9999},{"id":"d","t":99999,"n":9,"m":5000}]"#
    )
    #expect(feed.attribute("t") == "double")
    #expect(feed.text.contains("99999 in 2, far from the others; if that means missing:\n"))
    #expect(feed.text.contains(#/\n# t: +\{ type: double, missing: \["99999"\] }\n/#), "\(feed.text)")
    #expect(feed.text.contains(#"{ type: integer64, missing: ["-9"] }"#))
    // Negative ones among negative ones, and large ones among large ones, are values.
    #expect(!feed.text.contains("9999\"]") || !feed.text.contains("# m:"))
  }

  @Test func `lists of objects that differ within their record become rows of their own`() async throws {
    let feed = try InferenceRoundTrip(
      """
      [{"id": "a", "visits": [{"at": "2024-01-01", "who": {"name": "x"}}, {"at": "2024-01-02"}], "tags": ["t"]},
       {"id": "b", "visits": [{"at": "2024-01-01", "feed": 1, "who": {"link": "http://example.org/x?api_key=1"}}], "mixed": [1, {"a": 1}]}]
      """)
    let lines = feed.text.split(separator: "\n").drop { $0 != "children:" }
    #expect(
      Array(lines) == [
        "children:", "  visits:", "    entity: Visits              # each of the 3 objects in these lists",
        "    inverse: feedOwner", "    records: visits",
        "    key: [feedOwner, at]        # unique within each record, 3 objects", "    attributes:",
        "      at:      day",
        "      whoName: { type: string, from: who/name }  # missing in 2",
        "#     link:    { type: string, from: who/link }  # left out: its links carry the caller's access key; missing in 2",
        "      feed:    integer64                         # missing in 2",
      ], "\(feed.text)")
    #expect(feed.attribute("tags") == "json")
    #expect(try await feed.imported() == (2, 2))
  }

  @Test func `of two such lists each is another entity`() async throws {
    let feed = try InferenceRoundTrip(
      """
      [{"id": "a", "feed": [{"id": 1}, {"id": 2}], "b": {"Feed": [{"id": 1}]}}, {"id": "b", "feed": [{"id": 1}]}]
      """)
    #expect(feed.text.contains("\n    entity: FeedItem "), "\(feed.text)")
    #expect(feed.text.contains("\n    records: b/Feed\n"))
    #expect(try await feed.imported() == (2, 2))
  }

  @Test func `other lists of objects are told with what they hold`() async throws {
    let feed = try InferenceRoundTrip(
      """
      [{"id": "a", "visits": [{"at": "2024-01-01", "who": {"name": "x"}}, {"at": "2024-01-01"}], "tags": ["t"]},
       {"id": "b", "visits": [], "mixed": [1, {"a": 1}]}]
      """)
    #expect(feed.attribute("visits") == "json")
    let comment = feed.text.split(separator: "\n").drop { $0 != "#" }
    #expect(
      Array(comment) == [
        "#", "# visits holds lists, kept as JSON; the 2 objects in them have:", "#   at:      day",
        "#   whoName: { type: string, from: who/name }  # missing in 1",
      ])
    #expect(try await feed.imported() == (2, 2))
  }

  @Test func `other attributes that could be the key are named`() throws {
    let rows = (1...30).map { #"{"id": \#($0), "code": "c\#($0)", "n": \#($0 % 7)}"# }
    let feed = try InferenceRoundTrip("[\(rows.joined(separator: ","))]")
    #expect(feed.text.contains("\nkey: id                         # unique in all 30 records; so is code\n"))
  }
}
