import Bolide
import Foundation
import Testing

/// Names that a type asks for and rows have not: they are found before the rows are read, and where there are none.
@Suite struct NameCheckTests {
  private struct Misspelt: Decodable {
    var id: String
    var at: Date?
    var smal: Int?
  }
  private struct MisspeltGroup: Decodable {
    struct Group: Decodable {
      var nam: String
    }
    var day: Date?
    var group: Group?
  }
  private struct MisspeltTwins: Decodable {
    var twin: [Twin]
  }
  private struct Twin: Decodable {
    var id: String
  }

  private static let records = [[], [#"{"id": "a", "large": -9223372036854775808, "place": "here"}"#]]
  private static let small = "a row of Thing has no property 'smal'; did you mean 'small'?"

  private func refusal(_ body: () async throws -> Void) async -> String? {
    let error = await #expect(throws: StoreError.self) { try await body() }
    #expect(error?.code == .badRequest)
    return error?.reason
  }

  @Test(arguments: records) func `each call that reads a type says so`(records: [String]) async throws {
    let store = try await ThingStore.holding(records)
    let request = ObjectQuery("Thing")
    let calls: [() async throws -> Void] = [
      { _ = try await store.fetch(request, as: Misspelt.self) },
      { for try await _ in store.rows(of: request, as: Misspelt.self) {} },
      { _ = try await store.pin().fetch(request, as: Misspelt.self) },
      { for try await _ in store.changes(of: "Thing", as: Misspelt.self) {} },
    ]
    for call in calls { #expect(await refusal(call) == Self.small) }
    // Again, as what was good is not looked at again.
    for call in calls { #expect(await refusal(call) == Self.small) }
  }

  @Test(arguments: records) func `also of related objects and of lists`(records: [String]) async throws {
    let store = try await ThingStore.holding(records)
    var request = ObjectQuery("Thing")
    request.related = ["group", "twins"]
    let group = await refusal { _ = try await store.fetch(request, as: MisspeltGroup.self) }
    #expect(group == "a row of Group has no property 'nam'; did you mean 'name'?")
    let twins = await refusal { _ = try await store.fetch(request, as: MisspeltTwins.self) }
    #expect(twins == "a row of Thing has no property 'twin'; did you mean 'twins'?")
    request.properties = ["id", "at"]
    let left = await refusal { _ = try await store.fetch(request, as: Misspelt.self) }
    #expect(left == "a row of Thing has no property 'smal'")
  }

  @Test(arguments: records) func `also of groups`(records: [String]) async throws {
    struct Group: Decodable, Equatable {
      var small: Int?
      var number: Int
    }
    let store = try await ThingStore.holding(records)
    var request = ObjectQuery("Thing")
    request.groups = ["small"]
    request.aggregates = [.init(.count, as: "number")]
    let groups = try await store.fetch(request, as: Group.self)
    #expect(groups == records.map { _ in Group(small: nil, number: 1) })
    let said = await refusal { _ = try await store.fetch(request, as: Misspelt.self) }
    #expect(said?.hasPrefix("a row of Thing has no property 'id'") == true)
  }

  @Test func `it is said before the rows are read`() async throws {
    let store = try await ThingStore.holding(Self.records[1])
    // The smallest number has no positive one.
    let request = ObjectQuery("Thing", where: "abs(large) > 0")
    let failing = await refusal { _ = try await store.fetch(request, as: Twin.self) }
    #expect(failing?.contains("integer overflow") == true)
    #expect(await refusal { _ = try await store.fetch(request, as: Misspelt.self) } == Self.small)
  }

  @Test func `every type of an attribute is passed on the way to a name`() async throws {
    struct Whole: Decodable {
      var id: String
      var small: Int16
      var middle: Int32
      var large: Int64
      var real: Double
      var single: Float
      var price: Decimal
      var tiny: Decimal
      var flag: Bool
      var at: Date
      var millis: Date
      var micros: Date
      var day: Date
      var uuid: UUID
      var bytes: Data
      var note: String
      var group: Int?
      var bolide_id: Int64
      var last: Int
    }
    let store = try await ThingStore.holding([])
    let said = await refusal { _ = try await store.fetch(ObjectQuery("Thing"), as: Whole.self) }
    #expect(said?.hasPrefix("a row of Thing has no property 'last'") == true)
    #expect(try await store.fetch(ObjectQuery("Thing"), as: Thing.self) == [])
  }

  /// Asks for names by what it has read.
  private struct Either: Decodable, Equatable {
    enum Key: String, CodingKey { case id, flag, large, weight, colour }
    var text: String

    init(text: String) { self.text = text }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: Key.self)
      let id = try values.decode(String.self, forKey: .id)
      switch id {
      case "a": text = "\(id) \(try values.decode(Int64.self, forKey: .large))"
      default: text = "\(id) \(try values.decode(Int64.self, forKey: .weight))"
      }
      if values.contains(.colour) { text += try values.decode(String.self, forKey: .colour) }
    }
  }

  @Test func `a type that asks by what it has read is read`() async throws {
    let store = try await ThingStore.holding(Self.records[1] + [#"{"id": "b"}"#])
    let request = ObjectQuery("Thing", where: "id = 'a'")
    let expected = [Either(text: "a -9223372036854775808")]
    #expect(try await store.fetch(request, as: Either.self) == expected)
    var rows = store.rows(of: ObjectQuery("Thing"), as: Either.self).makeAsyncIterator()
    #expect(try await rows.next() == expected[0])
    let said = await refusal { _ = try await rows.next() }
    #expect(said?.hasPrefix("a row of Thing has no property 'weight'") == true)
  }
}
