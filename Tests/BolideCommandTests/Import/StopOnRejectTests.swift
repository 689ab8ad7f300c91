import Foundation
import Testing

/// `--stop-on-reject`: the first rejected record ends the import, whoever refuses it, and what came before is there.
@Suite struct StopOnRejectTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.write(
      """
      bolide: 1
      store: quakes.sqlite
      entity: Quake
      key: id
      check: magnitude IS NULL OR magnitude < 10
      repeated-key: last
      attributes:
        id:        string
        magnitude: double
        size:      { type: integer32, required: true }
      """, to: "quakes.yaml")
  }

  private enum Bad: String, CaseIterable {
    case type = #"{"id": "bad", "magnitude": "x", "size": 1}"#
    case check = #"{"id": "bad", "magnitude": 11, "size": 1}"#
    case store = #"{"id": "bad", "magnitude": 1}"#
  }

  private static let sentences: [Bad: String] = [
    .type: "magnitude: expected a number such as 12.8",
    .check: "the check does not hold: magnitude IS NULL OR magnitude < 10",
    .store: "size is required, and a new row has no value for it",
  ]

  /// The rejected record stands among rows of which some share their key, before it, after it and across it.
  @Test(arguments: Bad.allCases.map(\.rawValue), [1, 2, 100])
  func `the store is as if the input had ended before it`(bad: String, chunkRows: Int) throws {
    let kind = try #require(Bad(rawValue: bad))
    for place in [1, 2, 6, 12] {
      var rows = (1...12).map { #"{"id": "k\#($0 % 5)", "magnitude": \#($0), "size": \#($0)}"# }
      rows = rows.map { $0.replacing(#/"magnitude": 1\d/#, with: #""magnitude": 9"#) }
      let before = rows.prefix(place - 1)
      rows[place - 1] = bad
      // More that would be rejected, by each of the three.
      rows += Bad.allCases.map { $0.rawValue.replacing("bad", with: "later") }
      try folder.write("[\(rows.joined(separator: ",\n"))]", to: "feed.json")
      try folder.write("[\(before.joined(separator: ",\n"))]", to: "before.json")
      for name in ["stopped.sqlite", "clean.sqlite"] {
        try #require(try folder.shell("rm -f \(name)*").status == 0)
      }
      let outcome = try folder.bolide(
        "import", "quakes.yaml", "feed.json", "--stop-on-reject", "--chunk-rows", "\(chunkRows)", "--store",
        "stopped.sqlite", "--max-rejects", "100")
      let rest =
        switch place {
        case 1: ""
        case 2: "; the record before it is in the store"
        case 12: "; of the 11 records before it 5 are in the store, and 6 repeat a key"
        default: "; the \(place - 1) records before it are in the store"
        }
      #expect(outcome.status == 65)
      let sentence = try #require(Self.sentences[kind])
      #expect(outcome.errors.hasPrefix("Error: feed.json:\(place):"))
      #expect(
        outcome.errors.hasSuffix(
          ": record \(place): \(sentence).\n       The import stops at the first rejected record\(rest).\n"))
      #expect(
        try folder.bolide(
          "import", "quakes.yaml", "before.json", "--chunk-rows", "\(chunkRows)", "--store", "clean.sqlite")
          == .silent)
      let query = "SELECT id, magnitude, size FROM Quake ORDER BY id"
      #expect(try folder.sqlite("stopped.sqlite", query) == folder.sqlite("clean.sqlite", query))
      let run = """
        SELECT read, inserted + updated + unchanged + duplicates + superseded, rejected, outcome FROM bolide_run
        """
      #expect(try folder.sqlite("stopped.sqlite", run) == ["\(place)|\(place - 1)|1|stopped-at-reject"])
      #expect(
        try folder.sqlite("stopped.sqlite", "SELECT record, times FROM bolide_reject") == ["\(place)|1"])
      #expect(try folder.bolide("verify", "stopped.sqlite") == .silent)
    }
  }

  @Test func `an input without a rejected record is a good one`() throws {
    try folder.write(#"[{"id": "a", "size": 1}]"#, to: "feed.json")
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json", "--stop-on-reject") == .silent)
  }
}
