import Foundation
import Testing

/// Random orders with random lines, several times revised: the store is what applying one after the other would make.
@Suite struct ChildrenPropertyTests {
  /// A value that a field of a record has: nothing, null, or a number; a number below 0 is written as a bad text.
  private enum Cell: Equatable {
    case absent, null
    case number(Int)
  }

  private struct Line {
    var sku: Int
    var amount: Cell
    var isBad: Bool
  }

  private struct Order {
    var id: Int
    var version: Cell
    var isBad: Bool
    /// Nil for no array at all.
    var lines: [Line]?
  }

  private static func cell(_ random: inout any RandomNumberGenerator) -> Cell {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: .absent
    case 1: .null
    default: .number(Int.random(in: 0..<4, using: &random))
    }
  }

  private static func feed(_ random: inout any RandomNumberGenerator) -> [Order] {
    (0..<Int.random(in: 1..<60, using: &random)).map { _ in
      let lines = (0..<Int.random(in: 0..<6, using: &random)).map { _ in
        Line(
          sku: Int.random(in: 0..<5, using: &random), amount: cell(&random),
          isBad: Int.random(in: 0..<8, using: &random) == 0)
      }
      return Order(
        id: Int.random(in: 0..<25, using: &random), version: cell(&random),
        isBad: Int.random(in: 0..<8, using: &random) == 0,
        lines: Int.random(in: 0..<8, using: &random) == 0 ? nil : lines)
    }
  }

  private static func member(_ name: String, _ cell: Cell) -> String {
    switch cell {
    case .absent: ""
    case .null: #", "\#(name)": null"#
    case .number(let number): #", "\#(name)": \#(number)"#
    }
  }

  private static func json(_ feed: [Order]) -> String {
    let orders = feed.map { order in
      let lines = order.lines.map { lines in
        let items = lines.map { line in
          #"{"sku": "\#(line.sku)"\#(line.isBad ? #", "amount": "?""# : member("amount", line.amount))}"#
        }
        return #", "items": [\#(items.joined(separator: ", "))]"#
      }
      let version = order.isBad ? #", "version": "?""# : member("version", order.version)
      return #"{"id": "\#(order.id)"\#(version)\#(lines ?? "")}"#
    }
    return "[\(orders.joined(separator: ",\n "))]"
  }

  /// The store as it should be, and what was read.
  private struct Oracle {
    var orders: [String: Int?] = [:]
    var lines: [String: [String: Int?]] = [:]

    mutating func apply(_ feed: [Order]) -> (read: Int, refused: Int, lines: Int, refusedLines: Int) {
      var counts = (read: feed.count, refused: 0, lines: 0, refusedLines: 0)
      for order in feed {
        guard !order.isBad else {
          counts.refused += 1
          continue
        }
        let id = "\(order.id)"
        orders[id] = .some(Self.value(order.version, orders[id] ?? nil))
        for line in order.lines ?? [] {
          counts.lines += 1
          guard !line.isBad else {
            counts.refusedLines += 1
            continue
          }
          let old = lines[id]?["\(line.sku)"] ?? nil
          lines[id, default: [:]]["\(line.sku)"] = .some(Self.value(line.amount, old))
        }
      }
      return counts
    }

    private static func value(_ cell: Cell, _ old: Int?) -> Int? {
      switch cell {
      case .absent: old
      case .null: nil
      case .number(let number): number
      }
    }

    var dump: [String] {
      func text(_ value: Int?) -> String { value.map(String.init) ?? "" }
      let all = orders.sorted { $0.key < $1.key }.map { id, version in
        let amounts = (lines[id] ?? [:]).values.compactMap(\.self)
        return
          "\(id)|\(text(version))|\(lines[id]?.count ?? 0)|\(amounts.reduce(0, +)).0|\(amounts.max().map { "\($0).0" } ?? "")|\(amounts.count { $0 == 0 })"
      }
      let children = lines.sorted { $0.key < $1.key }.flatMap { id, lines in
        lines.sorted { $0.key < $1.key }.map { sku, amount in
          "\(id)|\(sku)|\(amount.map { "\($0).0" } ?? "")"
        }
      }
      return all + children
    }
  }

  @Test(arguments: 1...2, [1, 7, 1000]) func `chunks of any size make the same store`(
    seed: Int, chunkRows: Int
  ) throws {
    let folder = try Folder.withOrders()
    var random: any RandomNumberGenerator = SeededGenerator(seed: UInt64(seed))
    var oracle = Oracle()
    for _ in 1...4 {
      let feed = Self.feed(&random)
      let expected = oracle.apply(feed)
      let outcome = try folder.importOrders(
        Self.json(feed), "--chunk-rows", "\(chunkRows)", "--max-rejects", "99%", "-q")
      let counts = try Counts(outcome)
      #expect(counts.read == expected.read && counts.rejected == expected.refused)
      let lines = try Counts("Line", outcome)
      #expect(lines.read == expected.lines && lines.rejected == expected.refusedLines)
      #expect(
        lines.read == lines.inserted + lines.updated + lines.unchanged + lines.duplicates + lines.superseded
          + lines.rejected)
      guard expected.read > expected.refused else { continue }
      let dump = try folder.sqlite(
        "orders.sqlite",
        """
        SELECT id, version, lineCount, total, largest, gifts FROM "Order" ORDER BY id;
        SELECT id, sku, amount FROM Line JOIN "Order" AS o ON o.bolide_id = order_id ORDER BY id, sku
        """)
      #expect(dump == oracle.dump)
    }
    #expect(try folder.bolide("verify", "orders.sqlite") == .silent)
    #expect(try folder.sqlite("orders.sqlite", "PRAGMA foreign_key_check") == [])
  }
}

/// SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
