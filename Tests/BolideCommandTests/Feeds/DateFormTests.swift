import Foundation
import Testing

/// Dates in the forms and zones of feeds, from the file to the store.
@Suite struct DateFormTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.write(
      """
      bolide: 1
      store: d.sqlite
      entity: Thing
      key: id
      max-rejects: 10
      attributes:
        id: integer64
        published: date
        day: day
        booked: { type: date, format: "dd.MM.yyyy HH:mm", zone: Europe/Berlin }
        run: { type: date, format: yyyyMMddHH }
        birth: { type: day, format: yyyyDDD }
      """, to: "d.yaml")
  }

  @Test func `each is one instant in the store`() throws {
    try folder.write(
      #"""
      [{"id": 1, "published": "Tue, 24 Nov 2026 16:45:00 GMT", "day": 20261124, "booked": "24.11.2026 16:45",
        "run": 2026112406, "birth": "2026328"},
       {"id": 2, "published": "\/Date(1764000000000+0100)\/", "day": "2026-W48-2", "booked": "01.07.2026 12:00",
        "run": "2026112418", "birth": 2026328}]
      """#, to: "d.json")
    #expect(try folder.bolide("import", "d.yaml", "d.json") == .silent)
    #expect(
      try folder.sqlite("d.sqlite", "SELECT published, day, booked, run, birth FROM Thing ORDER BY id") == [
        "2026-11-24T16:45:00Z|2026-11-24|2026-11-24T15:45:00Z|2026-11-24T06:00:00Z|2026-11-24",
        "2025-11-24T16:00:00Z|2026-11-24|2026-07-01T10:00:00Z|2026-11-24T18:00:00Z|2026-11-24",
      ])
  }

  @Test func `what is none has its sentence`() throws {
    let records = [
      #""published": "Mon, 24 Nov 2026 16:45:00 GMT""#, #""published": 20261124"#, #""day": 2026328"#,
      #""booked": "25.10.2026 02:30""#, #""booked": "29.03.2026 02:30""#, #""booked": "2026-11-24 16:45""#,
      #""run": 2026112424"#, #""birth": 2025366"#,
    ]
    try folder.write(
      #"[{"id": 99}, "# + records.enumerated().map { #"{"id": \#($0), \#($1)}"# }.joined(separator: ",\n")
        + "]", to: "d.json")
    #expect(try folder.bolide("import", "d.yaml", "d.json").status == 3)
    let found = try folder.sqlite("d.sqlite", "SELECT code FROM bolide_reject ORDER BY record")
    #expect(
      found == [
        "wrong-weekday", "undeclared-epoch", "not-a-date", "repeated-time", "skipped-time", "not-in-format",
        "no-such-time", "no-such-day",
      ])
  }
}
