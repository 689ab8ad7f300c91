import Foundation
import Testing

/// Expressions over fields that a record does not have.
@Suite struct AbsentFieldTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.write(
      """
      bolide: 1
      store: s.sqlite
      entity: Film
      key: code
      check: stars IS NOT NULL
      attributes:
        title: string
        lat:   double
        stars: { type: integer64, default: 3 }
        size:  { type: decimal, scale: 2, default: 1.25 }
        code:  { type: string, value: "title || '|' || ifnull(lat, '')" }
        place: { type: string, value: "ifnull(lat, 'none')" }
        twice: { type: double, value: "lat * 2" }
        third: { type: double, value: "twice * 1.5" }
        grade: { type: string, value: "title || stars" }
        area:  { type: decimal, scale: 2, value: "size * 2" }
      link:
        region: { to: { name: "ifnull(lat > 0, 0)" } }
      entities:
        Region:
          key: name
          attributes: { name: integer64, films: { derived: rows.@count } }
          relationships:
            rows: { to-many: Film, inverse: region }
      """, to: "p.yaml")
  }

  private var rows: [String] {
    get throws {
      try folder.sqlite(
        "s.sqlite",
        "SELECT code, place, twice, third, grade, area, name FROM Film LEFT JOIN Region ON region_id = Region.bolide_id"
      )
    }
  }

  @Test func `an absent field is null, and a default is seen`() throws {
    try folder.write(
      #"[{"title":"a","lat":1.5},{"title":"b"},{"title":"c","lat":null,"stars":null},{"title":"d","stars":5,"size":2}]"#,
      to: "feed.json")
    let outcome = try folder.bolide("import", "p.yaml", "feed.json", "--max-rejects", "1", "-v")
    #expect(outcome.status == 3)
    #expect(outcome.errors.contains("the check does not hold: stars IS NOT NULL"))
    #expect(
      try rows == [
        "a|1.5|1.5|3.0|4.5|a3|250|1", "b||none|||b3|250|0", "d||none|||d5|400|0",
      ])
    #expect(try folder.bolide("verify", "s.sqlite").status == 0)
  }

  @Test func `what comes to null for want of a field leaves the stored value`() throws {
    try folder.write(
      """
      bolide: 1
      store: s.sqlite
      entity: Film
      key: title
      attributes:
        title: string
        lat:   double
        twice: { type: double, value: "lat * 2" }
        place: { type: string, value: "ifnull(lat, 'none')" }
      """, to: "q.yaml")
    for (feed, row) in [
      (#"[{"title":"a","lat":1.5}]"#, "a|1.5|3.0|1.5"), (#"[{"title":"a"}]"#, "a|1.5|3.0|none"),
      (#"[{"title":"a","lat":null}]"#, "a|||none"),
    ] {
      try folder.write(feed, to: "feed.json")
      #expect(try folder.bolide("import", "q.yaml", "feed.json", "-q").status == 0)
      #expect(try folder.sqlite("s.sqlite", "SELECT title, lat, twice, place FROM Film") == [row])
    }
  }
}
