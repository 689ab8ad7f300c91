import Foundation
import Testing

import Bolide

/// Amounts of money in `bolide init`: by the name and by the values.
struct InferenceMoneyTests {
  private static func records(_ members: [String], and other: String = "") -> String {
    let records = members.enumerated().map { #"{"id":\#($0),\#($1)\#(other)}"# }
    return "[\(records.joined(separator: ","))]"
  }

  @Test(arguments: [
    ("price", ["12.50", "0.99"], "", 2, "money, by its name, always 2 decimals"),
    ("unit_price", [#""12.50""#, #""3""#], "", 2, "money, by its name, at most 2 decimals"),
    ("Total Price USD", ["12.5", "3"], "", 2, "money, by its name, at most 1 decimal"),
    ("fuelPrices", ["1.459", "1.5"], "", 3, "money, by its name, at most 3 decimals"),
    ("shipping_cost", ["0.0125", "-7.5"], "", 4, "money, by its name, at most 4 decimals"),
    ("amount", ["12.25", "3.5"], "", 2, "money, by its name, at most 2 decimals"),
    ("account_balance", [#""-12.00""#, #""+7.10""#], "", 2, "money, by its name, always 2 decimals"),
    ("fee_amount", ["1.5", "2.5"], "", 2, "money, by its name, always 1 decimal"),
    (
      "total", ["12.125", "3.5"], #","currency":"KWD""#, 3,
      "money, by its name and `currency` beside it, at most 3 decimals"
    ),
    (
      "rainAmount", ["12.25", "3.5"], #","currencyCode":"EUR""#, 2,
      "money, by its name and `currencyCode` beside it, at most 2 decimals"
    ),
    ("discount", ["1.5", "2.5"], #","price":9.5"#, 2, "money, by its name, always 1 decimal"),
  ])
  func `money is a decimal, with what speaks for it`(
    name: String, values: [String], other: String, scale: Int, note: String
  ) async throws {
    let feed = try InferenceRoundTrip(Self.records(values.map { #""\#(name)":\#($0)"# }, and: other))
    #expect(feed.text.contains(#/type: decimal,( from: "?[\w ]+"?,)? scale: (\d) }/#), "\(feed.text)")
    #expect(feed.text.contains("scale: \(scale) }") && feed.text.contains("# \(note)\n"), "\(feed.text)")
    #expect(try await feed.imported() == (values.count, values.count))
  }

  @Test(arguments: [
    ("latitude", ["12.25", "3.50"]), ("lon", ["12.25", "3.50"]), ("magnitude", ["4.50", "3.25"]),
    ("price_change", ["0.25", "1.50"]), ("pricePercent", ["0.25", "1.50"]), ("fee_type", ["1.25", "2.50"]),
    ("total_energy", ["1.25", "2.50"]), ("rain_total", ["1.25", "2.50"]), ("charge", ["1.25", "2.50"]),
    ("amount", ["1.5", "2.5"]), ("total", ["1.25", "2.505"]), ("currency", ["1.25", "2.50"]),
    ("usd", ["1.25", "2.50"]), ("value", ["1.25", "2.50"]), ("discount", ["0.25", "0.50"]),
    // Too many decimals, exponents, more digits than a decimal has.
    ("price", ["1.23456", "2.50"]), ("price", ["1.25e2", "2.50"]), ("price", ["123456789012345.25", "2.50"]),
  ])
  func `other numbers are not money`(name: String, values: [String]) async throws {
    let feed = try InferenceRoundTrip(Self.records(values.map { #""\#(name)":\#($0)"# }))
    #expect(
      feed.attribute(name) == "double" || feed.settings.contains { $0.contains("{ type: double, from: ") })
    #expect(!feed.text.contains("decimal"), "\(feed.text)")
    #expect(try await feed.imported() == (2, 2))
  }

  @Test(arguments: [
    (#""properties":{"amount":12.25}"#, true), (#""totals":{"tax":12.25}"#, true),
    (#""statistics":{"total":12.25}"#, false), (#""statistics":{"total":12.25,"currency":"EUR"}"#, true),
    (#""statistics":{"total":12.25},"currency":"EUR""#, false),
  ])
  func `the key before says what an amount is of`(member: String, isMoney: Bool) throws {
    let feed = try InferenceRoundTrip(Self.records([member]))
    #expect(feed.text.contains("decimal") == isMoney, "\(feed.text)")
  }

  @Test func `whole numbers stay what they are, cents perhaps`() throws {
    let feed = try InferenceRoundTrip(Self.records([#""price":1250,"fee":"12""#, #""price":99,"fee":"13""#]))
    #expect(feed.attribute("price") == "integer64" && feed.attribute("fee") == "string")
  }

  @Test func `an amount and its currency in an object, and the prices of a list`() throws {
    let feed = try InferenceRoundTrip(
      #"[{"id":1,"price":{"value":"12.5","currency":"EUR"},"lines":[{"no":1,"price":1.25},{"no":2,"price":3}]},"#
        + #"{"id":2,"price":{"value":"3","currency":"EUR"},"lines":[{"no":1,"price":0.5}]}]"#)
    #expect(feed.attribute("priceValue") == "{ type: decimal, from: price/value, scale: 2 }", "\(feed.text)")
    #expect(feed.attribute("price") == "{ type: decimal, scale: 2 }", "\(feed.text)")
  }

  @Test func `spellings of missing leave the proposal a decimal`() throws {
    let feed = try InferenceRoundTrip(
      Self.records([#""price":"NA""#, #""price":"1.50""#, #""price":"2.75""#]))
    #expect(
      feed.text.contains(
        """
          price: string     # money, by its name, always 2 decimals; text because of "NA" in 1; if that means missing:
        # price: { type: decimal, scale: 2, missing: [NA] }

        """), "\(feed.text)")
  }

  @Test func `numbers far from the others count among the decimals`() throws {
    let feed = try InferenceRoundTrip(Self.records([#""price":1.5"#, #""price":2"#, #""price":99.99"#]))
    #expect(
      feed.text.contains(
        """
          price: { type: decimal, scale: 2 }  # money, by its name, at most 2 decimals; 99.99 in 1, far from the \
        others; if that means missing:
        # price: { type: decimal, scale: 2, missing: ["99.99"] }

        """), "\(feed.text)")
  }

  @Test func `any prices are stored to the last digit`() async throws {
    var random = SystemRandomNumberGenerator()
    for _ in 1...12 {
      let places = Int.random(in: 1...4, using: &random)
      // One is written with all places, so that the column has some.
      let texts = (0..<Int.random(in: 2...60, using: &random)).map { index -> String in
        let digits = Int.random(in: 0...14, using: &random)
        let whole = (0..<digits).map { _ in "\(Int.random(in: 0...9, using: &random))" }.joined()
        let shown = index == 0 ? places : Int.random(in: 0...places, using: &random)
        let fraction = (0..<shown).map { _ in "\(Int.random(in: 0...9, using: &random))" }.joined()
        let sign = Bool.random(using: &random) ? "-" : ""
        return sign + (Int64(whole).map { "\($0)" } ?? "0") + (shown > 0 ? ".\(fraction)" : "")
      }
      let areTexts = Bool.random(using: &random)
      let feed = try InferenceRoundTrip(
        Self.records(texts.map { areTexts ? #""price":"\#($0)""# : #""price":\#($0)"# }))
      let scale = max(2, places)
      #expect(feed.attribute("price") == "{ type: decimal, scale: \(scale) }", "\(texts)")
      let stored = try await feed.values(of: "price")
      let units = texts.map { text in
        let parts = text.split(separator: ".")
        let fraction = parts.count > 1 ? String(parts[1]) : ""
        let digits = parts[0] + fraction + String(repeating: "0", count: scale - fraction.count)
        return Int64(digits).map { "\($0)" }
      }
      #expect(stored == units, "\(texts)")
    }
  }
}
