import JSONStream
import Testing

/// Inputs of every shape and with every kind of mistake, for the tests that hold for any input.
enum Inputs {
  struct Case: Sendable, CustomTestStringConvertible {
    var bytes: [UInt8]
    var shape = RecordShape.automatic
    var limits = ReaderLimits()

    init(_ text: String, _ shape: RecordShape = .automatic, limits: ReaderLimits = ReaderLimits()) {
      bytes = Array(text.utf8)
      self.shape = shape
      self.limits = limits
    }

    init(bytes: [UInt8], _ shape: RecordShape = .automatic) {
      self.bytes = bytes
      self.shape = shape
    }

    var testDescription: String { String(decoding: bytes.prefix(60), as: UTF8.self) }
  }

  static let all = shapes + mistakes + strings + limits + cells

  static let cells: [Case] = [
    Case("date,alt,z\n1,2,3\n4,,6\r\n,,\n", .delimited()),
    Case("date,alt\r1,2\r\r3,4", .delimited()),
    Case(
      "\"date\",\"a\"\"b\",\"x\"\n\"1\",\"a \"\"b\"\", c\nd\",\"\"\n\"\",q\"r\"s,\"\"\"\"\n", .delimited()),
    Case("date,x\n1\n1,2,3\n4,5\n", .delimited()),
    Case("date,x\n1,2\ndate,x\n3,4\n", .delimited()),
    Case("date,x\n1,\"2\n3,4\n5,6\n", .delimited()),
    Case("date,x\n1,\"2\n3,\"4\"\n5,6\n", .delimited()),
    Case("date,x\n1,\"2\"3\n4,5\n6,\"7", .delimited()),
    Case("date,x\n1,\u{0}\n2,3\n\"4\n\u{0}\",5\n6,7", .delimited()),
    Case("\u{feff}date,x\n1,2\n\u{feff}date,x\n3,4\n\u{feff}\n5,6", .delimited()),
    Case("date\tx\n1\t2,3\n\t\n", .delimited(by: UInt8(ascii: "\t"))),
    Case("1;2\n3;\"4;5\"\n", .delimited(by: UInt8(ascii: ";"), names: ["date", "x"])),
    Case("date;x\n3;4\ndate;x\n", .delimited(by: UInt8(ascii: ";"), names: ["date", "x"])),
    Case("word\nword\nx\n", .delimited()),
    Case("date,x,date\n1,2,3\n", .delimited()),
    Case("date,x\n", .delimited()),
    Case("date,x", .delimited()),
    Case("", .delimited()),
    Case("\n\r\n", .delimited()),
    Case("\n", .delimited(names: ["date"])),
    Case("<html>,<body>\n", .delimited()),
    Case("\"date,x\n1,2\n", .delimited()),
    Case("date,x\n1,\"2\"", .delimited()),
    Case("date,x\n1,\"2\"\"", .delimited()),
    Case("date,x\n1,", .delimited()),
    Case("date,x\n\"1\"\r2,3\n", .delimited()),
    Case(
      "date,x\n" + String(repeating: "y", count: 45) + ",1\n2,3\n", .delimited(),
      limits: ReaderLimits(recordBytes: 40)),
    Case(
      "date,x\n1,\"" + String(repeating: "y\n", count: 45) + "\n2,3\n", .delimited(),
      limits: ReaderLimits(recordBytes: 40)),
    Case(
      bytes: Array("date,x\n1,".utf8) + [0xff] + Array("\n2,3\n\"4\n".utf8) + [0xc3]
        + Array("\",5\n6,7\n8,".utf8) + [0xe2, 0x82], .delimited()),
    Case(bytes: Array("date,x\n1,\u{20ac}".utf8) + [0xe2, 0x82], .delimited()),
  ]

