import BolideBench
import Foundation
import Synchronization
import Testing

@Suite struct FireballFeedTests {
  /// Feeds are kept and compared between machines, so a change of even one byte is a new version of the generator.
  @Test func `a seed gives the same bytes on every machine`() throws {
    #expect(digest(FireballFeed(rows: 1_060, seed: 1)) == 1_402_834_573_400_289_922)
    #expect(digest(FireballFeed(rows: 1_060, seed: 2)) == 17_432_812_429_414_212_191)
    #expect(
      digest(FireballFeed(rows: 1_060, seed: 1, revise: 5, rekey: 5, drop: 5)) == 16_699_244_962_341_228_232)
    #expect(
      digest(FireballFeed(rows: 1_060, seed: 1, options: .init(dataFirst: true, order: .shuffled)))
        == 547_904_774_710_632_962)
  }

  @Test func `the feed has the shape of the real one`() throws {
    let read = try ReadFeed(FireballFeed(rows: 1_060, seed: 7))
    #expect(read.count == "1060")
    #expect(read.rows.count == 1_060)
    #expect(
      read.fields == ["date", "energy", "impact-e", "lat", "lat-dir", "lon", "lon-dir", "alt", "vel"])
    #expect(read.rows.allSatisfy { $0.count == 9 })
    #expect(read.rows.first?[0]?.hasPrefix("2025-12-") == true)
    #expect(read.text.hasPrefix(#"{"signature":{"source":"Bolide's generator, in the shape of"#))
  }

  @Test func `the rows may come before their names`() throws {
    let after = try ReadFeed(FireballFeed(rows: 50, seed: 7))
    let before = try ReadFeed(FireballFeed(rows: 50, seed: 7, options: .init(dataFirst: true)))
    #expect(after.text.contains(#"],"data":[["#))
    #expect(before.text.contains(#"]],"fields":["#))
    #expect(before.rows == after.rows)
    #expect(before.fields == after.fields)
  }

  @Test func `a feed of no rows has neither names nor rows`() throws {
    let feeds = [FireballFeed(rows: 0, seed: 1), FireballFeed(rows: 10, seed: 1, drop: 100)]
    for feed in feeds {
      #expect(ReadFeed.bytes(feed) == ReadFeed.bytes(feeds[0]))
      let text = String(decoding: ReadFeed.bytes(feed), as: UTF8.self)
      #expect(text.hasSuffix("\"version\":\"1.2\"},\"count\":\"0\"}\n"))
    }
  }

  @Test(arguments: [FireballFeed(rows: 30_000, seed: 3), FireballFeed(rows: 30_000, seed: 3, rekey: 100)])
  func `dates are unique, newest first, and as the feed writes them`(feed: FireballFeed) throws {
    let dates = try ReadFeed(feed).rows.compactMap(\.[0])
    #expect(dates.count == 30_000)
    #expect(zip(dates, dates.dropFirst()).allSatisfy { $0 > $1 })
    #expect(dates.allSatisfy { $0.count == 19 && $0 < "2026" && $0 >= "1000" })
    // Foundation reads every one as the same moment in the calendar.
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "UTC")
    formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
    for date in dates.prefix(2_000) {
      #expect(formatter.date(from: date).map { formatter.string(from: $0) } == date)
    }
  }

  @Test func `values are texts, hemispheres stand beside unsigned numbers, and locations are whole`() throws {
    let rows = try ReadFeed(FireballFeed(rows: 20_000, seed: 5)).rows
    var missing = [Int](repeating: 0, count: 9)
    for row in rows {
      #expect(row[1] != nil && row[2] != nil)
      let places = row[3...6].count { $0 == nil }
      #expect(places == 0 || places == 4)
      if let north = row[4], let east = row[6] {
        #expect(["N", "S"].contains(north) && ["E", "W"].contains(east))
      }
      for index in [3, 5, 7, 8] {
        if let text = row[index] { #expect(text.wholeMatch(of: /\d{1,3}\.\d/) != nil) }
      }
      let (latitude, longitude): (Double?, Double?) = (
        row[3].flatMap(Double.init), row[5].flatMap(Double.init)
      )
      #expect(latitude ?? 0 <= 90)
      #expect(longitude ?? 0 <= 180)
      for index in row.indices where row[index] == nil { missing[index] += 1 }
    }
    // The shares of the real feed.
    for (index, share) in [(3, 0.175), (7, 0.445), (8, 0.664)] {
      let found = Double(missing[index]) / 20_000
      #expect(abs(found - share) < 0.015)
    }
    #expect(Set(rows.compactMap(\.[4])).count == 2)
    #expect(Set(rows.compactMap(\.[6])).count == 2)
  }

  @Test func `few energies hold most of the sum, and each has its impact energy`() throws {
    let rows = try ReadFeed(FireballFeed(rows: 20_000, seed: 5)).rows
    let energies = rows.compactMap { $0[1].flatMap(Double.init) }.sorted(by: >)
    let sum = energies.reduce(0, +)
    #expect(energies.prefix(200).reduce(0, +) > sum / 3)
    #expect(energies.allSatisfy { $0 >= 2 && $0 < 45_000 })
    for row in rows {
      let energy = try #require(row[1].flatMap(Double.init))
      let impact = try #require(row[2].flatMap(Double.init))
      let expected = 8.2508 * pow(energy * 1e10 / 4.185e12, 0.885)
      // Two digits: the largest rounding is 0.5 in 10.
      #expect(abs(impact / expected - 1) <= 0.050_001)
      #expect(row[1]?.wholeMatch(of: /\d(\.\d\d?)?|\d\d(\.\d)?|\d{3}(\.0)?|\d{3}0{1,2}/) != nil)
      #expect(row[2]?.wholeMatch(of: /0\.0?\d\d?|\d(\.\d)?|\d{2,3}/) != nil)
    }
  }

  @Test func `any order holds the same rows`() throws {
    for rows in [1, 2, 3, 1_000, 4_097] {
      let newest = try ReadFeed(FireballFeed(rows: rows, seed: 9, drop: 3)).rows
      let oldest = try ReadFeed(
        FireballFeed(rows: rows, seed: 9, drop: 3, options: .init(order: .oldestFirst))
      ).rows
      let shuffled = try ReadFeed(
        FireballFeed(rows: rows, seed: 9, drop: 3, options: .init(order: .shuffled))
      ).rows
      #expect(oldest == newest.reversed())
      #expect(Set(shuffled) == Set(newest) && shuffled.count == newest.count)
      guard rows >= 1_000 else { continue }
      // Shuffled well enough that neighbours rise as often as they fall.
      let rises = zip(shuffled, shuffled.dropFirst()).filter { ($0[0] ?? "") < ($1[0] ?? "") }.count
      #expect(abs(Double(rises) / Double(rows) - 0.5) < 0.05)
    }
  }

  @Test func `the consumer's error ends the writing`() {
    struct Full: Error {}
    var pieces = 0
    #expect(throws: Full.self) {
      try FireballFeed(rows: 100_000, seed: 1).write { _ in
        pieces += 1
        if pieces == 2 { throw Full() }
      }
    }
    #expect(pieces == 2)
  }

  @Test func `SplitMix64 gives its published numbers`() {
    var random = SplitMix64(seed: 1_234_567)
    let expected: [UInt64] = [
      6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
    ]
    #expect((0..<3).map { _ in random.next() } == expected)
  }

  /// FNV-1a, 64 bits.
  private func digest(_ feed: FireballFeed) -> UInt64 {
    ReadFeed.bytes(feed).reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}

/// A feed as Foundation reads it.
struct ReadFeed {
  private static let written = Mutex<[String: [UInt8]]>([:])

  /// All bytes of a feed; each is made once, as many tests take the same.
  static func bytes(_ feed: FireballFeed) -> [UInt8] {
    let name = "\(feed)"
    if let known = written.withLock({ $0[name] }) { return known }
    var all: [UInt8] = []
    feed.write { all += $0 }
    written.withLock { [all] in $0[name] = all }
    return all
  }

  let text: String
  let count: String
  let fields: [String]
  let rows: [[String?]]

  init(_ feed: FireballFeed) throws {
    let all = Self.bytes(feed)
    text = String(decoding: all, as: UTF8.self)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(all)) as? [String: Any])
    count = try #require(object["count"] as? String)
    fields = try #require(object["fields"] as? [String])
    let data = try #require(object["data"] as? [[Any]])
    rows = try data.map { row in
      try row.map { value in value is NSNull ? nil : try #require(value as? String) }
    }
    try #require(count == "\(rows.count)")
  }
}
