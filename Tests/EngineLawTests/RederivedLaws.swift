import Bolide
import StoreInterface
import Testing

/// A derived attribute that the pipeline computes otherwise from now on: readers learn of each value that is another one, and of what it was.
struct RederivedLaws {
  private static func pipeline(_ value: String) throws -> Pipeline {
    try Pipeline(
      yaml: """
        bolide: 1
        name: law
        store: law.sqlite
        entity: Item
        key: id
        attributes: { id: integer64, size: integer64, weight: double, place: { type: string, transient: true } }
        link: { in: { to: { name: place } } }
        relationships: { in: { to-one: Group, inverse: items } }
        entities:
          Group:
            key: name
            attributes: { name: string, value: { derived: \(value) } }
            relationships: { items: { to-many: Item, inverse: in } }
        """, file: "law.yaml", directory: ".")
  }

  /// Two items, two without values, and none at all.
  private static let feed = """
    {"id": 1, "size": 2, "weight": 0.5, "place": "A"} {"id": 2, "size": 3, "weight": 1, "place": "A"}
    {"id": 3, "place": "B"} {"id": 4, "place": "B"} {"id": 5, "size": 1, "weight": 9, "place": "C"}
    """

  static let sameType = ["items.@count", "items.size.@sum", "items.size.@max", "items.size.@min"]
  static let real = [
    "items.weight.@sum", "items.weight.@average", "items.weight.@max", "items.size.@average",
  ]

  private static func values(_ engine: any StoreEngine, at token: HistoryToken? = nil) throws -> [String:
    Value]
  {
    var values: [String: Value] = [:]
    try engine.readRows(ObjectQuery("Group"), at: token) { row in
      let row = row.values.byName
      values[row["name"]?.plain ?? ""] = row["value"]
    }
    return values
  }

  private static func store(_ engine: Engine, _ was: String) throws -> any StoreEngine {
    let pipeline = try pipeline(was)
    let store = try engine.make(pipeline)
    _ = try store.run(pipeline, on: [.bytes(feed.utf8, name: "feed")], options: ImportOptions())
    _ = try store.deleteObjects(
      ObjectQuery("Item", where: .init(text: "id = 5", values: [])), EditOptions())
    return store
  }

  @Test(
    arguments: [Engine.sqlite, .postgreSQL],
    [sameType, real].flatMap { forms in forms.flatMap { was in forms.map { (was, $0) } } }.filter {
      $0.0 != $0.1
    })
  func `each value that is another one is told, with what it was`(
    _ engine: Engine, _ forms: (was: String, now: String)
  )
    throws
  {
    let store = try Self.store(engine, forms.was)
    let (before, token) = try (Self.values(store), store.newestToken())
    try store.fit(Self.pipeline(forms.now))
    let after = try Self.values(store)
    #expect(after == (try Self.values(Self.store(engine, forms.now))))
    for isNet in [false, true] {
      var request = HistoryRequest(after: token)
      request.isNet = isNet
      let told = try store.history(request).flatMap(\.changes).map { change in
        (change.key.text, change.previous.byName["value"])
      }
      let expected = before.filter { after[$0.key] != $0.value }
      #expect(Dictionary(told) { first, _ in first } == expected, "\(after)")
    }
    #expect(try Self.values(store, at: token) == before)
    _ = try store.run(
      Self.pipeline(forms.now),
      on: [.bytes(#"{"id": 6, "size": 7, "weight": 8, "place": "C"}"#.utf8, name: "feed")],
      options: ImportOptions())
    try store.verify { Issue.record("\($0)") }
  }

  /// What a value was cannot be told as one of the other type.
  @Test(
    arguments: [Engine.sqlite, .postgreSQL],
    [
      ("items.@count", "items.weight.@sum"), ("items.weight.@average", "items.@count"),
      ("items.size.@max", "items.weight.@max"),
    ])
  func `where the values are of another type, readers begin again`(
    _ engine: Engine, _ forms: (was: String, now: String)
  ) throws {
    let store = try Self.store(engine, forms.was)
    let token = try store.newestToken()
    try store.fit(Self.pipeline(forms.now))
    #expect(try Self.values(store) == Self.values(Self.store(engine, forms.now)))
    let error = #expect(throws: StoreError.self) { try store.history(HistoryRequest(after: token)) }
    #expect(error?.reason == "the history after the token \(token) has a gap: some changes are not in it")
    let refusal = #expect(throws: StoreError.self) { try store.revert(.run(1), force: false, EditOptions()) }
    #expect(refusal?.code == .tokenExpired)
    #expect(try store.history(HistoryRequest(after: store.newestToken())).isEmpty)
    try store.verify { Issue.record("\($0)") }
  }
}
