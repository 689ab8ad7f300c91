import BolideBench
import Foundation
import Testing

/// The same feed some time later, as a re-processing at the source leaves it.
@Suite struct RevisedFeedTests {
  struct Shares: Sendable, CustomTestStringConvertible {
    var revise = 0.0
    var rekey = 0.0
    var drop = 0.0
    var testDescription: String { "revise \(revise) %, rekey \(rekey) %, drop \(drop) %" }
  }

  private let folder: Folder

  init() throws {
    folder = try Folder.withFireballs()
  }

  @Test(
    arguments: [
      Shares(revise: 30, rekey: 20, drop: 2), Shares(revise: 100), Shares(rekey: 100), Shares(drop: 50),
    ], [nil, "61"])
  func `inserted, updated and unchanged are what Python counts`(shares: Shares, chunkRows: String?) throws {
    try folder.generate(FireballFeed(rows: 800, seed: 5), to: "base.json")
    try folder.generate(
      FireballFeed(rows: 800, seed: 5, revise: shares.revise, rekey: shares.rekey, drop: shares.drop),
      to: "revised.json")
    #expect(try folder.bolide("import", "fireballs.yaml", "base.json") == .silent)
    let options = chunkRows.map { ["--chunk-rows", $0] } ?? ["--json"]
    let outcome = try folder.bolide(
      "import", "fireballs.yaml", "revised.json", "--json", options[0], options.last ?? "")
    #expect(try Counts(outcome) == counted())
    // Nothing is deleted unasked, and nothing of the first feed that the second one still has.
    try folder.check(against: "base.json", "revised.json")
  }

  @Test func `a revision that is taken back leaves the store as it was, by two more transactions`() throws {
    try folder.generate(FireballFeed(rows: 300, seed: 5), to: "base.json")
    try folder.generate(FireballFeed(rows: 300, seed: 5, revise: 40), to: "revised.json")
    var tokens: [String] = []
    for feed in ["base.json", "revised.json", "base.json"] {
      let outcome = try folder.bolide("import", "fireballs.yaml", feed, "--json")
      tokens.append(String(try #require(outcome.output.firstMatch(of: /"token":"([^"]+)"/)?.1)))
    }
    try folder.check(against: "base.json")
    #expect(tokens.map { $0.split(separator: "-")[2] } == ["1", "2", "3"])
    let kinds = try folder.bolide("changes", "fireballs.sqlite", "--since", tokens[0]).lines
    #expect(kinds.filter { $0.contains(#""kind":"update","entity":"Fireball""#) }.count > 200)
    #expect(!kinds.contains { $0.contains(#""kind":"insert""#) || $0.contains(#""kind":"delete""#) })
  }

  /// Counts what the second feed is to the first, by a program that shares nothing with the tool.
  private func counted() throws -> Counts {
    let output = try folder.python(
      """
      import json
      def read(path):
        feed = json.load(open(path))
        rows = {}
        for row in feed["data"]:
          row = dict(zip(feed["fields"], row))
          number = lambda name: None if row[name] is None else float(row[name])
          numbers = tuple(number(name) for name in ("energy", "impact-e", "lat", "lon", "alt", "vel"))
          # On the equator and the first meridian the direction says nothing.
          signs = tuple(row[name] if number(name[:3]) else None for name in ("lat-dir", "lon-dir"))
          rows[row["date"]] = numbers + signs
        return rows
      base, revised = read("base.json"), read("revised.json")
      inserted = sum(date not in base for date in revised)
      unchanged = sum(base.get(date) == row for date, row in revised.items())
      print(len(revised), inserted, len(revised) - inserted - unchanged, unchanged)
      """)
    let numbers = output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    try #require(numbers.count == 4)
    return Counts(read: numbers[0], inserted: numbers[1], updated: numbers[2], unchanged: numbers[3])
  }
}
