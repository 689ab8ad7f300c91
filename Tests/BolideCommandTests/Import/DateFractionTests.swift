import Foundation
import Testing

/// Fractions of a second are kept, cut off, or a reason to refuse the record, as the pipeline says.
@Suite struct DateFractionTests {
  private let folder: Folder
  private static let feed = """
    [{"at":"2026-05-12T03:14:07.100Z"},{"at":"2026-05-12T03:14:07.900Z"},{"at":"2026-05-12T03:14:07.000Z"},
    {"at":"2026-05-12T03:14:07.9000004Z"}]
    """

  init() throws {
    folder = try Folder()
    try folder.write(Self.feed, to: "feed.json")
  }

  private func stored(_ type: String) throws -> (outcome: Outcome, dates: [String]) {
    try folder.write(
      "bolide: 1\nstore: s.sqlite\nentity: Event\nkey: at\nattributes:\n  at: \(type)\n", to: "p.yaml")
    let outcome = try folder.bolide("import", "p.yaml", "feed.json", "--max-rejects", "3", "-v")
    return (outcome, try folder.sqlite("s.sqlite", "SELECT at FROM Event ORDER BY at"))
  }

  @Test func `without a precision they are rejected, and the way out is named`() throws {
    let (outcome, dates) = try stored("date")
    #expect(outcome.status == 3)
    #expect(dates == ["2026-05-12T03:14:07Z"])
    #expect(
      outcome.errors.contains(
        "feed.json:1:8: record 1: at: the date has a fraction of a second; declare `precision: ms` or `us` to keep it, or `seconds` to cut it off"
      ))
    #expect(
      try folder.sqlite("s.sqlite", "SELECT DISTINCT code FROM bolide_reject") == ["fraction-of-second"])
  }

  @Test func `a precision cuts what is smaller`() throws {
    #expect(try stored("{ type: date, precision: seconds }").dates == ["2026-05-12T03:14:07Z"])
    #expect(try folder.shell("rm s.sqlite*").status == 0)
    #expect(
      try stored("{ type: date, precision: ms }").dates
        == ["2026-05-12T03:14:07.000Z", "2026-05-12T03:14:07.100Z", "2026-05-12T03:14:07.900Z"])
    #expect(try folder.shell("rm s.sqlite*").status == 0)
    #expect(
      try stored("{ type: date, precision: us }").dates == [
        "2026-05-12T03:14:07.000000Z", "2026-05-12T03:14:07.100000Z", "2026-05-12T03:14:07.900000Z",
      ])
    #expect(try folder.bolide("verify", "s.sqlite").status == 0)
  }

  @Test func `init proposes the precision that the dates have`() throws {
    let draft = try folder.bolide("init", "feed.json")
    #expect(draft.output.contains("{ type: date, precision: us }"))
  }
}
