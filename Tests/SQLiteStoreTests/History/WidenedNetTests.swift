import ImportModel
@testable import ModelMerging
import StoreInterface
import Testing

@testable import SQLiteStore

/// Net changes over a type that became wider.
struct WidenedNetTests {
  private static func pipeline(_ count: AttributeType, _ price: AttributeType) -> Pipeline {
    plainPipeline([
      Attribute(name: "id", type: .integer64, isRequired: true), Attribute(name: "count", type: count),
      Attribute(name: "price", type: price),
    ])
  }

  @Test func `What has its old value again is told where the value has another form, and not else`() throws {
    let temporary = try TemporaryStore()
    let first = Self.pipeline(.integer16, .decimal(scale: 1))
    let store = try temporary.open(first)
    let records: [Record] = [
      ["id": 1, "count": 5, "price": 10], ["id": 2, "count": .null, "price": .null],
      ["id": 3, "count": 5, "price": 0],
    ]
    try store.take(first, [records[0], records[1], records[2]])
    let token = try store.newestToken()
    try store.take(first, (1...3).map { ["id": .integer($0), "count": 6, "price": 20] })
    let second = Self.pipeline(.integer32, .decimal(scale: 2))
    try store.fit(second)
    try store.take(
      second, [["id": 1, "count": 5, "price": 100], ["id": 2, "count": .null, "price": .null], records[2]])

    var request = HistoryRequest(after: token)
    request.isNet = true
    let changes = try store.history(request).flatMap(\.changes)
    #expect(changes.map(\.id) == [1, 3])
    #expect(changes.map { $0.previous.map(\.name) } == [["price"], ["price"]])
    #expect(changes.map { $0.previous.map(\.value) } == [[100], [0]])
  }

  private static let types: [AttributeType] = [
    .integer16, .integer32, .integer64, .float, .double, .decimal(scale: 1), .decimal(scale: 2),
    .date(precision: .seconds), .date(precision: .milliseconds), .date(precision: .microseconds),
  ]

  /// History keeps the types of a widening as words, and asks SQLite what the type itself knows.
  @Test func `Each widening is known by its words for a conversion or for none`() throws {
    let temporary = try TemporaryStore()
    let store = try temporary.open(Self.pipeline(.integer16, .decimal(scale: 1)))
    let pairs = Self.types.flatMap { before in Self.types.map { (before, $0) } }.filter { $0.widens(to: $1) }
    #expect(pairs.count == 11)
    for (before, after) in pairs {
      let attribute = Attribute(name: "price", type: after)
      let widening = Widening(
        entity: Entity(name: "Thing", key: [], attributes: [attribute]), attribute: attribute, before: before)
      let found = try store.integer(
        """
        SELECT \(Widening.wasConversion) FROM (SELECT '\(before.description)' AS was, '\(after.description)' AS type)
        """)
      #expect((found == 1) == widening.isConversion, "\(before) to \(after)")
    }
  }
}
