import Bolide
import StoreInterface
import Testing

/// Another program's trigger keeps rows with links to others as they are: a link that is to change, or to lead nowhere as its end goes.
struct KeptLinksTests {
  @Test(arguments: KeptStore.Place.allCases, ["nullify", "cascade"])
  func `a row whose owner goes is kept`(_ place: KeptStore.Place, _ rule: String) throws {
    let store = try KeptStore(
      place,
      KeptStore.model.replacing("inverse: in }", with: "inverse: in, on-delete: \(rule) }")
        .replacing(", count: { derived: quakes.@count }", with: "")
        .replacing(
          "relationships: { quakes:",
          with: "relationships: { country: { to-one: Country, inverse: regions }, quakes:")
          + """
            Country:
              key: name
              attributes: { name: string, count: { derived: regions.@count } }
              relationships: { regions: { to-many: Region, inverse: country } }

          """)
    try store.take(#"{"id": 1, "place": "A"}{"id": 2, "place": "B"}"#)
    try store.run(
      #"INSERT INTO "Country"(name) VALUES ('C'); UPDATE "Region" SET country_id = (SELECT bolide_id FROM "Country")"#
    )
    try store.engine.assignPendingChanges()
    try store.keep()
    var request = ObjectQuery("Region")
    try store.expectKept("Quake") { _ = try store.engine.deleteObjects(request, EditOptions()) }
    request.predicate = "name == 'A'"
    try store.expectKept("Quake") { _ = try store.engine.deleteObjects(request, EditOptions()) }
    try store.expectKept("Quake", isCommand: false) {
      try store.run(#"DELETE FROM "Region" WHERE name = 'A'"#)
    }
  }

  @Test(arguments: KeptStore.Place.allCases) func `a row whose link is to change is kept`(
    _ place: KeptStore.Place
  ) throws {
    let store = try KeptStore(
      place, KeptStore.model.replacing(", count: { derived: quakes.@count }", with: ""))
    try store.take(#"{"id": 1, "place": "A"}{"id": 2, "place": "B"}"#)
    try store.keep()
    var request = ObjectQuery("Quake")
    request.predicate = "id == 1"
    for edit in [LinkEdit.to(["name": .text("B")]), .from(["name": .text("A")]), .toNone] {
      try store.expectKept("Quake") {
        _ = try store.engine.linkObjects(request, "in", edit, EditOptions())
      }
    }
  }

  @Test(arguments: KeptStore.Place.allCases) func `a link in a row of its own is kept`(
    _ place: KeptStore.Place
  ) throws {
    let model = KeptStore.model.replacing("link: { in: { to: { name: place } } }\n", with: "")
      .replacing("in: { to-one: Region", with: "in: { to-many: Region")
      .replacing(", count: { derived: quakes.@count }", with: "")
    let store = try KeptStore(place, model)
    try store.take(#"{"id": 1}"#)
    try store.run(#"INSERT INTO "Region"(name) VALUES ('A')"#)
    var request = ObjectQuery("Quake")
    request.predicate = "id == 1"
    let key: [String: Value] = ["name": .text("A")]
    try store.run(
      place == .file
        ? "CREATE TRIGGER no BEFORE INSERT ON Quake_in BEGIN SELECT RAISE(IGNORE); END"
        : """
        CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
        CREATE TRIGGER no BEFORE INSERT ON "Quake_in" FOR EACH ROW EXECUTE FUNCTION no();
        """)
    let error = #expect(throws: StoreError.self) {
      try store.engine.linkObjects(request, "in", .to(key), EditOptions())
    }
    #expect(
      error?.reason
        == (place == .file
          ? "a trigger of another program prevents the insertion of a Quake_in"
          : "a trigger of another program keeps new rows out of Quake_in"))
    try store.run(place == .file ? "DROP TRIGGER no" : #"DROP TRIGGER no ON "Quake_in""#)
    _ = try store.engine.linkObjects(request, "in", .to(key), EditOptions())
    try store.keep("Quake_in")
    for edit in [LinkEdit.from(key), .toNone] {
      try store.expectKept("Quake_in") {
        _ = try store.engine.linkObjects(request, "in", edit, EditOptions())
      }
    }
  }

  @Test(arguments: ["UPDATE", "DELETE"]) func `a row is kept from the key that it has now`(_ kept: String)
    throws
  {
    let store = try KeptStore(
      .file, KeptStore.model.replacing("gone: delete\nmax-missing: 100%\n", with: ""))
    try store.take(#"{"id": 1, "magnitude": 5.25}"#)
    try store.take(#"{"id": 2, "magnitude": 5.25}"#)
    try store.keep()
    try store.run("DROP TRIGGER no_\(kept == "UPDATE" ? "DELETE" : "UPDATE")")
    try store.expectKept("Quake") { _ = try store.engine.mergeMissing(of: nil) }
    try store.run("DROP TRIGGER no_\(kept)")
    _ = try store.engine.mergeMissing(of: nil)
    #expect(try store.rows().count == 1)
  }

  @Test(arguments: KeptStore.Place.allCases) func `an object of a tree that goes is kept`(
    _ place: KeptStore.Place
  ) throws {
    let store = try KeptStore(
      place,
      KeptStore.model.replacing("link: { in: { to: { name: place } } }\n", with: "")
        .replacing(", count: { derived: quakes.@count }", with: "")
        .replacing(
          "relationships: { in:",
          with: """
            relationships:
              main:   { to-one: Quake, inverse: afters }
              afters: { to-many: Quake, inverse: main, on-delete: cascade }
              in:
            """
        )
        .replacing("inverse: quakes } }\nentities", with: "inverse: quakes }\nentities"))
    try store.take(#"{"id": 1}{"id": 2}{"id": 3}"#)
    try store.run(#"UPDATE "Quake" SET main_id = bolide_id - 1 WHERE bolide_id > 1"#)
    try store.engine.assignPendingChanges()
    try store.run(
      place == .file
        ? "CREATE TRIGGER no BEFORE DELETE ON Quake WHEN OLD.id = 3 BEGIN SELECT RAISE(IGNORE); END"
        : """
        CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
        CREATE TRIGGER no BEFORE DELETE ON "Quake" FOR EACH ROW WHEN (OLD.id = 3) EXECUTE FUNCTION no();
        """)
    var request = ObjectQuery("Quake")
    request.predicate = "id == 1"
    try store.expectKept("Quake") { _ = try store.engine.deleteObjects(request, EditOptions()) }
    try store.expectKept("Quake", isCommand: false) { try store.run(#"DELETE FROM "Quake" WHERE id = 1"#) }
  }
}
