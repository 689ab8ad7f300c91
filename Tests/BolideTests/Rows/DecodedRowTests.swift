import Bolide
import Foundation
import Testing

/// Rows as a type of the program's own.
@Suite struct DecodedRowTests {
  private static let full = #"""
    {"id": "a", "small": -32768, "middle": 2147483647, "large": -9223372036854775808, "real": 0.1, "single": 0.1,
     "price": -12.34, "tiny": 9.223372036854775807, "flag": true, "at": "2026-05-12T03:14:07Z",
     "millis": "2026-05-12T03:14:07.001Z", "micros": "2026-05-12T03:14:07.000001Z", "day": "2026-02-28",
     "uuid": "6F9619FF-8B86-D011-B42D-00C04FC964FF", "bytes": "AP8=", "note": {"a": [1]}, "quality": "good",
     "place": "here"}
    """#

  @Test func `every type`() async throws {
    let store = try await ThingStore.holding([Self.full, #"{"id": "b"}"#])
    var request = ObjectQuery("Thing", sort: [.init("id")])
    request.related = ["group"]
    let things = try await store.fetch(request, as: Thing.self)
    let instant = 1_778_555_647.0
    let first = Thing(
      id: "a", small: .min, middle: .max, large: .min, real: 0.1, single: 0.1, price: Decimal(text: "-12.34"),
      tiny: Decimal(text: "9.223372036854775807"), flag: true, at: Date(timeIntervalSince1970: instant),
      millis: Date(timeIntervalSince1970: instant + 0.001),
      micros: Date(timeIntervalSince1970: instant + 0.000001),
      day: Date(timeIntervalSince1970: 1_772_236_800),
      uuid: UUID(uuidString: "6f9619ff-8b86-d011-b42d-00c04fc964ff"), bytes: Data([0, 255]),
      note: #"{"a": [1]}"#, quality: .good, group: Thing.Group(name: "here", count: 1))
    #expect(things == [first, Thing(id: "b")])
    // The same rows by themselves, and pinned.
    #expect(try await store.fetch(request).map { try $0.decode(as: Thing.self) } == things)
    #expect(try await store.pin().fetch(request, as: Thing.self) == things)
    request.batchSize = 1
    #expect(try await store.fetch(request, as: Thing.self) == things)
  }

  @Test(arguments: 0..<4) func `random rows are what the untyped ones say`(seed: Int) async throws {
    var dice = RandomRecords(seed)
    let records = (0..<150).map { dice.record($0) }
    let store = try await ThingStore.holding(records)
    var request = ObjectQuery("Thing", sort: [.init("real"), .init("id")])
    request.related = ["group"]
    let rows = try await store.fetch(request)
    let things = try await store.fetch(request, as: Thing.self)
    #expect(rows.count == 150 && things.count == 150)
    for (row, thing) in zip(rows, things) {
      func text(_ name: String) -> String? { if case .text(let text)? = row[name] { text } else { nil } }
      func integer(_ name: String) -> Int64? {
        if case .integer(let number)? = row[name] { number } else { nil }
      }
      #expect(row["id"] == .text(thing.id))
      #expect(thing.small.map(Int64.init) == integer("small"))
      #expect(thing.large == integer("large"))
      #expect(row["real"] == thing.real.map(Value.real) ?? .null)
      #expect(thing.price.map { $0 * 100 } == integer("price").map { Decimal($0) })
      #expect(thing.flag.map { $0 ? 1 : 0 } == integer("flag"))
      // As Foundation reads it.
      for (name, date) in [("at", thing.at), ("millis", thing.millis)] {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: name == "millis")
        let expected = try text(name).map { try style.parse($0) }
        #expect(abs((date ?? .distantPast).timeIntervalSince(expected ?? .distantPast)) < 0.0005)
      }
      #expect(thing.uuid?.uuidString.lowercased() == text("uuid"))
      #expect(thing.quality?.rawValue == text("quality"))
      #expect(thing.group?.name == row.related("group")?["name", as: String.self])
      // What was read is what is bound and compared.
      for (name, value) in [
        ("small", Value(thing.small)), ("large", Value(thing.large)), ("real", Value(thing.real)),
        ("at", Value(thing.at)),
        ("millis", thing.millis.map { Value($0, precision: .milliseconds) } ?? .null),
        ("day", thing.day.map { Value(day: $0) } ?? .null), ("uuid", Value(thing.uuid)),
        ("bytes", Value(thing.bytes)), ("flag", Value(thing.flag)),
      ] {
        #expect(row[name] == value, "\(name)")
      }
    }
  }

  @Test func `what a fetched property finds is a list`() async throws {
    struct Twin: Decodable, Equatable {
      var id: String
    }
    struct Owner: Decodable, Equatable {
      var bolide_id: Int64
      var twins: [Twin]
    }
    let store = try await ThingStore.holding(
      [#"{"id": "a", "small": 1}"#, #"{"id": "b", "small": 1}"#, #"{"id": "c"}"#])
    var request = ObjectQuery("Thing", sort: [.init("id")])
    request.related = ["twins"]
    let owners = try await store.fetch(request, as: Owner.self)
    #expect(owners.map { $0.twins.map(\.id) } == [["a", "b"], ["a", "b"], []])
    #expect(owners.map(\.bolide_id) == [1, 2, 3])
  }

  // MARK: What is refused

  /// What is said when the one row, `full`, is read as a type.
  private func refusal<Wanted: Decodable & Sendable>(
    _ type: Wanted.Type, _ record: String = full, _ change: (inout ObjectQuery) -> Void = { _ in }
  ) async throws -> String {
    var request = ObjectQuery("Thing")
    change(&request)
    let store = try await ThingStore.holding([record])
    let error = try await #require(throws: StoreError.self) { try await store.fetch(request, as: type) }
    return "\(error.code): \(error.reason)" + (error.hint.map { " \($0)" } ?? "")
  }

  private struct Misspelt: Decodable {
    var smal: Int?
  }
  private struct Unknown: Decodable {
    var weight: Int
  }
  private struct Narrow: Decodable {
    var large: Int32
  }
  private struct Units: Decodable {
    var price: Int
  }
  private struct Required: Decodable {
    var real: Double
  }
  private struct WrongKind: Decodable {
    var at: Bool
  }
  private struct Unbrought: Decodable {
    var group: Thing.Group
  }
  private struct Nested: Decodable {
    var note: Thing.Group
  }
  private struct OneTwin: Decodable {
    var twins: Thing.Group
  }
  private struct Judged: Decodable {
    var quality: Thing.Quality
  }
  private struct Listed: Decodable {
    var small: [Int]
  }

  @Test func `names are checked, also of optional properties`() async throws {
    #expect(
      try await refusal(Misspelt.self)
        == "badRequest: a row of Thing has no property 'smal'; did you mean 'small'?")
    #expect(
      try await refusal(Unknown.self) { $0.properties = ["id", "real"] }
        == "badRequest: a row of Thing has no property 'weight' It has id, real.")
  }

  @Test func `a value of another type`() async throws {
    #expect(
      try await refusal(Narrow.self)
        == "typeMismatch: 'large' of Thing cannot be read as Int32: it is of type integer64")
    #expect(
      try await refusal(Units.self)
        == "typeMismatch: 'price' of Thing cannot be read as Int: it is of type decimal with scale 2")
    #expect(
      try await refusal(WrongKind.self)
        == "typeMismatch: 'at' of Thing cannot be read as Bool: it is of type date")
    #expect(
      try await refusal(Required.self, #"{"id": "a"}"#)
        == "typeMismatch: 'real' of Thing cannot be read as Double: it is null Read it as an optional: Double?."
    )
    #expect(
      try await refusal(Judged.self, #"{"id": "a", "quality": "secret"}"#)
        == "typeMismatch: 'quality' of Thing cannot be read as Quality: it is of type string")
    #expect(
      try await refusal(Listed.self)
        == "typeMismatch: 'small' of Thing cannot be read as Array<Int>: it is of type integer16")
  }

  @Test func `an object that is not there to be read`() async throws {
    #expect(
      try await refusal(Unbrought.self)
        == "typeMismatch: 'group' of Thing cannot be read as Group: it is an object id "
        + "Add 'group' to the request's `related`, if it is a relationship.")
    #expect(
      try await refusal(Unbrought.self, #"{"id": "a"}"#) { $0.related = ["group"] }
        == "typeMismatch: 'group' of Thing cannot be read as Group: it is null Read it as an optional: Group?."
    )
    #expect(
      try await refusal(Nested.self)
        == "typeMismatch: 'note' of Thing cannot be read as Group: it is of type json")
    #expect(
      try await refusal(OneTwin.self) { $0.related = ["twins"] }
        == "typeMismatch: 'twins' of Thing cannot be read as Group: it is a list of objects")
    #expect(
      try await refusal([Int].self)
        == "typeMismatch: a row of Thing cannot be read as a list: it has properties with names")
    #expect(
      try await refusal(Int.self)
        == "typeMismatch: a row of Thing cannot be read as a single value: it has properties with names")
  }
}

/// Records in JSON with anything in them.
struct RandomRecords {
  private var dice: any RandomNumberGenerator

  init(_ seed: Int) { dice = SeededNumbers(seed) }

  private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &dice) }

  mutating func record(_ index: Int) -> String {
    var fields = [#""id": "t\#(index)""#]
    func add(_ name: String, _ value: String, _ dice: inout any RandomNumberGenerator) {
      if Int.random(in: 0..<4, using: &dice) > 0 { fields.append(#""\#(name)": \#(value)"#) }
    }
    // Foundation has the Julian calendar before 1582.
    let seconds = number(-11_676_096_000...253_402_300_799)
    let at = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    let part = String(number(1000...1999).description.dropFirst())
    add("small", "\(number(-32768...32767))", &dice)
    add("large", "\(number(.min ... .max))", &dice)
    add("real", "\(Double(number(-1000...1000)) / 8)", &dice)
    add("price", "\(number(-99999...99999)).\(number(10...99))", &dice)
    add("flag", number(0...1) == 1 ? "true" : "false", &dice)
    add("at", #""\#(at)""#, &dice)
    add("millis", #""\#(at.dropLast()).\#(part)Z""#, &dice)
    add("day", #""\#(at.prefix(10))""#, &dice)
    add("uuid", #""\#((0..<32).map { _ in String(number(0...15), radix: 16) }.joined())""#, &dice)
    add(
      "bytes", #""\#(Data((0..<number(0...9)).map { _ in UInt8(number(0...255)) }).base64EncodedString())""#,
      &dice)
    add("quality", number(0...1) == 1 ? #""good""# : #""bad""#, &dice)
    add("place", #""p\#(number(0...3))""#, &dice)
    return "{\(fields.joined(separator: ", "))}"
  }
}

private struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: Int) { state = UInt64(seed) &* 0x9e37_79b9_7f4a_7c15 &+ 1 }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 29
  }
}
