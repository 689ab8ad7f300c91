import Bolide
import StoreInterface
import TestServer
import Testing

/// Names that mean something to SQL, or are written otherwise than they are declared.
struct NameTests {
  /// Things in groups that count them.
  private static func model(attribute: String = "qty", derived: String = "{ n: { derived: things.@count } }")
    -> String
  {
    """
    bolide: 1
    name: things
    store: things.sqlite
    entity: Thing
    key: id
    attributes:
      id: integer64
      '\(attribute)': integer64
      team: { type: string, transient: true }
    link:
      in: { to: { name: team } }
    relationships:
      in: { to-one: Group, inverse: things }
    entities:
      Group:
        key: name
        attributes:
          name: string
          \(derived.dropFirst().dropLast().trimmingPrefix(" "))
        relationships: { things: { to-many: Thing, inverse: in } }

    """
  }

  private func take(_ store: ServerStore, _ model: String, _ records: [String]) throws {
    _ = try store.take(records, settings: "chunk-rows: 100\n", model: model)
  }

  @Test(arguments: ["sign", "x", "r", "o", "owner", "bolide", "%s", "%t", "a%tb"])
  func `an attribute of this name is counted, summed and verified`(_ name: String) throws {
    let plain = name.allSatisfy(\.isLetter)
    let model = Self.model(
      attribute: name,
      derived:
        "{ n: { derived: things.@count }\n      '%t': { derived: '\(plain ? "things.\(name).@sum" : "things.@count")' } }"
    )
    let store = try ServerStore(model)
    try take(store, model, (1...3).map { #"{"id": \#($0), "\#(name)": \#($0), "team": "A"}"# })
    try store.psql(#"UPDATE "Thing" SET "\#(name)" = 5; DELETE FROM "Thing" WHERE id = 3"#)
    #expect(try store.psql(#"SELECT n, "%t" FROM "Group""#) == (plain ? "2|10" : "2|2"))
    #expect(try store.engine.verified() == [])
    try store.psql(#"SET session_replication_role = replica; UPDATE "Group" SET "%t" = 9"#)
    #expect(try store.engine.verified().count == 1)
  }

  @Test(arguments: ["a$$b", "$bolide$", "$$", "q'u\"o", "A b%t", #"a\b"#, #"$$\'"#, "ü\u{301}", "'\u{301}"])
  func `a schema of this name is a store`(_ name: String) throws {
    let server = try TestServer.shared.get()
    let pipeline = try Pipeline(yaml: Self.model(), file: "things.yaml", directory: ".")
    let schema = name + String(UInt64.random(in: 0 ... .max))
    let engine = try StoreAddress(server.address(schema: schema)).open(for: pipeline, lockWait: 10)
    for feed in [#"{"id": 1, "team": "A"}"#, #"{"id": 2, "team": "A"}"#] {
      _ = try engine.run(pipeline, on: [.bytes(feed.utf8, name: "feed")], options: ImportOptions())
    }
    let table =
      "\"\(schema.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
    _ = try server.psql("UPDATE \(table).\"Thing\" SET qty = 3", schema: "public")
    #expect(try engine.verified() == [])
    #expect(try engine.newestToken().number == 3)
    #expect(try server.psql("SELECT n FROM \(table).\"Group\"", schema: "public") == "2")
  }

  @Test(arguments: ["xmin", "xmax", "cmin", "cmax", "ctid", "tableoid"])
  func `an attribute of a name that each table has is refused`(_ name: String) throws {
    let error = try #require(throws: StoreError.self) { try ServerStore(Self.model(attribute: name)) }
    #expect(error.code == .modelChange && error.reason == "the name Thing.\(name) is one of PostgreSQL's own")
    #expect(error.hint == "Give it another one; `from` says what the input calls an attribute.")
  }

  @Test func `an entity of the server's own names is refused`() throws {
    let error = try #require(throws: StoreError.self) {
      try ServerStore(Self.model().replacing("Thing", with: "pg_class"))
    }
    #expect(error.reason == "the name pg_class is one of PostgreSQL's own")
  }

  @Test(arguments: [
    ("qty", "QTY > 4"), ("Qty", "qTY > 4"), (#"a"b"#, #""a""b" > 4"#), ("Größe", #""Größe" > 4"#),
  ])
  func `a filter may write a name in its own way`(_ name: String, _ filter: String) throws {
    let model = Self.model(
      attribute: name, derived: "{ n: { derived: things.@count, where: '\(filter)' } }")
    let store = try ServerStore(model)
    func key(_ value: Int) -> String {
      #"{"id": 1, "\#(name.replacing("\"", with: "\\\""))": \#(value), "team": "A"}"#
    }
    try take(store, model, [key(1)])
    for (value, count) in [(5, "1"), (3, "0")] {
      try store.psql("UPDATE \"Thing\" SET \"\(name.replacing("\"", with: "\"\""))\" = \(value)")
      #expect(try store.psql(#"SELECT n FROM "Group""#) == count)
    }
    for (value, count) in [(7, "1"), (2, "0")] {
      try take(store, model, [key(value)])
      #expect(try store.psql(#"SELECT n FROM "Group""#) == count)
    }
    #expect(try store.engine.verified() == [])
  }
}
