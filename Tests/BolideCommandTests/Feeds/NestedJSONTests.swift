import Foundation
import Testing

/// Nested JSON is the same however it is written, and stays as it came first.
@Suite struct NestedJSONTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.write(
      """
      bolide: 1
      store: s.sqlite
      entity: Quake
      key: id
      attributes:
        id:    integer64
        place: json
        note:  string
        owner: { type: json, transient: true }
      children:
        parts: { entity: Part, inverse: quake, key: [quake, n], attributes: { n: integer64, data: json } }
      """, to: "p.yaml")
    try folder.write(
      #"[{"id":1,"place":{"type":"Point","at":[13.37,42.35,8.3]},"note":"a","parts":[{"n":1,"data":{"a":1,"b":"é"}}]}]"#,
      to: "feed.json")
    #expect(try folder.bolide("import", "p.yaml", "feed.json", "-q").status == 0)
  }

  private let stored = [#"{"type":"Point","at":[13.37,42.35,8.3]}|a|{"a":1,"b":"é"}"#]

  private func importing(_ feed: String) throws -> (counts: String, rows: [String]) {
    try folder.write(feed, to: "feed.json")
    let outcome = try folder.bolide("import", "p.yaml", "feed.json", "-v")
    #expect(outcome.status == 0, "\(outcome.errors)")
    return (
      outcome.errors,
      try folder.sqlite(
        "s.sqlite", "SELECT place, note, data FROM Quake JOIN Part ON quake_id = Quake.bolide_id")
    )
  }

  @Test func `blanks, the order of keys and escapes are no change`() throws {
    let (counts, rows) = try importing(
      """
      [{"id":1, "place": { "at" : [13.37, 42.35 ,8.3],
        "\\u0074ype": "P\\u006fint" }, "note":"a", "parts":[{"n":1,"data":{"b":"\\u00e9", "a":1}}]}]
      """)
    #expect(counts.contains("1 read = 1 unchanged"))
    #expect(rows == stored)
  }

  @Test func `a number that is spelt otherwise, and another order of elements, are`() throws {
    #expect(
      try importing(#"[{"id":1,"place":{"type":"Point","at":[13.370,42.35,8.3]}}]"#).counts.contains(
        "1 updated"))
    #expect(
      try importing(#"[{"id":1,"place":{"type":"Point","at":[42.35,13.370,8.3]}}]"#).counts.contains(
        "1 updated"))
  }

  @Test func `another attribute's change leaves the spelling, and is alone in history`() throws {
    let (counts, rows) = try importing(
      #"[{"id":1,"place":{"at":[13.37,42.35,8.3],"type":"Point"},"note":"b"}]"#)
    #expect(counts.contains("1 updated"))
    #expect(rows == [stored[0].replacing("|a|", with: "|b|")])
    let changes = try folder.bolide("changes", "s.sqlite", "--entity", "Quake", "--previous").output
    #expect(changes.contains(#""changed":["note"],"previous":{"note":"a"}"#))
  }
}
