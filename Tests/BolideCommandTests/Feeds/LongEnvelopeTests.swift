import Foundation
import Testing

/// Rows may stand behind much else; where they are not found, it is said what was looked at.
@Suite struct LongEnvelopeTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.write(
      "bolide: 1\nstore: things.sqlite\nentity: Thing\nkey: id\nattributes: { id: string }\n",
      to: "things.yaml")
  }

  /// An object with so many MiB of something before the rows.
  private func write(megabytes: Int, _ start: String = "", rows: String = #""data": [{"id": "a"}]"#) throws {
    let element = "\"\(String(repeating: "x", count: 1021))\","
    let filler = String(repeating: element, count: megabytes << 10) + "1"
    try folder.write("{\(start)\"meta\": [\(filler)], \(rows)}", to: "feed.json")
  }

  @Test(arguments: ["", #""errors": [], "#]) func `rows behind more than a MiB are found`(start: String)
    throws
  {
    try write(megabytes: 2, start)
    #expect(try folder.bolide("import", "things.yaml", "feed.json") == .silent)
    #expect(try folder.sqlite("things.sqlite", "SELECT id FROM Thing") == ["a"])
  }

  @Test func `rows behind more than a MiB of names are found`() throws {
    let long = String(repeating: "n", count: 1_000)
    let names = (0..<1_500).map { "\"\(long)\($0)\"" }.joined(separator: ",")
    try folder.write(#"{"fields": ["id", \#(names)], "data": [["a"]]}"#, to: "feed.json")
    let outcome = try folder.bolide("import", "things.yaml", "feed.json")
    #expect(outcome.errors.hasPrefix("feed.json:1:"))
    #expect(outcome.errors.contains("record 1: the row has 1 values, and there are 1501 names"))
  }

  @Test(arguments: ["", #""errors": [], "#])
  func `past 8 MiB it is said what was looked at, and a path finds them`(start: String) throws {
    try write(megabytes: 8, start)
    let keys = start.isEmpty ? "the keys 'meta', 'data'" : "the keys 'errors', 'meta', 'data'"
    #expect(
      try folder.bolide("import", "things.yaml", "feed.json")
        == .failure(
          65, "feed.json: no rows were detected in the first 8 MiB; the input is an object with \(keys)",
          "Set their place in the pipeline: `records: PATH` for objects, or `shape: columnar`."))
    try folder.write(
      String(decoding: folder.bytes(of: "things.yaml"), as: UTF8.self) + "records: data\n", to: "things.yaml")
    #expect(try folder.bolide("import", "things.yaml", "feed.json") == .silent)
  }
}
