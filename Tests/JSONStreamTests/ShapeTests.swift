import JSONStream
import Testing

@Suite struct ShapeTests {
  /// The requested fields as each record has them, `-` where it has not.
  private func rows(_ text: String, _ fields: [String], _ shape: RecordShape = .automatic) -> [String] {
    let reading = Reading(text, fields: fields, shape: shape)
    #expect(reading.error == nil)
    return reading.records.map { record in
      record.fields.map { $0.kind == .absent ? "-" : $0.kind == .null ? "null" : $0.text }.joined(
        separator: " ")
    }
  }

  @Test func `columns are found by their names, in whatever order they stand`() {
    let text = #"{"count":"2","fields":["vel","date","alt"],"data":[["1","a",null],["2","b","3"]]}"#
    #expect(rows(text, ["date", "alt", "vel", "lat"]) == ["a null 1 -", "b 3 2 -"])
    #expect(Reading(text, fields: ["date"]).envelope?.count == 2)
    #expect(Reading(text, fields: ["date"]).shape == "rows under data, named by fields or meta/view/columns")
  }

  @Test func `rows before their names are handed back and read again`() {
    let text = #"{"count":2,"data":[["1","a"],["2","b"]],"fields":["vel","date"]}"#
    let reading = Reading(text, fields: ["date", "vel"])
    #expect(reading.rowsCameFirst)
    #expect(reading.texts == [["a", "1"], ["b", "2"]])
    #expect(reading.records.map(\.position.byte) == [19, 29])
    #expect(reading.records.map(\.number) == [1, 2])
  }

