import Bolide
import Foundation
import Testing

/// Writing objects from Swift: `insert`, `upsert` and `update`.
@Suite struct WritingTests {
  private static let author = EditOptions(author: "app")

  /// What is refused, as code and sentence.
  private func refusal(_ body: () async throws -> Void) async throws -> String {
    let error = try await #require(throws: StoreError.self) { try await body() }
    return "\(error.code): \(error.reason)" + (error.hint.map { " \($0)" } ?? "")
  }

  private func thing(_ store: Store, _ id: String) async throws -> Thing {
    var request = ObjectQuery("Thing", where: "id = \(id)")
    request.related = ["group"]
    return try #require(try await store.fetch(request, as: Thing.self).first)
  }

  @Test func `a new object has its values, links and defaults, and derived attributes follow`() async throws {
    let store = try await ThingStore.holding([#"{"id": "a", "place": "here"}"#])
    let before = try await store.newestToken()
    let (object, report) = try await store.insert(
      "Thing",
      [
        "id": "b", "small": 7, "price": 12.5, "flag": true, "at": Date(timeIntervalSince1970: 1.9),
        "note": nil,
      ],
      links: ["group": ["name": "here"]], options: Self.author)
    #expect(report.counts.map(\.entity) == ["Thing", "Group"])
    #expect(report.counts.map(\.inserted) == [1, 0] && report.counts.map(\.updated) == [0, 1])
    let thing = try await thing(store, "b")
    #expect(
      thing.small == 7 && thing.price == Decimal(text: "12.5") && thing.flag == true && thing.note == nil)
    #expect(thing.at == Date(timeIntervalSince1970: 1) && thing.group == Thing.Group(name: "here", count: 2))
    let transactions = try await store.history(HistoryRequest(after: before))
    #expect(transactions.map(\.author) == ["app"] && transactions.map(\.token) == [report.token])
    #expect(try await store.fetch(ObjectQuery("Thing", where: "id = 'b'")).map(\.id) == [object.id])
    #expect(try await store.verify().isEmpty)
  }

  @Test func `an upsert changes what it names, once`() async throws {
    let store = try await ThingStore.holding([#"{"id": "a", "small": 1, "real": 0.5, "place": "here"}"#])
    let first = try await store.upsert("Thing", ["id": "a", "small": 2], options: Self.author)
    #expect(first.report.counts.map(\.updated) == [1])
    let again = try await store.upsert("Thing", ["id": "a", "small": 2], options: Self.author)
    #expect(again.report.counts.isEmpty && again.report.token == nil && again.object == first.object)
    var thing = try await thing(store, "a")
    #expect(thing.small == 2 && thing.real == 0.5 && thing.group?.name == "here")
    let unlinked = try await store.upsert("Thing", ["id": "a", "real": nil], links: ["group": nil])
    #expect(unlinked.report.counts.map(\.updated) == [1, 1])
    thing = try await self.thing(store, "a")
    #expect(thing.real == nil && thing.group == nil && thing.small == 2)
    #expect(try await store.upsert("Thing", ["id": "new"]).report.counts.map(\.inserted) == [1])
  }

  @Test func `objects of a predicate are updated, and a trial changes nothing`() async throws {
    let store = try await ThingStore.holding((1...4).map { #"{"id": "\#($0)", "small": \#($0)}"# })
    let trial = EditOptions(author: "app", isTrial: true)
    let token = try await store.newestToken()
    #expect(
      try await store.update("Thing", where: "small > 2", set: ["small": 4], options: trial).counts.map(
        \.updated)
        == [1])
    #expect(try await store.insert("Thing", ["id": "z"], options: trial).report.counts.map(\.inserted) == [1])
    #expect(try await store.newestToken() == token)
    let changed = try await store.update(
      "Thing", where: "small > 2", set: ["small": 4, "quality": Written.Quality.good])
    #expect(changed.counts.map(\.updated) == [2])
    #expect(try await store.count(ObjectQuery("Thing", where: "small = 4 AND quality = 'good'")) == 2)
    #expect(try await store.update("Thing", where: .all, set: [:]).counts.isEmpty)
    #expect(
      try await store.update("Thing", where: "id = '1'", set: ["id": "one"]).counts.map(\.updated) == [1])
    #expect(try await store.delete("Thing", where: .all).counts.map(\.deleted) == [4])
  }

  /// As `Thing` without what is not written.
  private struct Written: Codable, Equatable, Sendable {
    enum Quality: String, Codable, Sendable, ValueConvertible { case good, bad }
    var id: String
    var small: Int16?
    var middle: Int32?
    var large: Int64?
    var real: Double?
    var single: Float?
    var price: Decimal?
    var tiny: Decimal?
    var flag: Bool?
    var at: Date?
    var millis: Date?
    var micros: Date?
    var day: Date?
    var uuid: UUID?
    var bytes: Data?
    var note: String?
    var quality: String?
  }

  @Test(arguments: 10..<13)
  func `what was imported is written back without a change, and into an empty store`(
    seed: Int
  ) async throws {
    var dice = RandomRecords(seed)
    let store = try await ThingStore.holding((0..<60).map { dice.record($0) })
    let request = ObjectQuery("Thing", sort: [.init("id")])
    let things = try await store.fetch(request, as: Written.self)
    let copy = try await ThingStore.holding([])
    for thing in things {
      #expect(try await store.upsert("Thing", ObjectValues(encoding: thing)).report.counts.isEmpty)
      try await copy.insert("Thing", ObjectValues(encoding: thing))
    }
    var columns = request
    columns.properties = try #require(try await store.fetch(request).first).values.map(\.name).filter {
      $0 != "group"
    }
    let (own, other) = (try await store.fetch(columns), try await copy.fetch(columns))
    #expect(own.map(\.values) == other.map(\.values) && own.count == 60)
  }

  // MARK: What is refused

  private struct Listed: Encodable {
    var id = "a"
    var small = [1, 2]
  }
  private struct Nested: Encodable {
    var id = "a"
    var group = Key()
    struct Key: Encodable { var name = "here" }
  }

  @Test func `an object that has no values`() async throws {
    #expect(
      try await refusal { _ = try ObjectValues(encoding: Listed()) }
        == "typeMismatch: 'small' of type Array<Int> is not one value, and no attribute can have it "
        + "Link objects with the argument `links`.")
    #expect(
      try await refusal { _ = try ObjectValues(encoding: Nested()) }
        == "typeMismatch: 'group' of type Key is not one value, and no attribute can have it "
        + "Link objects with the argument `links`.")
    #expect(
      try await refusal { _ = try ObjectValues(encoding: [1]) }
        == "typeMismatch: Array<Int> does not encode itself as properties with names")
    #expect(
      try await refusal { _ = try ObjectValues(encoding: 1) }
        == "typeMismatch: Int does not encode itself as properties with names")
  }

  @Test func `values that an import would reject`() async throws {
    let store = try await ThingStore.holding([#"{"id": "a"}"#])
    let token = try await store.newestToken()
    for (values, reason) in [
      (["small": 32_768], "small: the value is out of the range of its type"),
      (["large": UInt64.max], "large: the value is out of the range of its type"),
      (["real": Double.nan], "real: the value is out of the range of its type"),
      (["price": Decimal(text: "0.001")], "price: the number has more decimals than the attribute's scale"),
      (["flag": 2], "flag: expected true or false"),
      (["at": "yesterday"], "at: expected a date such as 2026-05-12 03:14:07"),
      (["note": "{"], "note: expected JSON; use `json_quote(…)` for a text"),
      (["id": nil], "id is part of the key and is null"),
    ] as [(ObjectValues, String)] {
      #expect(
        try await refusal { try await store.update("Thing", where: .all, set: values) }
          == "constraint: Thing cannot have these values: \(reason): nothing was changed")
    }
    #expect(
      try await refusal { try await store.insert("Thing", ["small": 1]) }
        == "constraint: Thing cannot have these values: id is part of the key and is missing: nothing was changed"
    )
    #expect(try await store.newestToken() == token)
  }

  @Test func `names, keys and links`() async throws {
    let store = try await ThingStore.holding([#"{"id": "a"}"#, #"{"id": "b"}"#])
    let token = try await store.newestToken()
    for (body, sentence) in [
      (
        { try await store.insert("Thing", ["id": "a"]) },
        "keyExists: there is a Thing with this key already: nothing was changed Use `upsert` to change it."
      ),
      (
        { try await store.update("Thing", where: .all, set: ["id": "c"]) },
        "constraint: another Thing has the same key or the same unique values: nothing was changed"
      ),
      (
        { try await store.insert("Thing", ["id": "c", "smal": 1]) },
        "badRequest: Thing has no attribute 'smal'; did you mean 'small'?"
      ),
      (
        { try await store.insert("Thing", ["id": "c", "place": "x"]) },
        "badRequest: 'place' of Thing is transient: it is not stored"
      ),
      (
        { try await store.insert("Group", ["name": "c", "count": 1]) },
        "badRequest: 'count' of Group is derived: the store computes it"
      ),
      (
        { try await store.insert("Thing", ["id": "c", "group": "x"]) },
        "badRequest: 'group' of Thing is a relationship Link objects with `links`, or with `link`."
      ),
      (
        { try await store.insert("Thing", ["id": "c"], links: ["group": ["name": "x"]]) },
        "guarded: there is no Group with this key: nothing was changed Insert it first."
      ),
      (
        { try await store.insert("Thing", ["id": "c"], links: ["group": ["count": 1]]) },
        "badRequest: an object of Group is named by its key, name Use name=…."
      ),
      (
        { try await store.insert("Thin", [:]) },
        "badRequest: the store has no entity 'Thin' It has Thing, Group."
      ),
    ] as [(() async throws -> Void, String)] {
      #expect(try await refusal(body) == sentence)
    }
    #expect(try await store.newestToken() == token)
  }

  @Test func `a key that contains a relationship`() async throws {
    let pipeline = try Pipeline(
      yaml: """
        bolide: 1
        store: orders.sqlite
        entity: Order
        key: number
        attributes: { number: integer32 }
        children:
          lines:
            entity: Line
            inverse: order
            records: lines
            key: [order, place]
            attributes: { place: integer32, text: string }
            children:
              remarks:
                entity: Remark
                inverse: line
                records: remarks
                key: [line, id]
                attributes: { id: string }
        """)
    let store = try await Store(inMemoryFor: pipeline)
    let order = try await store.insert("Order", ["number": 7]).object
    for text in ["old", "new"] {
      try await store.upsert("Line", ["place": 1, "text": text], links: ["order": ["number": 7]])
    }
    #expect(try await store.fetch(ObjectQuery("Line")).map { $0["text"] } == ["new"])
    // A link to it names the order by its id.
    try await store.insert("Remark", ["id": "a"], links: ["line": ["order": order.id, "place": 1]])
    #expect(try await store.count(ObjectQuery("Remark", where: "line.order.number = 7")) == 1)
    #expect(
      try await store.link("Remark", "line", where: .all, to: ["order": Value(order.id), "place": 1]).counts
        .isEmpty)
    #expect(
      try await refusal { try await store.insert("Line", ["place": 2]) }
        == "constraint: Line cannot have these values: order is part of the key and is missing: nothing was changed"
    )
  }

  @Test func `limits of an attribute, unique values, and a one-to-one link`() async throws {
    let pipeline = try Pipeline(
      yaml: """
        bolide: 1
        store: people.sqlite
        entity: Person
        key: name
        attributes:
          name:  { type: string, pattern: "[a-z]+" }
          age:   { type: integer16, min: 0, max: 150 }
          role:  { type: string, one-of: [guest, host], default: guest }
          badge: string
        unique: [[badge]]
        relationships: { passport: { has-one: Passport, inverse: owner } }
        entities:
          Passport:
            key: number
            attributes: { number: string }
            relationships: { owner: { to-one: Person, inverse: passport } }
        """)
    let store = try await Store(inMemoryFor: pipeline)
    for number in ["A1", "B1"] { try await store.insert("Passport", ["number": number]) }
    try await store.insert("Person", ["name": "anna", "badge": "1"], links: ["passport": ["number": "A1"]])
    #expect(try await store.fetch(ObjectQuery("Person")).map { $0["role"] } == ["guest"])
    // Bert takes it over.
    let taken = try await store.insert(
      "Person", ["name": "bert", "badge": "2"], links: ["passport": ["number": "A1"]])
    #expect(taken.report.counts.map(\.inserted) == [1, 0] && taken.report.counts.map(\.updated) == [0, 1])
    #expect(try await store.count(ObjectQuery("Passport", where: "owner.name = 'bert'")) == 1)
    for (values, reason) in [
      (["name": "Carl", "badge": "3"], "name does not match its pattern"),
      (["name": "c", "badge": "3", "age": 151], "age is greater than its maximum"),
      (["name": "c", "badge": "3", "role": "cook"], "role is not one of guest, host"),
    ] as [(ObjectValues, String)] {
      #expect(
        try await refusal { try await store.upsert("Person", values) }
          == "constraint: Person cannot have these values: \(reason): nothing was changed")
    }
    #expect(
      try await refusal { try await store.insert("Person", ["name": "carl"]) }
        == "constraint: Person cannot have these values: badge is required, and a new row has no value for it: "
        + "nothing was changed")
    #expect(
      try await refusal { try await store.upsert("Person", ["name": "carl", "badge": "1"]) }
        == "constraint: another Person has the same key or the same unique values: nothing was changed")
    #expect(try await store.verify().isEmpty)
  }
}
