import Testing

import Bolide
@testable import FeedInference

struct InferenceNameTests {
  @Test(arguments: [
    (["lat-dir"], "latDir"), (["depth_km"], "depthKm"), (["ID"], "id"), (["USGS_ID"], "usgsId"),
    (["impact-e"], "impactE"), (["isSentryObject"], "isSentryObject"), (["@id"], "id"),
    (["2020"], "value2020"),
    (["%%"], "value"), (["bolide_id"], "bolideId"), (["rowid"], "rowidValue"), (["größe (cm)"], "größeCm"),
    (["a", "b c"], "bC"), (["xmin"], "xminValue"), (["ctid"], "ctidValue"),
    ([String(repeating: "é", count: 70)], String(repeating: "é", count: 28)),
  ])
  func `a name is the last key in camel case`(keys: [String], name: String) {
    #expect(AttributeNames.names(for: [keys]) == [name])
  }

  @Test func `names that would be alike get keys from before`() {
    let paths = [["id"], ["properties", "id"], ["geometry", "ID"], ["a", "x", "min"], ["b", "x", "min"]]
    #expect(AttributeNames.names(for: paths) == ["id", "propertiesId", "geometryId", "aXMin", "bXMin"])
  }

  @Test func `a name that says nothing gets the key before it, unless that only holds the fields`() {
    let paths = [
      ["customer", "id"], ["http", "request", "bytes"], ["properties", "type"], ["a", "0", "name"],
    ]
    #expect(AttributeNames.names(for: paths) == ["customerId", "requestBytes", "type", "name"])
  }

  @Test func `names that stay alike are numbered`() {
    let names = AttributeNames.names(for: [["a-b"], ["aB"], ["A B"], ["aB2"]])
    #expect(names == ["aB", "aB3", "aB4", "aB2"])
  }

  @Test(arguments: [
    ("cneos-fireball-2026-05.json.gz", "CneosFireball", "cneos-fireball"),
    ("dir/neows_feed_2026-02.json", "NeowsFeed", "neows-feed"),
    ("2026-05.json", "Record", "record"), ("sqlite.json", "SqliteRecord", "sqlite"),
    ("close approaches.NDJSON", "CloseApproaches", "close-approaches"), ("json", "Json", "json"),
    ("x", "X", "x"), ("cities500.json", "Cities500", "cities500"),
    ("y77d-th95.json", "Y77dTh95", "y77d-th95"),
    ("api_v1.2_full_2026-05_pretty.json", "ApiV12FullPretty", "api-v1-2-full-pretty"),
    ("full_20250409T224035Z.json", "Full", "full"), ("20220607T235216Z.jsonl", "Record", "record"),
    ("7zip.json", "Record7zip", "7zip"), ("part-2.json", "Part2", "part-2"),
  ])
  func `the entity is named by the file`(file: String, entity: String, pipeline: String) {
    let name = FeedName(inputs: [file])
    #expect(name.entity == entity)
    #expect(name.pipeline == pipeline)
  }

  @Test func `an input without a name has records`() {
    #expect(FeedName(inputs: []).entity == "Record")
  }

  @Test func `any key can be read from`() async throws {
    let keys = [
      "no", "on", "12", "a: b", "it's", #"q\"uo"#, #"back\\slash"#, "x/y", "til~de", "#c", "- d", "{e}",
      "[f]",
      "*g", "&h", "!i", "%j", "|k", ">l", "@m", "`n", "é", "日本", "😀", "tab\\tin", "line\\nbreak",
      "nul\\u0000",
      "bom\\ufeff", "\\ufeffISO", "\\ufeff", "<key>", "<<", "~", "null", "=", ",", "?", "a b", " lead",
      "trail ", "\\u2028", "a", "A",
      "\\u00e4", "true", "0x1f", "1e3", ".5", "2020-01-01",
    ]
    let members = keys.map { #""\#($0)":"v""# }.joined(separator: ",")
    let feed = try InferenceRoundTrip(#"[{"id":1,\#(members)},{"id":2}]"#)
    let attributes = feed.settings.drop { $0 != "attributes:" }.dropFirst()
    #expect(attributes.count == keys.count + 1)
    #expect(try await feed.imported() == (2, 2))
  }

  @Test func `a key that no path can name is left out`() async throws {
    let feed = try InferenceRoundTrip(#"[{"id":1,"":2,"\ud83d":3}]"#)
    #expect(feed.text.contains("# A value under an empty or broken key is left out.\n"))
    #expect(try await feed.imported() == (1, 1))
  }

  @Test func `deep objects, maps and objects with many keys stay whole`() async throws {
    let wide = (1...80).map { #""k\#($0)":1"# }.joined(separator: ",")
    let feed = try InferenceRoundTrip(
      #"[{"id":1,"a":{"b":{"c":{"d":{"e":1}}}},"days":{"2020-01-01":1},"wide":{\#(wide)}}]"#)
    #expect(feed.attribute("d") == "{ type: json, from: a/b/c/d }")
    #expect(feed.attribute("days") == "json")
    #expect(feed.attribute("wide") == "json")
    #expect(try await feed.imported() == (1, 1))
  }

  @Test func `more attributes than are told apart by eye stay in their objects`() async throws {
    let objects = (1...10).map { object in
      #""o\#(object)":{\#((1...30).map { #""k\#($0)":1"# }.joined(separator: ","))}"#
    }
    let feed = try InferenceRoundTrip(#"[{"id":1,\#(objects.joined(separator: ","))}]"#)
    #expect(feed.settings.drop { $0 != "attributes:" }.count - 1 <= 200)
    #expect(try await feed.imported() == (1, 1))
  }
}
