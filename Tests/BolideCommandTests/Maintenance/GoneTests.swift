import Foundation
import Testing

/// `gone`: a full feed's rows are deleted or marked when it has them no more.
@Suite struct GoneTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func pipeline(
    _ more: String, attributes: String = "", rule: String = "nullify", to name: String = "quakes.yaml"
  ) throws {
    try folder.write(
      Folder.quakes.replacing("magnitude: double", with: "magnitude: double\n\(attributes)")
        .replacing("on-delete: nullify", with: "on-delete: \(rule)") + "\nfeed: full\n\(more)\n", to: name)
  }

  private func importing(_ ids: String, _ options: String...) throws -> Outcome {
    let records = ids.map { #"{"id": "\#($0)", "magnitude": 1, "place": "x"}"# }
    try folder.write("[\(records.joined(separator: ",\n"))]", to: "feed.json")
    return try folder.bolide(arguments: ["import", "quakes.yaml", "feed.json"] + options)
  }

  private func rows(_ columns: String = "id") throws -> [String] {
    try folder.sqlite("quakes.sqlite", "SELECT \(columns) FROM Quake ORDER BY id")
  }

  @Test(arguments: [[], ["--atomic"], ["--chunk-rows", "1"]])
  func `rows that are gone are deleted, in history, with what follows`(options: [String]) throws {
    try pipeline("gone: delete\nmax-missing: 50%")
    func importing(_ ids: String) throws -> Outcome {
      _ = try self.importing(ids, "--dry-run", "-q")
      return try folder.bolide(arguments: ["import", "quakes.yaml", "feed.json", "-v"] + options)
    }
    #expect(try importing("abcd").status == 0)
    let outcome = try importing("abce")
    #expect(
      outcome.errors.hasPrefix("quakes: 4 read = 1 inserted + 3 unchanged; 1 gone · "), "\(outcome.errors)")
    #expect(try rows() == ["a", "b", "c", "e"])
    #expect(try folder.sqlite("quakes.sqlite", "SELECT quakeCount, total FROM Region") == ["4|4.0"])
    let changes = try folder.bolide(
      "changes", "quakes.sqlite", "--since", "1", "--kind", "delete", "--previous")
    #expect(
      changes.lines.first?.contains(#""kind":"delete","entity":"Quake","id":4,"key":{"id":"d"}"#) == true)
    #expect(
      try folder.bolide("log", "quakes.sqlite", "Quake", "d").lines.last?.contains(
        #""author":"quakes","run":2"#) == true)
    #expect(try folder.bolide("missing", "quakes.sqlite", "--format", "ndjson") == .silent)
    #expect(
      try folder.bolide("runs", "quakes.sqlite").lines.first?.contains(#""gone":1,"missing":0"#) == true)
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
    // Undone like everything that a run does.
    #expect(try folder.bolide("revert", "quakes.sqlite", "--run", "2") == .silent)
    #expect(try rows("bolide_id, id") == ["1|a", "2|b", "3|c", "4|d"])
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test func `the guard comes first, and a rule that denies fails the import`() throws {
    try pipeline("gone: delete\nmax-missing: 25%")
    #expect(try importing("abcd") == .silent)
    let guarded = try importing("ab")
    #expect(
      guarded.status == 65 && guarded.errors.contains("2 of the 4 rows of the last complete run are missing"))
    #expect(try rows() == ["a", "b", "c", "d"])
    #expect(try importing("ab", "--accept", "max-missing") == .silent)
    #expect(try rows() == ["a", "b"])
    try folder.write(
      """
      bolide: 1
      store: regions.sqlite
      entity: Region
      key: name
      feed: full
      gone: delete
      max-missing: 100%
      attributes: { name: string }
      relationships:
        quakes: { to-many: Quake, inverse: region, on-delete: deny }
      entities:
        Quake: { key: id, attributes: { id: string }, relationships: { region: { to-one: Region, inverse: quakes } } }
      """, to: "regions.yaml")
    try folder.write(#"[{"name": "x"}, {"name": "y"}]"#, to: "two.json")
    try folder.write(#"[{"name": "y"}]"#, to: "one.json")
    let first = try folder.bolide("import", "regions.yaml", "two.json")
    #expect(first == .silent, "\(first.errors)")
    try folder.sqlite("regions.sqlite", "INSERT INTO Quake(id, region_id) VALUES ('q', 1)")
    let denied = try folder.bolide("import", "regions.yaml", "one.json")
    #expect(denied.status == 65)
    #expect(denied.errors.contains("has related objects that deny its deletion: nothing is deleted"))
    #expect(try folder.count("Region", in: "regions.sqlite") == 2)
    #expect(
      try folder.sqlite("regions.sqlite", "SELECT outcome FROM bolide_run ORDER BY run") == ["ok", "guarded"])
  }

  @Test(arguments: [[], ["--atomic"], ["--chunk-rows", "1"]])
  func `a date says since when a row is gone, and nothing when it returns`(options: [String]) throws {
    try pipeline("gone: { mark: goneAt }", attributes: "  goneAt: date")
    func importing(_ ids: String) throws -> Outcome {
      _ = try self.importing(ids, "--dry-run", "-q")
      return try folder.bolide(arguments: ["import", "quakes.yaml", "feed.json", "-v"] + options)
    }
    #expect(try importing("abc").status == 0)
    let outcome = try importing("ab")
    #expect(
      outcome.errors.hasPrefix("quakes: 2 read = 2 unchanged; 1 gone; 1 missing · "), "\(outcome.errors)")
    let marked = try rows("id, goneAt")
    #expect(marked[0] == "a|" && marked[1] == "b|")
    #expect(marked[2].wholeMatch(of: /c\|20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil, "\(marked)")
    // It is gone since then, however often it is not seen.
    try folder.sqlite("quakes.sqlite", "UPDATE Quake SET goneAt = '2020-01-01T00:00:00Z' WHERE id = 'c'")
    #expect(try importing("abd").status == 0)
    #expect(try rows("id, goneAt") == ["a|", "b|", "c|2020-01-01T00:00:00Z", "d|"])
    #expect(try importing("abcd").status == 0)
    #expect(try rows("id, goneAt") == ["a|", "b|", "c|", "d|"])
    let log = try folder.bolide("log", "quakes.sqlite", "Quake", "c").lines
    #expect(
      log.count == 4
        && (log.last ?? "").contains(
          #""run":4,"kind":"update","id":3,"changes":{"goneAt":{"old":"2020-01-01T00:00:00Z","new":null}}"#),
      "\(log)")
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test(arguments: ["boolean", "{ type: boolean, required: true, default: false }"])
  func `a boolean is set and cleared`(type: String) throws {
    try pipeline("gone: { mark: isGone }\nmissing: \"-\"", attributes: "  isGone: \(type)")
    #expect(try importing("abc") == .silent)
    #expect(try importing("a") == .silent)
    #expect(try rows("id, ifnull(isGone, 0)") == ["a|0", "b|1", "c|1"])
    #expect(try importing("ac") == .silent)
    #expect(try rows("id, ifnull(isGone, 0)") == ["a|0", "b|1", "c|0"])
  }

  @Test func `an import that does not tell everything decides nothing`() throws {
    try pipeline("gone: { mark: goneAt }\nmax-rejects: 1", attributes: "  goneAt: date")
    #expect(try importing("abc") == .silent)
    try folder.write(#"[{"id": "a", "magnitude": 1}, {"id""#, to: "cut.json")
    #expect(try folder.bolide("import", "quakes.yaml", "cut.json", "-q").status == 65)
    // Rejected with a key: seen. Rejected without one: any row may be it.
    try folder.write(
      #"[{"id": "a", "magnitude": 1}, {"id": "b", "magnitude": "x"}, {"id": "c", "magnitude": 1}]"#,
      to: "bad.json")
    #expect(try folder.bolide("import", "quakes.yaml", "bad.json", "-q").status == 3)
    try folder.write(#"[{"id": "a", "magnitude": 1}, {"id": null}]"#, to: "keyless.json")
    #expect(try folder.bolide("import", "quakes.yaml", "keyless.json", "-q").status == 3)
    try folder.write(
      #"[{"id": "a", "magnitude": "x"}, {"id": "b", "magnitude": "x"}, {"id": "z"}]"#, to: "many.json")
    #expect(try folder.bolide("import", "quakes.yaml", "many.json", "-q").status == 65)
    #expect(
      try folder.sqlite("quakes.sqlite", "SELECT count(*) FROM Quake WHERE goneAt IS NOT NULL") == ["0"])
  }

  @Test func `children that are gone go too`() throws {
    try folder.write(
      """
      bolide: 1
      store: orders.sqlite
      entity: Order
      key: id
      feed: full
      gone: delete
      max-missing: 100%
      attributes: { id: integer64, pieces: { derived: lines.pieces.@sum } }
      children:
        lines: { entity: Line, inverse: order, key: [order, sku], attributes: { sku: string, pieces: integer64 } }
      """, to: "orders.yaml")
    try folder.write(
      #"[{"id": 1, "lines": [{"sku": "x", "pieces": 1}, {"sku": "y", "pieces": 2}]}, {"id": 2, "lines": [{"sku": "z", "pieces": 4}]}]"#,
      to: "two.json")
    #expect(try folder.bolide("import", "orders.yaml", "two.json") == .silent)
    try folder.write(#"[{"id": 1, "lines": [{"sku": "y", "pieces": 2}]}]"#, to: "one.json")
    #expect(try folder.bolide("import", "orders.yaml", "one.json") == .silent)
    #expect(try folder.sqlite("orders.sqlite", #"SELECT id, pieces FROM "Order""#) == ["1|2"])
    #expect(try folder.sqlite("orders.sqlite", "SELECT sku FROM Line") == ["y"])
    #expect(try folder.bolide("verify", "orders.sqlite") == .silent)
  }

  @Test func `the guard is for all that would be deleted`() throws {
    // Rows that were missing before count, too.
    try pipeline("max-missing: 30%")
    #expect(try importing("abcdefgh") == .silent)
    #expect(try importing("abcdef") == .silent)
    try pipeline("max-missing: 30%\ngone: delete")
    let outcome = try importing("abcde")
    #expect(outcome.status == 65)
    #expect(
      outcome.errors.hasPrefix(
        "Error: feed.json: 3 of the 8 rows of Quake would be deleted, which is 37.5 % and more than 30 %. The 5 records read "
          + "are in the store.\n"), "\(outcome.errors)")
    #expect(try rows().count == 8)
    #expect(try importing("abcde", "--accept", "max-missing") == .silent)
    #expect(try rows().count == 5)
    // So do children.
    try folder.write(
      """
      bolide: 1
      store: orders.sqlite
      entity: Order
      key: id
      feed: full
      gone: delete
      max-missing: 50%
      on-absent-field: ignore
      attributes: { id: integer64 }
      children:
        lines: { entity: Line, inverse: order, key: [order, sku], attributes: { sku: string } }
      """, to: "orders.yaml")
    try folder.write(
      #"[{"id": 1, "lines": [{"sku": "x"}, {"sku": "y"}]}, {"id": 2, "lines": [{"sku": "z"}]}]"#,
      to: "two.json")
    #expect(try folder.bolide("import", "orders.yaml", "two.json") == .silent)
    try folder.write(
      #"[{"id": 1, "LINES": [{"sku": "x"}, {"sku": "y"}]}, {"id": 2, "LINES": []}]"#, to: "renamed.json")
    let renamed = try folder.bolide("import", "orders.yaml", "renamed.json", "--on-new-field", "ignore")
    #expect(
      renamed.status == 65 && renamed.errors.contains("3 of the 3 rows of Line would be deleted"),
      "\(renamed)")
    let absent = try folder.bolide("import", "orders.yaml", "renamed.json", "--on-absent-field", "fail", "-q")
    #expect(
      absent.errors.contains("the field 'lines/sku' of the attribute Line.sku is in none of the 2 records"),
      "\(absent)")
    #expect(try folder.count("Line", in: "orders.sqlite") == 3)
  }

  @Test func `rows that deny each other's deletion go together, and come back, and go again`() throws {
    try folder.write(
      """
      bolide: 1
      store: tree.sqlite
      entity: Node
      key: id
      feed: full
      gone: delete
      max-missing: 100%
      attributes: { id: string }
      relationships:
        parent: { to-one: Node, inverse: kids }
        kids: { to-many: Node, inverse: parent, on-delete: deny }
      """, to: "tree.yaml")
    func importing(_ text: String) throws -> Outcome {
      try folder.write(text, to: "feed.json")
      return try folder.bolide("import", "tree.yaml", "feed.json")
    }
    let first = try importing(#"[{"id": "a"}, {"id": "b"}, {"id": "c"}]"#)
    #expect(first == .silent, "\(first)")
    try folder.sqlite("tree.sqlite", "UPDATE Node SET parent_id = 1 WHERE id = 'b'")
    #expect(try importing(#"[{"id": "c"}]"#) == .silent)
    #expect(try folder.sqlite("tree.sqlite", "SELECT id FROM Node") == ["c"])
    #expect(try folder.bolide("revert", "tree.sqlite", "--run", "2") == .silent)
    #expect(try folder.count("Node", in: "tree.sqlite") == 3)
    #expect(try importing(#"[{"id": "c"}]"#) == .silent)
    #expect(try folder.sqlite("tree.sqlite", "SELECT id FROM Node") == ["c"])
  }

  @Test func `what cannot be is said of the file`() throws {
    func problems(_ more: String, attributes: String = "  goneAt: date") throws -> String {
      try pipeline(more, attributes: attributes)
      let outcome = try folder.bolide("check", "quakes.yaml")
      #expect(outcome.status == 78)
      return outcome.errors
    }
    #expect(
      try problems("gone: delete").contains(
        "`gone: delete` requires 'max-missing', the share of the rows that an import may delete at most, such as `5%`"
      ))
    let notAMark =
      "the attribute 'magnitude' cannot mark rows that are gone; it must be a date or a boolean without `from`, `value` or "
      + "`derived`, and not part of the key"
    #expect(try problems("gone: { mark: magnitude }").contains(notAMark))
    #expect(
      try problems("gone: { mark: goneAt }", attributes: "  goneAt: { type: date, from: gone }").contains(
        "the attribute 'goneAt' cannot mark"))
    #expect(
      try problems("gone: { mark: goneAt }", attributes: "  goneAt: { type: date, required: true }").contains(
        "the attribute 'goneAt' cannot mark"))
    #expect(try problems("gone: { mark: never }").contains("'never'"))
    #expect(try problems("gone: remove").contains("'gone'"))
    try folder.write(Folder.quakes + "\ngone: delete\nmax-missing: 5%\n", to: "window.yaml")
    #expect(
      try folder.bolide("check", "window.yaml").errors.contains(
        "'gone' requires `feed: full`: no row is missing from a window"))
  }
}
