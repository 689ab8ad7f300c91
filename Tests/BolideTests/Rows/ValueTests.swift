import Bolide
import Foundation
import Testing

/// Values from Swift's types and back.
@Suite struct ValueTests {
  @Test func `literals`() {
    let values: [Value] = [nil, true, false, 7, -0.5, "text"]
    #expect(values == [.null, .integer(1), .integer(0), .integer(7), .real(-0.5), .text("text")])
  }

  @Test func `numbers at their limits`() {
    #expect(Value(Int64.min) == .integer(.min) && Int64(stored: .integer(.min)) == .min)
    #expect(Value(UInt64.max) == .real(0x1p64))
    #expect(UInt64(stored: -1) == nil && Int8(stored: 128) == nil && Int8(stored: -128) == -128)
    #expect(
      Int(stored: 1.0) == nil && Int(stored: "1") == nil
        && Int(stored: .integer(150), as: .decimal(scale: 2)) == nil)
    #expect(Int(stored: 150, as: .decimal(scale: 0)) == 150)
    #expect(Double(stored: .integer(1 << 53)) == 0x1p53 && Double(stored: .integer(1 << 53 + 1)) == nil)
    #expect(Double(stored: 1234, as: .decimal(scale: 2)) == 12.34)
    #expect(
      Float(stored: 0.1) == 0.1 && Value(Double.nan) == .null && Value(Float.infinity) == .real(.infinity))
    #expect(Bool(stored: 1) == true && Bool(stored: 0) == false && Bool(stored: 2) == nil)
    #expect(Bool(stored: 1, as: .decimal(scale: 2)) == nil)
    #expect(Value(Decimal(text: "12.34")) == .real(12.34) && Value(Decimal(5)) == .integer(5))
    #expect(Value(Decimal.nan) == .null && Value(Decimal(text: "1e30")) == .real(1e30))
    #expect(
      Decimal(stored: .integer(.min), as: .decimal(scale: 18)) == Decimal(text: "-9.223372036854775808"))
    #expect(Decimal(stored: 12.5) == nil)
  }

  @Test func `instants and days`() {
    let date = Date(timeIntervalSince1970: -0.001)
    #expect(Value(date) == "1969-12-31T23:59:59Z")
    #expect(Value(date, precision: .milliseconds) == "1969-12-31T23:59:59.999Z")
    #expect(Value(date, precision: .microseconds) == "1969-12-31T23:59:59.999000Z")
    #expect(Value(day: date) == "1969-12-31")
    #expect(Value(Date(timeIntervalSince1970: 1e15)) == "9999-12-31T23:59:59Z")
    #expect(Value(Date(timeIntervalSince1970: -1e15)) == "0000-01-01T00:00:00Z")
    #expect(
      Value(Date(timeIntervalSince1970: .nan)) == .null
        && Value(day: Date(timeIntervalSince1970: .nan)) == .null)
    for text in [
      "0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59.999Z",
      "2024-02-29T12:00:00.250125Z",
      "1969-12-31T23:59:59.999999Z", "2000-02-29",
    ] {
      let value = Date(stored: .text(text)).map { date in
        switch text.count {
        case 10: Value(day: date)
        case 20: Value(date)
        case 24: Value(date, precision: .milliseconds)
        default: Value(date, precision: .microseconds)
        }
      }
      #expect(value == .text(text))
    }
    for text in [
      "", "2026", "2026-05-12 03:14:07", "2026-05-12t03:14:07Z", "2026-05-12T03:14:07", "2026-02-30",
      "2026-13-01",
      "2026-05-12T24:00:00Z", "2026-05-12T03:14:07,001Z", "2026-05-12T8:53 PM Z", "20260512T031407.00Z",
    ] {
      #expect(Date(stored: .text(text)) == nil, "\(text)")
    }
  }

  @Test func `texts, bytes, and what is one's own`() {
    enum Quality: Int, ValueConvertible { case good = 1 }
    let id = UUID()
    #expect(Value(id) == .text(id.uuidString.lowercased()) && UUID(stored: Value(id)) == id)
    #expect(UUID(stored: "6f9619ff") == nil && String(stored: 1) == nil)
    #expect(Value(Data([1, 2])) == .blob([1, 2]) && Data(stored: .blob([1, 2])) == Data([1, 2]))
    #expect(Value([UInt8](repeating: 3, count: 2)) == .blob([3, 3]) && [UInt8](stored: "a") == nil)
    #expect(Value(Quality.good) == 1 && Quality(stored: 1) == .good && Quality(stored: 2) == nil)
    #expect(Value(Int?.none) == .null && Int?(stored: .null) == .some(nil) && Int?(stored: "a") == nil)
    #expect(Value(Value.text("a")) == "a")
  }

  @Test func `a row's values by their names`() throws {
    let row = Snapshot.Row(
      entity: "Quake", id: 1, key: [.init(name: "id", type: .string, value: "a")],
      values: [
        .init(name: "id", type: .string, value: "a"),
        .init(name: "cost", type: .decimal(scale: 2), value: 1250), .init(name: "depth", value: .null),
      ],
      related: [.init(name: "region", row: Snapshot.Row(entity: "Region", id: 2, key: [], values: []))])
    #expect(row["cost"] == 1250 && row["costs"] == nil && row["depth"] == .some(.null))
    #expect(row["cost", as: Decimal.self] == Decimal(text: "12.5") && row["cost", as: Bool.self] == nil)
    #expect(row.related("region")?.id == 2 && row.related("group") == nil)
    #expect(try row.value("id") == "a" && row.value("depth", as: Int?.self) == nil)
    func refusal(_ name: String) -> String? {
      do throws(StoreError) {
        _ = try row.value(name, as: Bool.self)
        return nil
      } catch {
        return error.message
      }
    }
    #expect(refusal("costs") == "a row of Quake has no property 'costs'; did you mean 'cost'?")
    #expect(refusal("depth") == "'depth' of Quake cannot be read as Bool: it is null")
    for (value, kind) in [(2, "a whole number"), (0.5, "a real number"), ("t", "text"), (.blob([]), "bytes")]
      as [(Value, String)]
    {
      let row = Snapshot.Row(entity: "Quake", id: 1, key: [], values: [.init(name: "x", value: value)])
      let error = #expect(throws: StoreError.self) { try row.value("x", as: Bool.self) }
      #expect(error?.message == "'x' of Quake cannot be read as Bool: it is \(kind)")
    }
    let change = HistoryChange(
      transaction: 1, kind: .update, entity: "Quake", id: 1, key: row.key, previous: row.values,
      isDerived: false)
    #expect(change.previous["cost", as: Double.self] == 12.5 && change.values?["cost"] == nil)
  }
}
