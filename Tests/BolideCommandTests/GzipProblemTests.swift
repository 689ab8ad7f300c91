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

  private static let again = "Fetch the file again and run the same command: nothing is doubled."

  @Test func `a wrong checksum is known after the last row`() throws {
    try damage { $0[$0.count - 8] ^= 1 }
    try expect(
      "bad.gz: the gzip data that begins at byte 0 does not have the checksum it states", rows: 200...200)
  }

  @Test func `a wrong length is known after the last row`() throws {
    try damage { $0[$0.count - 4] ^= 1 }
    try expect(
      "bad.gz: the gzip data that begins at byte 0 does not have the length it states", rows: 200...200)
  }

  @Test func `what follows the end is refused`() throws {
    let count = try folder.bytes(of: "feed.json.gz").count
    try damage { $0 += Data("garbage".utf8) }
    try expect(
      "bad.gz: the gzip data ends at byte \(count), and other data follows",
      "Fetch the file again, or cut off what follows the gzip data.", rows: 200...200)
  }

  @Test func `cut data is no short feed`() throws {
    let half = try folder.bytes(of: "feed.json.gz").count / 2
    try damage { $0 = $0.prefix(half) }
    try expect("bad.gz: the gzip data is cut short after byte \(half)", rows: 1...199)
  }

  @Test func `cut data from a pipe is no short feed`() throws {
    let bytes = try folder.bytes(of: "feed.json.gz")
    let outcome = try folder.bolide("import", "fireballs.yaml", "-", input: .pipe(bytes.dropLast(5)))
    #expect(
      outcome == .failure(65, "stdin: the gzip data is cut short after byte \(bytes.count - 5)", Self.again))
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
    #expect(outcome == .failure(65, sentence, hint))
    let count = try folder.sqlite("fireballs.sqlite", "SELECT count(*) FROM Fireball")
    #expect(rows.contains(try #require(Int(count[0]))))
    #expect(try folder.bolide("import", "fireballs.yaml", "feed.json.gz") == .silent)
    try folder.check(against: "feed.json")
  }
}
