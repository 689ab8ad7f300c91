import Testing

import Bolide

/// Arrays that are the coordinates of points, in `bolide init`.
struct InferencePointTests {
  private static func records(_ members: [String]) -> String {
    let records = members.enumerated().map { #"{"id":\#($0),\#($1)}"# }
    return "[\(records.joined(separator: ","))]"
  }

  @Test func `a GeoJSON feed gets a column for each coordinate`() async throws {
    let features = [("[-116.7,33.5,10.2]", 2.5), ("[179.5,-89.25]", 3), ("[2,48.5,null]", 4)].map {
      #"{"type":"Feature","id":"q\#($1)","properties":{"mag":\#($1)},"geometry":{"type":"Point","coordinates":\#($0)}}"#
    }
    let feed = try InferenceRoundTrip(
      #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#,
      named: "quakes.geojson")
    #expect(
      feed.text == """
        # From quakes.geojson: 3 records; objects under features.
        # A draft from what this one input shows: look at the key, the types and the names.
        bolide: 1
        name: quakes
        store: quakes.sqlite
        entity: Quakes
        records: features
        key: id                         # unique in all 3 records
        attributes:
          type:          string
          id:            string
          mag:           { type: double, from: properties/mag }
          geometryType:  { type: string, from: geometry/type }
          longitude:     { type: double, from: geometry/coordinates/0 }
          latitude:      { type: double, from: geometry/coordinates/1 }
          heightOrDepth: { type: double, from: geometry/coordinates/2 }  # the third coordinate: name it by what it is; missing in 2

        """)
    #expect(try await feed.values(of: "longitude") == ["-116.7", "179.5", "2.0"])
    #expect(try await feed.values(of: "latitude") == ["33.5", "-89.25", "48.5"])
    #expect(try await feed.values(of: "heightOrDepth") == ["10.2", "null", "null"])
  }

