import Foundation
import Testing

/// A model that is too large for SQLite, or for an import, is rejected before there is a file.
@Suite struct ModelSizeTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.write(#"[{"id": "x", "a0": 1}]"#, to: "feed.json")
  }

  private func write(attributes: Int, _ more: String = "") throws {
    let lines = (0..<attributes).map { "  a\($0): integer64\n" }.joined()
    try folder.write(
      "bolide: 1\nstore: wide.sqlite\nentity: Wide\nkey: id\nattributes:\n  id: string\n\(lines)\(more)",
      to: "wide.yaml")
  }

  private func expect(_ place: String, _ sentence: String) throws {
    let outcome = Outcome(status: 78, errors: "Error: wide.yaml:\(place): \(sentence).\n")
    #expect(try folder.bolide("check", "wide.yaml") == outcome)
    #expect(try folder.bolide("import", "wide.yaml", "feed.json") == outcome)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path("."))
    #expect(!files.contains { $0.hasPrefix("wide.sqlite") })
  }

  @Test func `more columns than a table has`() throws {
    try write(attributes: 2_000)
    try expect(
      "5:1",
      "Wide has more than 1990 attributes and to-one relationships, which SQLite cannot keep in a table")
  }

  @Test func `more than its triggers can hold`() throws {
    try write(attributes: 500)
    try expect(
      "5:1",
      "the model is too large for SQLite (too many terms in compound SELECT): remove attributes, or store several as one json attribute"
    )
    try write(attributes: 499)
    #expect(try folder.bolide("import", "wide.yaml", "feed.json") == .silent)
    #expect(try folder.count("Wide", in: "wide.sqlite") == 1)
  }

  @Test func `more checks than can be evaluated`() throws {
    let checks = (1...20_000).map { "a0 > -\($0)" }.joined(separator: ", ")
    try write(attributes: 1, "check: [\(checks)]\n")
    try expect(
      "8:1", "there are 20000 checks; the maximum is 500: join some of them with AND")
  }

  @Test func `more entities than a store has`() throws {
    let entities = (0..<1_000).map { "  E\($0): { key: k, attributes: { k: string } }\n" }.joined()
    try write(attributes: 1, "entities:\n\(entities)")
    try expect("8:1", "there are 1001 entities; the maximum is 1000")
  }

  @Test(arguments: [
    ("max-age: 1e300d", "'max-age' is an age such as 90m, 26h or 2d, at most 10000y, not '1e300d'"),
    ("lock-wait: 10001y", "'lock-wait' is a time such as 30s or 10m, at most 10000y, not '10001y'"),
    ("max-time: 1e12", "'max-time' is a time such as 30s or 10m, at most 10000y, not '1e12'"),
    ("max-bytes: many", "'max-bytes' is a size such as 500MB or 2GiB, not 'many'"),
  ]) func `a time has an end`(line: String, sentence: String) throws {
    try write(attributes: 1, line + "\n")
    let column = line.utf8.split(separator: UInt8(ascii: " "))[0].count + 2
    try expect("8:\(column)", sentence)
  }
}
