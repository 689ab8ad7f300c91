import Testing

import Bolide

/// Whole pipeline files, as `bolide init` prints them.
struct InferenceTextTests {
  @Test func `a columnar feed`() async throws {
    let feed = try InferenceRoundTrip(
      """
      {"signature":{"source":"made up"},"count":"3","fields":["date","impact-e","alt","lat","lat-dir"],"data":[
      ["2024-01-01 00:00:01",".19","35.0","1.5","N"],
      ["2024-01-02 00:00:02","0.2",null,null,null],
      ["2024-01-03 00:00:03","5.3E-9","40.1","2.5","S"]]}
      """, named: "fireballs-2024-01.json.gz")
    #expect(
      feed.text == """
        # From fireballs-2024-01.json.gz: 3 records; rows under data, named by fields.
        # A draft from what this one input shows: look at the key, the types and the names.
        bolide: 1
        name: fireballs
        store: fireballs.sqlite
        entity: Fireballs
        shape: columnar
        key: date                       # unique in all 3 records
        attributes:
          date:     { type: date, zone: UTC }
          impactE:  { type: double, from: impact-e }
          alt:      double                                                            # missing in 1
          lat:      { type: double, transient: true }                                 # missing in 1
          latDir:   { type: string, transient: true, from: lat-dir, one-of: ["N", S] }  # missing in 1
          latitude: { type: double, value: "CASE latDir WHEN 'N' THEN lat WHEN 'S' THEN -lat END" }
        check: [(lat IS NULL) = (latDir IS NULL)]

        """)
    #expect(try await feed.imported() == (3, 3))
  }

  @Test func `an array of objects with objects and arrays in them`() async throws {
    let feed = try InferenceRoundTrip(
      """
      [{"id": 7, "size": {"km": {"min": 1.5, "max": 2}, "miles": {"min": 0.9, "max": 1.2}}, "tags": ["a"]},
       {"id": 8, "size": {"km": {"min": 1, "max": 3}}, "tags": [], "ok": true}]
      """, named: "asteroids.json")
    #expect(
      feed.text == """
        # From asteroids.json: 2 records; objects.
        # A draft from what this one input shows: look at the key, the types and the names.
        bolide: 1
        name: asteroids
        store: asteroids.sqlite
        entity: Asteroids
        key: id                         # unique in all 2 records
        attributes:
          id:       integer64
          kmMin:    { type: double, from: size/km/min }
          kmMax:    { type: integer64, from: size/km/max }
          milesMin: { type: double, from: size/miles/min }  # missing in 1
          milesMax: { type: double, from: size/miles/max }  # missing in 1
          tags:     json
          ok:       boolean                                 # missing in 1

        """)
    #expect(try await feed.imported() == (2, 2))
  }

  @Test func `one object a line`() async throws {
    let feed = try InferenceRoundTrip(
      "{\"code\":\"007\",\"at\":\"11/21/2009 08:53:00 PM\",\"n\":\"\"}\r\n"
        + "{\"code\":\"008\",\"at\":\"11/02/2009 08:53:00 AM\",\"n\":\"12\"}", named: "log.jsonl")
    #expect(
      feed.text == """
        # From log.jsonl: 2 records; one object a line, or concatenated.
        # A draft from what this one input shows: look at the key, the types and the names.
        bolide: 1
        name: log
        store: log.sqlite
        entity: Log
        shape: lines
        key: code                       # unique in all 2 records
        attributes:
          code: string                                          # leading noughts: kept as text
          at:   { type: date, format: month-first, zone: UTC }
          "n":  string                                          # text because of "" in 1; if that means missing:
        # "n":  { type: integer64, missing: [""] }

        """)
    #expect(try await feed.imported() == (2, 2))
  }

  @Test func `GeoJSON`() async throws {
    let feed = try InferenceRoundTrip(
      """
      {"type": "FeatureCollection", "metadata": {"count": 2}, "features": [
        {"type": "Feature", "id": "a1", "properties": {"mag": 4.5, "time": 1700000000123, "type": "quake"},
         "geometry": {"type": "Point", "coordinates": [1, 2]}},
        {"type": "Feature", "id": "a2", "properties": {"mag": null, "time": 1700000100000, "type": "quake"},
         "geometry": null}]}
      """, named: "quakes.geojson")
    #expect(
      feed.text
        == """
        # From quakes.geojson: 2 records; objects under features.
        # A draft from what this one input shows: look at the key, the types and the names.
        bolide: 1
        name: quakes
        store: quakes.sqlite
        entity: Quakes
        records: features
        key: id                         # unique in all 2 records
        attributes:
          type:           string
          id:             string
          mag:            { type: double, from: properties/mag }                      # missing in 1
          time:           { type: date, from: properties/time, epoch: milliseconds, precision: ms }\
          # numbers, taken as milliseconds since 1970
          propertiesType: { type: string, from: properties/type }
          geometryType:   { type: string, from: geometry/type }                       # missing in 1
          coordinates:    { type: json, from: geometry/coordinates }                  # missing in 1

        """.replacing("\\\n          #", with: "  #"))
    #expect(try await feed.imported() == (2, 2))
  }

  @Test func `a map keyed by date`() async throws {
    let feed = try InferenceRoundTrip(
      """
      {"element_count": 3, "objects": {"2026-02-20": [{"ref": "12", "name": "a"}, {"ref": "13", "name": "b"}],
       "2026-02-21": [{"ref": "12", "name": "a"}]}}
      """, named: "feed_2026-02.json")
    #expect(
      feed.text == """
        # From feed_2026-02.json: 3 records; objects under objects/<day>.
        # A draft from what this one input shows: look at the key, the types and the names.
        bolide: 1
        name: feed
        store: feed.sqlite
        entity: Feed
        records: objects/<day>
        key: [day, ref]                 # unique in all 3 records
        attributes:
          day:  { type: day, from: <day> }
          ref:  string                      # digits in texts, kept as they are; if they are numbers:
        # ref:  integer64
          name: string

        """)
    #expect(try await feed.imported() == (3, 3))
  }

  @Test func `rows whose names are the first of them`() async throws {
    let feed = try InferenceRoundTrip(
      #"[["station", "day", "hPa"], ["X1", "2024-01-01", 1013.2], ["X2", "2024-01-01", 998]]"#)
    #expect(
      feed.text == """
        # From feed.json: 2 records; rows, named by the first of them.
        # A draft from what this one input shows: look at the key, the types and the names.
        bolide: 1
        name: feed
        store: feed.sqlite
        entity: Feed
        key: station                    # unique in all 2 records
        attributes:
          station: string
          day:     day
          hPa:     double

        """)
    #expect(try await feed.imported() == (2, 2))
  }
}
