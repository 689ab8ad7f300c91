import Bolide
import StoreInterface
import TestServer
import Testing

/// What delete rules do to one row by several links, in one statement.
struct DeleteRuleTests {
  private static let flights = """
    bolide: 1
    name: flights
    entity: Flight
    key: number
    attributes:
      number:   integer64
      miles:    double
      start:    { type: string, transient: true }
      goal:     { type: string, transient: true }
      carrier:  { type: string, transient: true }
      fromName: { derived: from.name }
      toName:   { derived: to.name }
      toSince:  { derived: to.since }
      spelled:  { derived: canonical:(to.name) }
    link:
      from: { to: { name: start } }
      to:   { to: { name: goal } }
      by:   { to: { name: carrier } }
    relationships:
      from: { to-one: Airport, inverse: departures }
      to:   { to-one: Airport, inverse: arrivals }
      by:   { to-one: Carrier, inverse: flights }
    entities:
      Airport:
        key: name
        attributes:
          name:    string
          since:   integer64
          miles:   { derived: departures.miles.@sum }
          longest: { derived: arrivals.miles.@max }
        relationships:
          departures: { to-many: Flight, inverse: from }
          arrivals:   { to-many: Flight, inverse: to }
      Carrier:
        key: name
        attributes:
          name:    string
          count:   { derived: flights.@count }
          mean:    { derived: flights.miles.@average }
          newest:  { derived: flights.toSince.@max }
          homes:   { derived: flights.@count, where: "miles > 4.0" }
        relationships: { flights: { to-many: Flight, inverse: by } }

    """

