import BolideBench
import Foundation
import Testing

/// A feed becomes a store, whatever way its bytes come.
@Suite struct MainJobTests {
  enum Way: String, CaseIterable {
    case file, gzipFile, standardInput, pipe, gzipPipe, dataFirst, dataFirstPipe, dataFirstGzipPipe
  }

  private let folder: Folder

  init() throws {
    folder = try Folder.withFireballs()
  }

  @Test(arguments: Way.allCases) func `a feed gives the same rows whatever way it comes`(way: Way) throws {
    let plain = FireballFeed(rows: 500, seed: 21)
    let turned = FireballFeed(rows: 500, seed: 21, options: .init(dataFirst: true))
    try folder.generate(plain, to: "feed.json")
    try folder.generate(turned, to: "turned.json")
    for name in ["feed.json", "turned.json"] { try folder.gzip(name) }
    let outcome =
      switch way {
      case .file: try folder.bolide("import", "fireballs.yaml", "feed.json")
      case .gzipFile: try folder.bolide("import", "fireballs.yaml", "feed.json.gz")
      case .standardInput: try folder.bolide("import", "fireballs.yaml", input: .file("feed.json"))
      case .pipe: try folder.bolide("import", "fireballs.yaml", "-", input: .pipe(bytes("feed.json")))
      case .gzipPipe: try folder.bolide("import", "fireballs.yaml", "-", input: .pipe(bytes("feed.json.gz")))
      case .dataFirst: try folder.bolide("import", "fireballs.yaml", "turned.json")
      case .dataFirstPipe:
        try folder.bolide("import", "fireballs.yaml", "-", input: .pipe(bytes("turned.json")))
      case .dataFirstGzipPipe:
        try folder.bolide("import", "fireballs.yaml", "-", input: .pipe(bytes("turned.json.gz")))
      }
    #expect(outcome == .silent)
    try folder.check(against: "feed.json")
    let signs = try folder.sqlite(
      "fireballs.sqlite",
      "SELECT sum(latitude < 0) > 0, sum(longitude < 0) > 0, sum(latitude IS NULL) > 0 FROM Fireball")
    #expect(signs == ["1|1|1"])
    #expect(try folder.sqlite("fireballs.sqlite", "SELECT count(*) FROM Fireball") == ["500"])
  }

  @Test func `the same feed again changes nothing, and gives no token`() throws {
    try folder.generate(FireballFeed(rows: 500, seed: 21), to: "feed.json")
    let first = try folder.bolide("import", "fireballs.yaml", "feed.json", "--json")
    #expect(try Counts(first) == Counts(read: 500, inserted: 500))
    let again = try folder.bolide("import", "fireballs.yaml", "feed.json", "--json")
    #expect(try Counts(again) == Counts(read: 500, unchanged: 500))
    #expect(again.output.hasSuffix(#","token":null}"# + "\n"))
    let token = try #require(first.output.firstMatch(of: /"token":"([^"]+)"/)?.1)
    #expect(try folder.bolide("changes", "fireballs.sqlite", "--since", String(token)) == .silent)
    #expect(try folder.sqlite("fireballs.sqlite", "SELECT count(*) FROM bolide_transaction") == ["1"])
    try folder.check(against: "feed.json")
  }

  @Test func `small chunks give the rows, counts and sums of one large chunk`() throws {
    try folder.generate(FireballFeed(rows: 500, seed: 21, options: .init(order: .shuffled)), to: "feed.json")
    let outcome = try folder.bolide("import", "fireballs.yaml", "feed.json", "--chunk-rows", "7", "--json")
    #expect(try Counts(outcome) == Counts(read: 500, inserted: 500))
    #expect(outcome.output.contains(#""chunks":72,"#))
    try folder.check(against: "feed.json")
    // One chunk is one transaction, and all of them hold each object once.
    let history = try folder.sqlite(
      "fireballs.sqlite",
      "SELECT count(*), sum(inserted) - (SELECT count(*) FROM FireballGroup) FROM bolide_transaction")
    #expect(history == ["72|500"])
  }

  @Test func `two feeds of which one holds the other's rows are told apart row by row`() throws {
    try folder.generate(FireballFeed(rows: 500, seed: 21), to: "feed.json")
    try folder.python(
      """
      import json
      feed = json.load(open("feed.json"))
      feed["data"] = feed["data"][:120]
      feed["count"] = "120"
      json.dump(feed, open("part.json", "w"))
      """)
    let part = try folder.bolide("import", "fireballs.yaml", "part.json", "--json")
    #expect(try Counts(part) == Counts(read: 120, inserted: 120))
    let all = try folder.bolide("import", "fireballs.yaml", "feed.json", "--json")
    #expect(try Counts(all) == Counts(read: 500, inserted: 380, unchanged: 120))
    try folder.check(against: "feed.json")
  }

  private func bytes(_ name: String) throws -> Data { try folder.bytes(of: name) }
}
