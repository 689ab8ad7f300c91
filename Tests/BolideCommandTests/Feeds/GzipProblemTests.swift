import BolideBench
import Foundation
import Testing

/// gzip that is cut or damaged is an error, never a short success.
@Suite struct GzipProblemTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withFireballs()
    try folder.generate(FireballFeed(rows: 200, seed: 4), to: "feed.json")
    try folder.gzip("feed.json")
  }

  private static let again = "Fetch the file again and run the same command: no row is duplicated."

  @Test func `a wrong checksum is known after the last row`() throws {
    try damage { $0[$0.count - 8] ^= 1 }
    try expect(
      "bad.gz: the checksum of the gzip data that begins at byte 0 is wrong", rows: 200...200)
  }

  @Test func `a wrong length is known after the last row`() throws {
    try damage { $0[$0.count - 4] ^= 1 }
    try expect(
      "bad.gz: the length of the gzip data that begins at byte 0 is wrong", rows: 200...200)
  }

  @Test func `what follows the end is rejected`() throws {
    let count = try folder.bytes(of: "feed.json.gz").count
    try damage { $0 += Data("garbage".utf8) }
    try expect(
      "bad.gz: the gzip data ends at byte \(count), and other data follows",
      "Fetch the file again, or cut off what follows the gzip data.", rows: 200...200)
  }

  @Test func `cut data is no short feed`() throws {
    let half = try folder.bytes(of: "feed.json.gz").count / 2
    try damage { $0 = $0.prefix(half) }
    try expect("bad.gz: the gzip data is truncated after byte \(half)", rows: 1...199)
  }

  @Test func `cut data from a pipe is no short feed`() throws {
    let bytes = try folder.bytes(of: "feed.json.gz")
    let outcome = try folder.bolide("import", "fireballs.yaml", "-", input: .pipe(bytes.dropLast(5)))
    #expect(
      outcome
        == .failure(
          65,
          "stdin: the gzip data is truncated after byte \(bytes.count - 5). The 200 records read are in the store",
          Self.again))
  }

  @Test func `what a damaged file brought is counted by what became of it, and the rejected ones are named`()
    throws
  {
    try folder.write(
      "bolide: 1\nstore: w.sqlite\nentity: Word\nkey: id\nattributes: { id: integer64, v: string }",
      to: "w.yaml")
    try folder.write(#"[{"id":1},{"id":"x"},{"id":2},{"id":2,"v":"a"},{"id":3}]"#, to: "feed.json")
    try #require(try folder.shell("gzip -kf feed.json").status == 0)
    try damage { $0[$0.count - 8] ^= 1 }
    let outcome = try folder.bolide("import", "w.yaml", "bad.gz")
    #expect(
      outcome.errors == """
        bad.gz:1:17: record 2: id: expected a whole number such as 12
        Error: bad.gz: the checksum of the gzip data that begins at byte 0 is wrong. Of the 5 records read 3 \
        are in the store, 1 was rejected, and 1 repeats a key.
               \(Self.again)

        """)
    #expect(outcome.status == 65)
    #expect(try folder.count("Word", in: "w.sqlite") == 3)
    let whole = try folder.bolide("import", "w.yaml", "bad.gz", "--atomic", "--store", "whole.sqlite")
    #expect(
      whole.errors.contains(
        "the checksum of the gzip data that begins at byte 0 is wrong.\n       Nothing of this import is in the store."
      ))
  }

  @Test func `many members, empty ones and zeros at the end are fine`() throws {
    let feed = try folder.bytes(of: "feed.json")
    try folder.write(feed.prefix(3_000), to: "a")
    try folder.write(Data(), to: "b")
    try folder.write(feed.dropFirst(3_000), to: "c")
    for name in ["a", "b", "c"] { try folder.gzip(name) }
    let parts = try ["a.gz", "b.gz", "c.gz"].map { try folder.bytes(of: $0) }
    try folder.write(parts[0] + parts[1] + parts[2] + Data(count: 512), to: "members.gz")
    #expect(try folder.bolide("import", "fireballs.yaml", "members.gz") == .silent)
    try folder.check(against: "feed.json")
  }

  private func damage(_ change: (inout Data) -> Void) throws {
    var bytes = try folder.bytes(of: "feed.json.gz")
    change(&bytes)
    try folder.write(bytes, to: "bad.gz")
  }

  private func expect(_ sentence: String, _ hint: String = again, rows: ClosedRange<Int>) throws {
    let outcome = try folder.bolide("import", "fireballs.yaml", "bad.gz")
    let count = try folder.count("Fireball", in: "fireballs.sqlite")
    #expect(outcome == .failure(65, "\(sentence). The \(count) records read are in the store", hint))
    #expect(rows.contains(count))
    #expect(try folder.bolide("import", "fireballs.yaml", "feed.json.gz") == .silent)
    try folder.check(against: "feed.json")
  }
}