  @Test func `the first reader still finds what is wrong behind the rows`() {
    let reading = Reading(#"{"data":[["1"]],"fields":["date"]]"#, fields: ["date"])
    #expect(reading.error?.code == .expectedCommaOrBrace)
    #expect(reading.records.isEmpty)
  }

  @Test func `an answer without rows can be told from an error`() {
    let empty = Reading(#"{"signature":{"v":"1"},"count":"0"}"#, fields: ["date"])
    #expect(empty.error == nil && empty.envelope?.count == 0 && empty.envelope?.hasRows == false)
    let failed = Reading(#"{"code":"400","message":"no such field"}"#, fields: ["date"])
    #expect(failed.error == nil && failed.envelope?.count == nil && failed.envelope?.hasRows == false)
    #expect(failed.envelope?.keys == ["code", "message"])
    let list = Reading("[]", fields: ["date"])
    #expect(list.error == nil && list.envelope?.hasRows == true && list.records.isEmpty)
  }

  @Test func `the array with the requested fields is the table`() {
    let text = #"{"links":[{"rel":"x"}],"photos":[{"id":1,"sol":2}],"cameras":[{"id":7}]}"#
    #expect(rows(text, ["id", "sol"]) == ["1 2"])
    #expect(rows(text, ["id"], .array(path: "cameras")) == ["7"])
  }

  @Test func `equally good arrays are named, not guessed at`() {
    let error = Reading(#"{"a":[{"id":1}],"b":{"c":[{"id":2}]}}"#, fields: ["id"]).error
    #expect(error?.code == .ambiguousRecords)
    #expect(error?.candidates == ["a", "b/c"])
  }

  @Test func `maps keyed by date or id give their key`() {
    let days = #"{"near":{"2026-02-20":[{"id":"1"},{"id":"2"}],"2026-02-21":[{"id":"3"}]}}"#
    #expect(rows(days, ["id", "<day>"]) == ["1 2026-02-20", "2 2026-02-20", "3 2026-02-21"])
    let ids = #"{"objects":{"433":{"name":"Eros"},"99942":{"name":"Apophis"}}}"#
    #expect(rows(ids, ["name", "<id>"]) == ["Eros 433", "Apophis 99942"])
    #expect(rows(ids, ["<id>", "name"], .array(path: "objects/<id>")) == ["433 Eros", "99942 Apophis"])
  }

  @Test func `two wildcards on one way both give their keys`() {
    let text = #"{"2026":{"jan":[{"x":1}],"feb":[{"x":2}]},"2027":{"mar":[{"x":3}]}}"#
    #expect(
      rows(text, ["<year>", "<month>", "x"], .array(path: "<year>/<month>")) == [
        "2026 jan 1", "2026 feb 2", "2027 mar 3",
      ])
  }

  @Test func `a wildcard may stand for the elements of an array`() {
    let text = #"{"a":[{"x":1},[{"x":2},{"x":3}],null,{"x":4}]}"#
    #expect(rows(text, ["<n>", "x"], .array(path: "a/<n>")) == ["0 1", "1 2", "1 3", "3 4"])
  }

  @Test func `GeoJSON features are records`() {
    let text = """
      {"type":"FeatureCollection","metadata":{"count":2},"features":[
      {"type":"Feature","properties":{"mag":4.5,"place":"x"},"geometry":{"coordinates":[1.5,2,-3]},"id":"us1"},
      {"type":"Feature","properties":{"mag":null},"geometry":null,"id":"us2"}]}
      """
    let fields = ["id", "properties/mag", "geometry/coordinates/1", "geometry", "properties/place"]
    #expect(
      rows(text, fields) == [
        #"us1 4.5 2 {"coordinates":[1.5,2,-3]} x"#, "us2 null null null -",
      ])
  }

  @Test func `Socrata rows are named by their metadata`() {
    let text = #"""
      {"meta":{"view":{"id":"x","tags":["a"],"columns":[{"id":-1,"name":"sid","fieldName":":sid"},
      {"name":"Mass (g)","fieldName":"mass"}]}},"data":[["row-1","21"],["row-2",null]]}
      """#
    #expect(rows(text, ["mass", ":sid"]) == ["21 row-1", "null row-2"])
  }

  @Test func `objects may stand one a line or side by side, with or without a last line break`() {
    let expected = ["1", "2", "3"]
    #expect(rows("{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n", ["a"]) == expected)
    #expect(rows("{\"a\":1}\r\n{\"a\":2}\r\n{\"a\":3}", ["a"]) == expected)
    #expect(rows(#"{"a":1}{"a":2} {"a":3}"#, ["a"]) == expected)
    #expect(rows("{\"a\":1}", ["a"]) == ["1"])
  }

  @Test func `lines with arrays in them are lines`() {
    let text = "{\"data\":[[1,2]],\"near\":[{\"id\":5}],\"id\":1}\n{\"id\":2,\"data\":[[3]]}\n"
    #expect(rows(text, ["id"]) == ["1", "2"])
    #expect(rows("{\"o\":[{\"x\":1}]}\n{\"id\":2}\n", ["id"]) == ["-", "2"])
  }

  @Test func `a first line of names names the lines after it`() {
    #expect(rows("[\"a\",\"b\"]\n[1,2]\n[3,4]\n", ["b"]) == ["2", "4"])
    #expect(rows(#"[["a","b"],["1","2"]]"#, ["b", "a"]) == ["2 1"])
  }

  @Test func `rows without names take the given ones, or none`() {
    #expect(rows("[[1,2],[3,4]]", ["y"], .positional(names: ["x", "y"])) == ["2", "4"])
    #expect(rows(#"{"r":{"s":[[1,2]]}}"#, ["y"], .positional(names: ["x", "y"], rows: "r/s")) == ["2"])
    let error = Reading("[[1,2],[3,4]]", fields: ["y"]).error
    #expect(error?.code == .noNames)
  }

  @Test func `without requested fields the one array, or the lines, are found`() {
    let one = Reading(#"{"status":"ok","items":[{"a":1},{"a":2}]}"#)
    #expect(one.records.count == 2 && one.shape == "objects under items")
    #expect(Reading("{\"a\":[{\"b\":1}]}\n{\"a\":[]}").records.count == 2)
    #expect(Reading(#"{"a":1,"b":[1,2],"c":[[1,2]]}"#).records.count == 1)
    let columns = Reading(#"{"count":1,"fields":["a","b"],"data":[[1,2]]}"#)
    #expect(columns.records.count == 1 && columns.envelope?.names == ["a", "b"])
  }

  @Test func `names with slashes, dots and quotes are reached`() {
    let text = #"[{"a/b":1,"a.b":2,"~":3,"a\"b":4,"@x $y:(z)":5}]"#
    #expect(rows(text, ["a~1b", "a.b", "~0", "a\"b", "@x $y:(z)"]) == ["1 2 3 4 5"])
  }
}