  static let shapes: [Case] = [
    Case(
      #"{"signature":{"v":"1.2"},"count":"2","fields":["date","alt"],"data":[["1988",null],["1990","5.1"]]}"#),
    Case(#"{"count":2,"data":[["1988",null],["1990","5.1"]],"fields":["date","alt"]}"#),
    Case(#"{"data":[["1988",null],["1990"],[],[1,2,3],7,{"a":1}],"fields":["date","alt"]}"#),
    Case(#"{"signature":{},"count":"0"}"#),
    Case(#"{"count":0,"data":[]}"#),
    Case(#"{"error":"nothing","code":400}"#),
    Case("[]"),
    Case(" [ ] "),
    Case(#"[{"date":"1","alt":2,"a":{"b":[1,{"c":2}]}},{"alt":null,"date":"2"}, null, 3, [1], {"x":true}]"#),
    Case("{\"date\":1,\"list\":[1,2]}\n{\"date\":2,\"list\":[]}\r\n\n{\"date\":3}"),
    Case("{\"date\":1,\"alt\":[{\"date\":2}]}{\"date\":3}"),
    Case("{\"y\":1}\n{\"date\":2}\n"),
    Case("[\"date\",\"z\",\"alt\"]\n[1,2,3]\n[4,5,6]\n[7]"),
    Case(#"[["date","z"],["a","b"],["c","d"]]"#),
    Case(#"{"photos":[{"date":"1"},{"date":"2"}],"total":2}"#),
    Case(#"{"photos":[{"date":"1"}],"events":[{"date":"2"}]}"#),
    Case(String(repeating: "\n ", count: 40) + #"{"a":[{"date":"1"}],"b":[{"date":"2"}]}"#),
    Case(#"{"photos":[{"date":"1","alt":1}],"events":[{"date":"2"}],"empty":[]}"#),
    Case(#"{"near":{"2026-01-01":[{"date":"1"},{"date":"2"}],"2026-01-02":[],"2026-01-03":[{"date":"3"}]}}"#),
    Case(#"{"433":{"date":"1"},"1862":{"date":"2","alt":4}}"#),
    Case(
      #"{"meta":{"view":{"columns":[{"fieldName":"date"},{"id":1,"fieldName":"x"}]}},"data":[["1",2],["3",4]]}"#
    ),
    Case(#"{"near":{"d1":[{"date":1}],"d2":[{"date":2}]},"k":[1]}"#, .array(path: "near/<day>")),
    Case(#"{"near":{"d1":{"date":1},"d2":{"date":2}}}"#, .array(path: "near/<day>")),
    Case(#"{"a":[{"r":[{"date":1}]},{"r":[{"date":2}]}]}"#, .array(path: "a/<day>/r")),
    Case(#"{"a":[{"r":[{"date":1}]},[{"date":2},{}],null,{"date":3}]}"#, .array(path: "a/<day>")),
    Case(#"{"a":[[1],[2,[3]],[]]}"#, .array(path: "a/1/1")),
    Case(#"{"a":null}"#, .array(path: "a")),
    Case(#"{"a":5}"#, .array(path: "a")),
    Case(#"[[1,2],[3,4]]"#, .positional(names: ["x", "date"])),
    Case(#"{"r":[[1,2],[3,4]]}"#, .positional(names: ["x", "date"], rows: "r")),
    Case("1 2 3", .lines),
    Case("[1] \"x\" nul", .lines),
    Case(#"{"cols":["date","x"],"rows":[[1,2]]}"#, .columnar(names: "cols", rows: "rows")),
    Case(#"{"rows":[[1,2]],"no":1}"#, .columnar(names: "cols", rows: "rows")),
    Case(#"{"cols":["date",1],"rows":[[1,2]]}"#, .columnar(names: "cols", rows: "rows")),
    Case(#"{"cols":["date","date"],"rows":[[1,2]]}"#, .columnar(names: "cols", rows: "rows")),
    Case(#"{"date":1}"#, .array(path: "")),
    Case(#"[[[]]]"#),
    Case(#"[1,2]"#),
    Case(#""text""#),
    Case("12"),
  ]

  static let mistakes: [Case] = [
    Case(""), Case("   \n"), Case("<html>"), Case("nope"), Case("]"), Case("}"), Case(","), Case("["),
    Case("{"),
    Case(#"[{"date":1},]"#), Case(#"[{"date":1,}]"#), Case(#"[{"date":1} {"date":2}]"#),
    Case(#"[{"date" 1}]"#),
    Case(#"[{date:1}]"#), Case(#"[{"date":1}}"#), Case(#"[{"date":[1}]"#), Case(#"[{"date":1}"#),
    Case(#"[{"date":1}]x"#), Case(#"[{"date":1}] []"#), Case(#"{"date":1}x"#), Case(#"[{"date":01}]"#),
    Case(#"[{"date":1.}]"#), Case(#"[{"date":.5}]"#), Case(#"[{"date":+1}]"#), Case(#"[{"date":1e}]"#),
    Case(#"[{"date":-}]"#), Case(#"[{"date":NaN}]"#), Case(#"[{"date":nul}]"#), Case(#"[{"date":trueish}]"#),
    Case(#"[{"date":1},{"date":"#), Case(#"[{"date":1},{"date":"a"#), Case(#"[{"date":1},{"da"#),
    Case(#"[{"date":1},12"#), Case(#"[{"date":1},tru"#), Case(#"[{"date":1},tx"#), Case(#"[{"date":1},1."#),
    Case(#"{"fields":["date"],"data":[["a"],["b",,]]}"#), Case(#"{"fields":["date"],"data":[["a"],["b""#),
    Case(#"{"fields":["date"],"data":[["a"],["b"]"#), Case(#"{"fields":["date"],"data":[["a"],["b"]]"#),
    Case(#"{"fields":["date"],"data":[["a"],["b"]]}x"#), Case(#"[{"date":'a'}]"#), Case("[1 2]"),
    Case(bytes: [0xef, 0xbb, 0xbf] + Array(#"[{"date":1}]"#.utf8)), Case(bytes: [0xef, 0xbb, 0xbf]),
    Case(bytes: [0xff, 0xfe, 0x5b, 0x00]), Case(bytes: [0x5b, 0, 0x5d, 0]), Case(bytes: [0, 0x5b, 0, 0x5d]),
    Case(bytes: [0x5b, 0, 0, 0, 0x5d, 0, 0, 0]), Case(bytes: Array("[1,\u{e9}]".utf8)),
    Case(bytes: Array("[1".utf8) + [0xff]), Case(bytes: Array("[".utf8) + [0xe2, 0x82]),
  ]

  static let strings: [Case] = [
    Case(#"[{"date":"a\"b\\","alt":"\u0041\n\u00e9\u20ac\ud83d\ude00"},{"d\u0061te":"x","alt":"\\"}]"#),
    Case(#"[{"date":"\ud800"},{"date":"\udc00x"},{"date":"\ud800\u0041"},{"y":"\ud800"}]"#),
    Case(#"[{"date":"\x"}]"#), Case(#"[{"date":"\u12g4"}]"#), Case(#"[{"date":"\u12"}]"#),
    Case(#"[{"y":"\q"}]"#),
    Case(#"[{"\q":1}]"#), Case("[{\"date\":\"a\nb\"}]"), Case("[{\"date\":\"a\u{0}b\"}]"),
    Case(#"[{"date":"a\u0000b"}]"#), Case("[{\"date\":\"\u{e9}\u{20ac}\u{1f600}\u{7f}\"}]"),
    Case(bytes: Array(#"[{"date":"1"},{"date":""#.utf8) + [0xff] + Array(#""}]"#.utf8)),
    Case(bytes: Array(#"[{"date":""#.utf8) + [0xc3] + Array(#""}]"#.utf8)),
    Case(bytes: Array(#"[{"date":""#.utf8) + [0xc0, 0x80] + Array(#""}]"#.utf8)),
    Case(bytes: Array(#"[{"date":""#.utf8) + [0xed, 0xa0, 0x80] + Array(#""}]"#.utf8)),
    Case(bytes: Array(#"[{"date":""#.utf8) + [0xf4, 0x90, 0x80, 0x80] + Array(#""}]"#.utf8)),
    Case(bytes: Array(#"[{"date":""#.utf8) + [0xf0, 0x9f, 0x98]),
  ]

  static let limits: [Case] = [
    Case(#"[{"date":[[[[1]]]]}]"#, limits: ReaderLimits(depth: 4)),
    Case(#"[{"date":{"b":[1]}}]"#, limits: ReaderLimits(depth: 2)),
    Case(#"[{"date":1},{"date":"0123456789"}]"#, limits: ReaderLimits(stringBytes: 9)),
    Case(#"[{"date":1},{"y":"012345\x789"}]"#, limits: ReaderLimits(stringBytes: 9)),
    Case(#"[{"date":1},{"date":12345678}]"#, limits: ReaderLimits(numberBytes: 7)),
    Case(#"[{"date":1},{"date":1234567.x}]"#, limits: ReaderLimits(numberBytes: 7)),
    Case(#"[{"date":1},{"date":12x4567.x}]"#, limits: ReaderLimits(numberBytes: 7)),
    Case(#"[{"date":1},{"date":1,"x":"012345678901234567890"},{}]"#, limits: ReaderLimits(recordBytes: 20)),
    Case(#"[{"date":1},{"date":1,"x":1,,"01234567890"},{}]"#, limits: ReaderLimits(recordBytes: 20)),
    Case(#"[{"date":1},{"date":1,"x":1,"01234567890",,},{}]"#, limits: ReaderLimits(recordBytes: 20)),
    Case(
      #"[{"date":"a\"b","alt":"\u0041\n\u00e9","y":"0123456789"}]"#,
      limits: ReaderLimits(recordBytes: 30, stringBytes: 8)),
    Case(String(repeating: "[", count: 100)), Case(String(repeating: "[", count: 600)),
  ]
}
