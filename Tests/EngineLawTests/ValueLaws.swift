import Bolide
import StoreInterface
import Testing

/// Values at the edges of their types.
struct ValueLaws {
  private static let model = """
    bolide: 1
    name: law
    store: law.sqlite
    entity: Event
    key: [at, day]
    attributes:
      at: { type: date, precision: ms }
      day: day
      since: { type: day, default: "0000-01-02" }
      data: json
      size: integer64

    """

  private static func store(_ engine: Engine) throws -> LawStore {
    let store = try LawStore(engine, model)
    try store.take([
      #"{"at": "0000-03-01T01:02:03.250Z", "day": "0000-02-29", "data": {"a": 1}, "size": 1}"#,
      #"{"at": "2026-03-01T01:02:03Z", "day": "0000-02-29", "data": {"a": 1}, "size": 2}"#,
      #"{"at": "2026-03-01T01:02:03Z", "day": "9999-12-31", "size": 3}"#,
    ])
    return store
  }

  @Test(arguments: Engine.keeping) func `the year 0 is a year`(_ engine: Engine) throws {
    let store = try Self.store(engine)
    let key = LoggedObject.key(["at=0000-03-01T01:02:03.250Z", "day=0000-02-29"])
    #expect(try store.engine.log(of: "Event", key).map(\.kind) == [.insert])
    var since: [Value?] = []
    let early = ObjectQuery("Event", where: .init(text: "at < '0001-01-01'", values: []))
    try store.engine.readRows(early, at: nil) { since.append($0.values.byName["since"]) }
    #expect(since == [.text("0000-01-02")])
    _ = try store.engine.deleteObjects(early, EditOptions())
    #expect(try store.engine.log(of: "Event", key).map(\.kind) == [.insert, .delete])
  }

  /// SQLite's functions make any bytes.
  @Test(arguments: Engine.keeping) func `a text of an expression that is not UTF-8 is refused`(
    _ engine: Engine
  ) throws {
    let model = """
      bolide: 1
      name: law
      store: law.sqlite
      entity: Letter
      key: id
      attributes:
        id: integer64
        text: { type: string, value: "char(id)" }
        place: { type: string, transient: true, value: "CAST(x'c3' || substr(x'a9ff', 1 + (id = 8364), 1) AS TEXT)" }
        rest: { type: string, value: "length(place)" }

      """
    let store = try LawStore(engine, model)
    let report = try store.take(
      [233, 0xD800, 0xDBFF, 0xDFFF, 0xE000, 0x1F600, 8364].map { #"{"id": \#($0)}"# })
    #expect(report.progress.counts.inserted == 3)
    #expect(report.progress.counts.rejected == 4)
    let rejects = try store.engine.rejects(RejectFilter(), after: 0).map(\.reject)
    #expect(rejects.map(\.record) == [2, 3, 4, 7])
    #expect(rejects.map(\.attribute) == ["text", "text", "text", "place"])
    #expect(Set(rejects.map(\.message)) == ["an expression failed: its text is not UTF-8"])
    var texts: [Value?] = []
    try store.engine.readRows(ObjectQuery("Letter"), at: nil) { texts.append($0.values.byName["text"]) }
    #expect(texts == [.text("é"), .text("\u{E000}"), .text("\u{1F600}")])
    try store.engine.verify { Issue.record("\($0)") }
  }

  @Test(arguments: Engine.keeping) func `json is grouped by its text`(_ engine: Engine) throws {
    let store = try Self.store(engine)
    func rows(_ change: (inout ObjectQuery) -> Void) throws -> [[Value]] {
      var request = ObjectQuery("Event")
      change(&request)
      var rows: [[Value]] = []
      try store.engine.readRows(request, at: nil) { rows.append($0.values.map(\.value)) }
      return rows
    }
    let text = Value.text(#"{"a": 1}"#)
    #expect(
      try rows {
        $0.groups = ["data"]
        $0.aggregates = [.init(.sum, of: "size")]
      } == [[.null, .integer(3)], [text, .integer(3)]])
    #expect(try rows { ($0.isDistinct, $0.properties) = (true, ["data"]) } == [[.null], [text]])
    #expect(
      try rows { ($0.isDistinct, $0.properties, $0.sort) = (true, ["size", "data"], [.init("data")]) }
        == [[.integer(3), .null], [.integer(1), text], [.integer(2), text]])
  }
}
