import Foundation
import Testing

/// `bolide verify` and `bolide rejects`: what a store says of itself.
@Suite struct VerifyTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
    try folder.write(
      """
      [{"id": "a", "place": "x", "magnitude": 1}, {"id": "b", "place": "x", "magnitude": 0.5},
      {"id": null}, {"id": "c", "magnitude": "strong"}]
      """, to: "feed.json")
    try #require(
      try folder.bolide("import", "quakes.yaml", "feed.json", "--max-rejects", "2", "-q").status == 3)
  }

  @Test func `a sound store is verified in silence`() throws {
    try folder.sqlite("quakes.sqlite", "DELETE FROM Quake WHERE id = 'a'")
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
    #expect(try folder.bolide("verify", "quakes.yaml") == .silent)
  }

  @Test func `a count, a sum and a link that are not true are told`() throws {
    try folder.sqlite(
      "quakes.sqlite",
      """
      \(derivedly("UPDATE Region SET total = 7"))
      DROP TRIGGER "bolide_Quake.region_id.moved";
      UPDATE Quake SET region_id = 9 WHERE id = 'b';
      """)
    let outcome = try folder.bolide("verify", "quakes.sqlite")
    #expect(
      outcome
        == Outcome(
          status: 65,
          output: """
            Quake 2: refers to a Region that does not exist
            the trigger bolide_Quake.region_id.moved is missing
            Region 1 quakeCount: stored 2, true 1
            Region 1 total: stored 7.0, true 1.0

            """))
  }

  @Test func `decimals are told as such, and a filter with what is recomputed`() throws {
    try folder.write(
      """
      bolide: 1
      name: sales
      store: sales.sqlite
      entity: Sale
      key: id
      attributes: { id: integer64, price: { type: decimal, scale: 2 }, shop: { type: string, transient: true } }
      link: { in: { to: { name: shop } } }
      relationships: { in: { to-one: Shop, inverse: sales } }
      entities:
        Shop:
          key: name
          attributes:
            name: string
            total: { derived: sales.price.@sum, where: price > 1 }
          relationships: { sales: { to-many: Sale, inverse: in } }
      """, to: "sales.yaml")
    try folder.write(#"[{"id": 1, "price": 2.5, "shop": "x"}]"#, to: "sales.json")
    #expect(try folder.bolide("import", "sales.yaml", "sales.json") == .silent)
    try folder.sqlite("sales.sqlite", derivedly("UPDATE Shop SET total = -5"))
    #expect(
      try folder.bolide("verify", "sales.sqlite")
        == Outcome(status: 65, output: "Shop 1 total: stored -0.05, true 2.50\n"))
    let other = try String(decoding: folder.bytes(of: "sales.yaml"), as: UTF8.self)
    try folder.write(other.replacing("price > 1", with: "price > 2"), to: "sales.yaml")
    #expect(
      try folder.bolide("migrate", "sales.sqlite", "sales.yaml", "--plan").output
        == "recompute Shop.total as sales.price.@sum where price > 2\n")
  }

  @Test func `rejected records are listed with how often they came`() throws {
    _ = try folder.bolide("import", "quakes.yaml", "feed.json", "-q")
    let list = try folder.bolide("rejects", "quakes.sqlite")
    #expect(
      list
        == Outcome(
          status: 0,
          output: """
            feed.json:2:8: record 3: id is part of the key and is null (quakes, runs 1 to 2, 2 times)
            feed.json:2:40: record 4: magnitude: expected a number such as 12.8 (quakes, runs 1 to 2, 2 times)

            """))
    let objects = try folder.bolide("rejects", "quakes.sqlite", "--run", "2", "--format", "ndjson")
    let first = #"""
      {"reject":1,"pipeline":"quakes","firstRun":1,"lastRun":2,"times":2,"code":"null-key",\#
      "message":"id is part of the key and is null","attribute":"id","input":"feed.json","record":3,\#
      "byte":89,"line":2,"column":8,"text":"{\"id\": null}","isCut":false}
      """#
    #expect(objects.lines.first == first)
    #expect(objects.lines.count == 2)
    #expect(try folder.bolide("rejects", "quakes.sqlite", "--run", "9") == .silent)
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "the system has no /dev/full"))
  func `findings that cannot be written are an error`() throws {
    try folder.sqlite("quakes.sqlite", derivedly("UPDATE Region SET total = 7"))
    for command in ["verify", "rejects"] {
      let outcome = try folder.shell(#""$bolide" \#(command) quakes.sqlite > /dev/full"#)
      #expect(
        outcome
          == .failure(
            74, "standard output cannot be written (No space left on device)",
            "Check its destination, and run the same command again."), "\(command)")
    }
  }
}