  /// Flights between three airports, by two carriers: of each pair one.
  private func store(_ model: String = flights) throws -> ServerStore {
    let store = try ServerStore(model)
    let airports = ["A", "B", "Z"]
    try store.take(
      airports.indices.flatMap { from in
        airports.indices.map { to in
          #"{"number": \#(10 * from + to), "miles": \#(from + 4 * to), "start": "\#(airports[from])", "#
            + #""goal": "\#(airports[to])", "carrier": "\#((from + to) % 2)"}"#
        }
      })
    try store.psql(#"UPDATE "Airport" SET since = 1900 + ascii(name)"#)
    return store
  }

  @Test(arguments: [["A"], ["Z"], ["A", "B"], ["B", "Z"], ["A", "B", "Z"]])
  func `a row that loses several links in one statement is in history once, and what is derived is true`(
    names: [String]
  ) throws {
    let (store, other) = (try store(), try self.store())
    let (token, start) = (try store.engine.newestToken(), try other.engine.newestToken())
    let list = names.map { "'\($0)'" }.joined(separator: ", ")
    try store.psql(#"DELETE FROM "Airport" WHERE name IN (\#(list))"#)
    // The same with one link at a time.
    try other.psql(
      """
      BEGIN;
      UPDATE "Flight" SET from_id = NULL WHERE from_id IN (SELECT bolide_id FROM "Airport" WHERE name IN (\(list)));
      UPDATE "Flight" SET to_id = NULL WHERE to_id IN (SELECT bolide_id FROM "Airport" WHERE name IN (\(list)));
      DELETE FROM "Airport" WHERE name IN (\(list));
      COMMIT;
      """)
    let rows = """
      SELECT number, miles, from_id, to_id, by_id, "fromName", "toName", "toSince" FROM "Flight" ORDER BY number;
      SELECT name, miles, longest FROM "Airport" ORDER BY name;
      SELECT name, "count", mean, newest, homes FROM "Carrier" ORDER BY name
      """
    #expect(try store.psql(rows) == other.psql(rows))
    // The order of the properties of a change is that in which they changed.
    func told(_ store: ServerStore, after token: HistoryToken) throws -> [[Substring]] {
      try store.changes(after: token).sorted().map { $0.split(separator: " ").sorted() }
    }
    #expect(try Set(told(store, after: token)) == Set(told(other, after: start)))
    for store in [store, other] { #expect(try store.engine.verified() == []) }
  }

  /// Airports A and B go: what leads to them by one link goes with them, and what does so by the other loses it. With `to` the
  /// server calls the trigger for deletions last, with `from` the one for updates.
  @Test(arguments: ["to", "from"])
  func `a row that loses a link and goes with another is in history with both`(link: String) throws {
    let store = try store(
      Self.flights.replacing("inverse: \(link) }\n", with: "inverse: \(link), on-delete: cascade }\n"))
    try store.engine.assignPendingChanges()
    let token = try store.engine.newestToken()
    // The new flights are not in history at all.
    try store.psql(
      """
      BEGIN;
      INSERT INTO "Flight"(number, from_id, to_id) SELECT 100 + number, from_id, to_id FROM "Flight" WHERE number IN (1, 10);
      DELETE FROM "Airport" WHERE name IN ('A', 'B');
      COMMIT;
      """)
    try store.engine.assignPendingChanges()
    let changes = try store.engine.history(HistoryRequest(after: token)).flatMap(\.changes)
      .filter { $0.entity == "Flight" }
      .map { change in
        ([change.kind.rawValue] + change.key.map(\.value.text)
          + change.previous.map { "\($0.name) \($0.value.text)" }.sorted()).joined(separator: " ")
      }
    let both = [
      "delete 0 by 1 from 1 fromName A miles 0.0 number 0 spelled a to 1 toName A toSince 1965",
      "delete 1 by 2 from 1 fromName A miles 4.0 number 1 spelled b to 2 toName B toSince 1966",
      "delete 10 by 2 from 2 fromName B miles 1.0 number 10 spelled a to 1 toName A toSince 1965",
      "delete 11 by 1 from 2 fromName B miles 5.0 number 11 spelled b to 2 toName B toSince 1966",
    ]
    let one =
      link == "to"
      ? [
        "delete 20 by 1 from 3 fromName Z miles 2.0 number 20 spelled a to 1 toName A toSince 1965",
        "delete 21 by 2 from 3 fromName Z miles 6.0 number 21 spelled b to 2 toName B toSince 1966",
        "update 12 from 2 fromName B", "update 2 from 1 fromName A",
      ]
      : [
        "delete 12 by 2 from 2 fromName B miles 9.0 number 12 spelled z to 3 toName Z toSince 1990",
        "delete 2 by 1 from 1 fromName A miles 8.0 number 2 spelled z to 3 toName Z toSince 1990",
        "update 20 spelled a", "update 20 to 1 toName A toSince 1965",
        "update 21 spelled b", "update 21 to 2 toName B toSince 1966",
      ]
    #expect(changes.sorted() == (both + one).sorted())
    #expect(try store.engine.verified() == [])
  }

  /// The updates of a statement's `WITH` are handed to the triggers with those of the delete rules, or behind the deletions.
  @Test(arguments: ["nullify", "cascade"], ["", "other: { to-one: Owner }"])
  func
    `rows that a statement updates while it deletes what they lead to are in history as with two statements`(
      rule: String, other: String
    ) throws
  {
    let model = """
      bolide: 1
      name: items
      entity: Item
      key: id
      attributes: { id: integer64, size: integer64 }
      relationships:
        owner: { to-one: Owner, inverse: items }
        \(other)
      entities:
        Owner:
          key: id
          attributes: { id: integer64, total: { derived: items.size.@sum }, number: { derived: items.@count } }
          relationships: { items: { to-many: Item, inverse: owner, on-delete: \(rule) } }

      """
    let (update, delete) = (#"UPDATE "Item" SET size = size + 10"#, #"DELETE FROM "Owner" WHERE id = 1"#)
    var told: [[String]] = []
    for statements in ["WITH updated AS (\(update)) \(delete)", "\(update); \(delete)"] {
      let store = try ServerStore(model)
      try store.psql(
        """
        INSERT INTO "Owner"(id) VALUES (1), (2);
        INSERT INTO "Item"(id, size, owner_id) VALUES (1, 1, 1), (2, 2, 1), (3, 3, 2);
        """)
      try store.engine.assignPendingChanges()
      let token = try store.engine.newestToken()
      try store.psql(
        """
        BEGIN;
        INSERT INTO "Item"(id, size, owner_id) VALUES (4, 4, 1), (5, 5, 2);
        \(statements);
        COMMIT;
        """)
      try store.engine.assignPendingChanges()
      let changes = try store.engine.history(HistoryRequest(after: token)).flatMap(\.changes)
      told.append(
        changes.map { change in
          "\(change.kind) \(change.entity) \(change.key.map(\.value.text)) "
            + change.previous.map { "\($0.name) \($0.value.text)" }.sorted().joined(separator: " ")
        }.sorted())
      #expect(try store.engine.verified() == [])
      #expect(try store.psql(#"SELECT total FROM "Owner""#) == "28")
    }
    #expect(told[0] == told[1])
    #expect(told[0].contains { $0.contains("size 1") })
  }

  /// Node 2 goes with node 3, and keeps node 1.
  private func nodes() throws -> ServerStore {
    let store = try ServerStore(
      """
      bolide: 1
      name: nodes
      entity: Node
      key: id
      attributes: { id: integer64 }
      relationships:
        parent: { to-one: Node, inverse: children }
        children: { to-many: Node, inverse: parent, on-delete: cascade }
        kept: { to-one: Node, inverse: keepers }
        keepers: { to-many: Node, inverse: kept, on-delete: deny }

      """)
    try store.psql(
      #"INSERT INTO "Node"(id) VALUES (1), (2), (3); UPDATE "Node" SET parent_id = 3, kept_id = 1 WHERE id = 2"#
    )
    return store
  }

  private func delete(_ ids: String, _ store: ServerStore) throws -> [Int] {
    let request = ObjectQuery("Node", where: .init(text: "id IN (\(ids))", values: []))
    return try StoreAddress(store.server.address(schema: store.schema)).open()
      .deleteObjects(request, EditOptions()).counts.map(\.deleted)
  }

  @Test func `what keeps an object and goes with another one does not deny the deletion of both`() throws {
    let store = try nodes()
    let error = try #require(throws: StoreError.self) { try delete("1", store) }
    #expect(error.code == .guarded)
    #expect(try delete("1, 3", store) == [3])
    #expect(try store.psql(#"SELECT count(*) FROM "Node""#) == "0")
  }

  @Test func `it does not deny it in a store of format 6 either, which had no such constraints`() throws {
    let store = try nodes()
    try store.psql(
      """
      ALTER TABLE "Node" ALTER CONSTRAINT bolide_link_kept_id NOT DEFERRABLE;
      \(UpgradeTests.undone(to: 6))
      """)
    #expect(try delete("1, 3", store) == [3])
    let deferrable = try store.psql(
      "SELECT condeferrable FROM pg_constraint WHERE conname LIKE 'bolide_link%' AND connamespace = '\(store.schema)'::regnamespace "
        + "ORDER BY conname")
    #expect(deferrable == "t\nf")
  }

  private static let namesakes = """
    bolide: 1
    name: shops
    entity: Item
    key: id
    attributes: { id: integer64, place: { type: string, transient: true } }
    link: { region: { to: { name: place } } }
    relationships: { region: { to-one: Region, inverse: items } }
    entities:
      Shop:
        key: id
        attributes: { id: integer64 }
        relationships: { region: { to-one: Region, inverse: shops } }
      Region:
        key: name
        attributes: { name: string }
        relationships:
          items: { to-many: Item, inverse: region, on-delete: deny }
          shops: { to-many: Shop, inverse: region }

    """

  @Test(arguments: [15, 14]) func `links of one name have rules of their own`(format: Int) throws {
    let store = try ServerStore(Self.namesakes)
    try store.take([#"{"id": 1, "place": "A"}"#, #"{"id": 2, "place": "B"}"#])
    try store.psql(
      #"INSERT INTO "Shop"(id, region_id) SELECT bolide_id, bolide_id FROM "Region"; DELETE FROM "Item" WHERE id = 2"#
    )
    if format < 15 {
      try store.psql(
        """
        ALTER TABLE "Shop" ALTER CONSTRAINT bolide_link_region_id NOT DEFERRABLE;
        \(UpgradeTests.undone(to: format))
        """)
    }
    let engine = try StoreAddress(store.server.address(schema: store.schema)).open()
    func delete(_ name: String) throws {
      _ = try engine.deleteObjects(
        ObjectQuery("Region", where: .init(text: "name = '\(name)'")), EditOptions())
    }
    let error = try #require(throws: StoreError.self) { try delete("A") }
    #expect(error.code == .guarded)
    try delete("B")
    #expect(try store.psql(#"SELECT id, region_id IS NULL FROM "Shop" ORDER BY id"#) == "1|f\n2|t")
    #expect(try store.engine.verified() == [])
  }
}
