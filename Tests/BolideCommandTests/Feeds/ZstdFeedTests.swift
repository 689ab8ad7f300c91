import BolideBench
import Foundation
import Testing

/// zstd as an import reads it: whole, and cut or damaged, which is never a short success.
@Suite(.enabled(if: ZstdProgram.isThere, "the program zstd or its library is not installed"))
struct ZstdFeedTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withFireballs()
    try folder.generate(FireballFeed(rows: 200, seed: 4), to: "feed.json")
    try #require(try folder.run("zstd", ["-qk", "feed.json"]).status == 0)
  }

  private static let again = "Fetch the file again and run the same command: no row is duplicated."

  @Test func `a file, a pipe and several frames are what they hold`() throws {
    #expect(try folder.bolide("import", "fireballs.yaml", "feed.json.zst") == .silent)
    try folder.check(against: "feed.json")
    let bytes = try folder.bytes(of: "feed.json.zst")
    let piped = try folder.bolide(
      "import", "fireballs.yaml", "-", "--store", "piped.sqlite", input: .pipe(bytes))
    #expect(piped == .silent)
    try folder.compare("fireballs.sqlite", "piped.sqlite")
    let feed = try folder.bytes(of: "feed.json")
    try folder.write(feed.prefix(3_000), to: "a")
    try folder.write(feed.dropFirst(3_000), to: "b")
    try #require(try folder.run("zstd", ["-q", "a", "b"]).status == 0)
    try folder.write(try folder.bytes(of: "a.zst") + folder.bytes(of: "b.zst"), to: "frames.zst")
    #expect(
      try folder.bolide("import", "fireballs.yaml", "frames.zst", "--store", "frames.sqlite") == .silent)
    try folder.compare("fireballs.sqlite", "frames.sqlite")
  }

  @Test func `a wrong checksum is known after the last row`() throws {
    try damage { $0[$0.count - 2] ^= 1 }
    try expect("bad.zst: the checksum of the zstd data that begins at byte 0 is wrong", rows: 200)
  }

  @Test func `what follows the end is rejected`() throws {
    let count = try folder.bytes(of: "feed.json.zst").count
    try damage { $0 += Data("garbage".utf8) }
    try expect(
      "bad.zst: the zstd data ends at byte \(count), and other data follows",
      "Fetch the file again, or cut off what follows the zstd data.", rows: 200)
  }

  @Test func `cut data from a pipe is no short feed`() throws {
    let bytes = try folder.bytes(of: "feed.json.zst")
    let outcome = try folder.bolide("import", "fireballs.yaml", "-", input: .pipe(bytes.dropLast(3)))
    #expect(
      outcome
        == .failure(
          65,
          "stdin: the zstd data is truncated after byte \(bytes.count - 3). The 200 records read are in the store",
          Self.again))
  }

  @Test func `bytes are counted as they are unpacked`() throws {
    let size = try folder.bytes(of: "feed.json").count
    func status(_ bytes: Int) throws -> Int32 {
      try folder.bolide("import", "fireballs.yaml", "feed.json.zst", "--force", "--max-bytes", "\(bytes)")
        .status
    }
    #expect(try status(size) == 0)
    #expect(try status(size - 1) == 65)
  }

  private func damage(_ change: (inout Data) -> Void) throws {
    var bytes = try folder.bytes(of: "feed.json.zst")
    change(&bytes)
    try folder.write(bytes, to: "bad.zst")
  }

  private func expect(_ sentence: String, _ hint: String = again, rows: Int) throws {
    let outcome = try folder.bolide("import", "fireballs.yaml", "bad.zst")
    #expect(outcome == .failure(65, "\(sentence). The \(rows) records read are in the store", hint))
    #expect(try folder.count("Fireball", in: "fireballs.sqlite") == rows)
    #expect(try folder.bolide("import", "fireballs.yaml", "feed.json.zst") == .silent)
    try folder.check(against: "feed.json")
  }
}

private enum ZstdProgram {
  /// Whether the program is there, and the library that an import loads.
  static let isThere: Bool = {
    let libraries = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"]
    let programs = ["/usr/bin/zstd", "/usr/local/bin/zstd"]
    func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
    return libraries.contains { isThere("\($0)/libzstd.so.1") } && programs.contains(where: isThere)
  }()
}