  @Test(arguments: [
    (["start_latlng", "[48.5,2]", "[-1,179.5]"], "latitude first, as the name says"),
    (["latLon", "[48.5,2]", "[-1,17]"], "latitude first, as the name says"),
    (["lnglat", "[2,48.5]", "[17,-1]"], "longitude first, as the name says"),
    (["position", "[48.5,2]", "[-1,179.5]"], "latitude first: the second goes beyond 90"),
    (["location", "[-179.5,3,100]", "[1,2.5,90]"], "longitude first: it goes beyond 90"),
  ])
  func `an array by itself is in the order that is said or shown`(
    field: [String], note: String
  ) async throws {
    let feed = try InferenceRoundTrip(Self.records(field.dropFirst().map { #""\#(field[0])":\#($0)"# }))
    let isLatitudeFirst = note.hasPrefix("latitude")
    let (latitude, longitude) = isLatitudeFirst ? (0, 1) : (1, 0)
    #expect(feed.attribute("latitude") == "{ type: double, from: \(field[0])/\(latitude) }", "\(feed.text)")
    #expect(feed.attribute("longitude") == "{ type: double, from: \(field[0])/\(longitude) }", "\(feed.text)")
    #expect(feed.text.contains("# \(note)\n"), "\(feed.text)")
    #expect(try await feed.imported() == (2, 2))
  }

  @Test func `one whose order nothing tells stays whole, and says so`() async throws {
    let feed = try InferenceRoundTrip(Self.records([#""location":[48.85,2.35]"#, #""location":[1,2.5]"#]))
    #expect(feed.attribute("location") == "json")
    #expect(
      feed.text.contains(
        "# kept whole: a place, perhaps, but nothing tells whether latitude or longitude is first\n"),
      "\(feed.text)")
    #expect(try await feed.imported() == (2, 2))
  }

  @Test(arguments: [
    // Not every one is a point, or on Earth, or in (nearly) every record.
    [
      #""g":{"type":"Point","coordinates":[1.5,2]}"#,
      #""g":{"type":"LineString","coordinates":[[1.5,2],[2,3]]}"#,
    ],
    [#""g":{"type":"Point","coordinates":[1.5,2]}"#, #""g":{"type":"Point","coordinates":[]}"#],
    [#""g":{"type":"Point","coordinates":[1.5,2]}"#, #""g":{"type":"Point","coordinates":[1.5,"2"]}"#],
    [#""g":{"type":"Point","coordinates":[1.5,2]}"#, #""g":{"type":"Point","coordinates":[1.5,2,3,4]}"#],
    [#""g":{"type":"Point","coordinates":[1.5,2]}"#, #""g":{"type":"Point","coordinates":[1.5,null]}"#],
    [#""g":{"type":"Point","coordinates":[1.5,2]}"#, #""g":null"#],
    [#""location":[1.5,2]"#, #""location":null"#], [#""location":[1.5,2]"#, #""location":"here""#],
    [#""location":[1.5,200]"#, #""location":[1.5,2]"#], [#""location":[95.5,2]"#, #""location":[1.5,95]"#],
    // Places on a board, and arrays of another name.
    [#""position":[1,2]"#, #""position":[3,4]"#], [#""range":[1.5,2]"#, #""range":[3,4]"#],
  ])
  func `other arrays stay whole`(members: [String]) async throws {
    let feed = try InferenceRoundTrip(Self.records(members))
    #expect(!feed.text.contains("ongitude"), "\(feed.text)")
    #expect(feed.settings.contains { $0.contains("json") }, "\(feed.text)")
    #expect(try await feed.imported() == (2, 2))
  }

  @Test(arguments: [
    (#""latlng":[2.5,48]"#, #""latlng":[95,1]"#, "latlng"),
    (
      #""g":{"type":"Point","coordinates":[1.5,2]}"#, #""g":{"type":"Point","coordinates":[500000.5,2]}"#,
      "coordinates"
    ),
  ])
  func `what says that it is a place, and is none on Earth, is told`(
    first: String, second: String, name: String
  ) throws {
    let feed = try InferenceRoundTrip(Self.records([first, second]))
    #expect(feed.text.contains("  # kept whole: not all are a longitude and a latitude\n"), "\(feed.text)")
    #expect(feed.attribute(name)?.contains("json") == true)
  }

  @Test func `a name that is taken is told apart, and rows and children have points too`() async throws {
    let named = try InferenceRoundTrip(
      Self.records([#""longitude":"1°","from_lnglat":[1.5,2],"to_lnglat":[2.5,3]"#]))
    #expect(named.attribute("longitude") == "string")
    #expect(
      named.attribute("fromLnglatLongitude") == "{ type: double, from: from_lnglat/0 }", "\(named.text)")
    #expect(named.attribute("toLnglatLatitude") == "{ type: double, from: to_lnglat/1 }", "\(named.text)")
    let rows = try InferenceRoundTrip(#"{"fields":["id","lnglat"],"data":[["a",[1.5,2]],["b",[-1.5,2]]]}"#)
    #expect(try await rows.values(of: "longitude") == ["1.5", "-1.5"])
    let children = try InferenceRoundTrip(
      Self.records([
        #""stops":[{"no":1,"coordinates":{"type":"Point","coordinates":[1.5,2]}},{"no":2}]"#,
        #""stops":[{"no":1,"latlng":[2.5,3]},{"no":2,"latlng":[2.5,4]},{"no":3,"latlng":[1,1]}]"#,
      ]))
    #expect(!children.text.contains("ongitude"), "\(children.text)")
    #expect(children.text.contains("      latlng:          json "), "\(children.text)")
    let stops = try InferenceRoundTrip(
      Self.records([#""stops":[{"no":1,"latlng":[2.5,3]},{"no":2,"latlng":[2.5,4]}]"#]))
    #expect(stops.text.contains("      latitude:  { type: double, from: latlng/0 }"), "\(stops.text)")
    #expect(try await stops.imported() == (1, 1))
  }

  @Test func `any points are stored as they come`() async throws {
    var random = SystemRandomNumberGenerator()
    for _ in 1...12 {
      let isLatitudeFirst = Bool.random(using: &random)
      let points = (0..<Int.random(in: 10...60, using: &random)).map {
        _ -> (x: Double, y: Double, z: Double?) in
        let third = Bool.random(using: &random) ? Double.random(in: -1e6...1e6, using: &random) : nil
        return (.random(in: -180...180, using: &random), .random(in: -90...90, using: &random), third)
      }
      // One in ten may have none.
      let gap = Bool.random(using: &random) ? points.count / 2 : nil
      let feed = try InferenceRoundTrip(
        Self.records(
          points.enumerated().map { index, point in
            if index == gap { return #""latlng":null,"geometry":null"# }
            let numbers = isLatitudeFirst ? [point.y, point.x] : [point.x, point.y]
            let list = (numbers + [point.z].compactMap { $0 }).map { "\($0)" }.joined(separator: ",")
            return isLatitudeFirst
              ? #""latlng":[\#(list)]"# : #""geometry":{"type":"Point","coordinates":[\#(list)]}"#
          }))
      let expected = points.enumerated().map { $0 == gap ? [nil, nil, nil] : [$1.x, $1.y, $1.z] }
      let hasThird = expected.contains { $0[2] != nil }
      let columns = ["longitude", "latitude"] + (hasThird ? ["heightOrDepth"] : [])
      for (place, column) in columns.enumerated() {
        #expect(try await feed.numbers(of: column) == expected.map { $0[place] }, "\(points)")
      }
    }
  }
}
