import Bolide
import Foundation
import Testing

/// Predicates with values in them.
@Suite struct InterpolatedPredicateTests {
  @Test func `values are bound, and never text`() {
    let (name, least) = ("' OR 1 --", 0.05)
    let predicate: ObjectQuery.Predicate = "name = \(name) AND energy > \(least) AND day IS \(Int?.none)"
    #expect(predicate.text == "name = ? AND energy > ? AND day IS ?")
    #expect(predicate.values == [.text(name), .real(0.05), .null])
    #expect("depth > 3" as ObjectQuery.Predicate == .init(text: "depth > 3"))
    // A literal is one wherever it stands; a text is what it is.
    #expect(ObjectQuery.Predicate("name = \(name)").values == [.text(name)])
    #expect(ObjectQuery.Predicate(text: "name = \(least)") == .init(text: "name = 0.05", values: []))
  }

  @Test func `fetching, linking and deleting`() async throws {
    let store = try await ThingStore.holding([
      #"{"id": "it's", "price": 12.34, "at": "2026-05-12T03:14:07Z", "place": "here"}"#,
      #"{"id": "b", "price": 12.35, "place": "there"}"#,
    ])
    func ids(_ predicate: ObjectQuery.Predicate) async throws -> [String] {
      try await store.fetch(ObjectQuery("Thing", where: predicate)).map { try $0.value("id") }
    }
    let instant = Date(timeIntervalSince1970: 1_778_555_647)
    #expect(try await ids("id = \("it's")") == ["it's"])
    #expect(try await ids("price = \(Decimal(text: "12.34")) AND group.name = \("here")") == ["it's"])
    #expect(try await ids("price > \(Decimal(text: "12.34"))") == ["b"])
    #expect(try await ids("at >= \(instant) OR at < \(instant)") == ["it's"])
    #expect(try await ids("id = \("it's' OR '1' = '1")") == [])
    let linked = try await store.link("Thing", "group", where: "id = \("b")", to: ["name": "here"])
    #expect(linked.counts.map(\.updated) == [1, 2])
    #expect(try await ids("group.name = \("here")").count == 2)
    let deleted = try await store.delete("Thing", where: "id = \("b")")
    #expect(deleted.counts.first?.deleted == 1)
    #expect(try await store.delete("Thing", where: "id = ?", ["it's"]).counts.first?.deleted == 1)
  }

  @Test func `values in the text and beside it are refused, and ? among them`() async throws {
    let store = try await ThingStore.holding([#"{"id": "a"}"#])
    func refusal(_ request: ObjectQuery) async throws -> StoreError {
      try await #require(throws: StoreError.self) { try await store.fetch(request) }
    }
    let twice = try await refusal(ObjectQuery("Thing", where: "small = ? AND id = \("a")", [1]))
    #expect(
      twice.message.hasSuffix("the predicate has interpolated values, and others were given beside it"))
    #expect(twice.hint == "Interpolate all values, or write ? for all.")
    let short = try await refusal(ObjectQuery("Thing", where: "small = ? AND id = \("a")"))
    #expect(short.message.hasSuffix("the predicate has 2 parameters, and 1 value was given"))
    let quoted = try await refusal(ObjectQuery("Thing", where: "id = '\("a")'"))
    #expect(quoted.message.hasSuffix("the predicate has 0 parameters, and 1 value was given"))
  }
}
