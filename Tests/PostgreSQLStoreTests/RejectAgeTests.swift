import Bolide
import Foundation
import RandomHistories
import StoreInterface
import TestServer
import Testing

/// What becomes of rejected records in later imports is the same on a server and in a file.
struct RejectAgeTests {
  /// What a replay would try.
  private func replayable(_ known: OrderStores, _ store: Int) throws -> [String] {
    try known.stores[store].replayableRejects(known.pipeline, before: .max, after: nil, limit: 1_000).kept.map
    {
      "\($0.reject.input) \($0.reject.record) \($0.reject.code) \($0.reject.entity ?? "")"
    }
  }

  @Test(
    arguments: [("", false), ("sort: key", false), ("", true), ("reject-rows: 2", false)],
    1...LongRun.seeds)
  func `records whose key came again are not tried any more, and the next good import forgets them`(
    kind: (keys: String, isAtomic: Bool), seed: Int
  ) throws {
    let known = try OrderStores("\(kind.keys)\nkeep-text: true")
    let mended = try OrderStores.pipeline(
      "\(kind.keys)\nkeep-text: true", replacing: "max: 90", with: "max: 99")
    var dice = Dice(seed)
    var most = 0
    for step in 1...12 {
      let lines = (0..<dice.int(1...5)).map { _ in
        let version = dice.int(1...3) == 1 ? #""bad""# : "\(dice.int(1...9))"
        let amount = dice.int(1...4) == 1 ? 91 : dice.int(1...9)
        let id = dice.pick(["a", "b", "c"])
        return #"{"id": "\#(id)", "code": "\#(id)", "version": \#(version), "size": 1, "items": "#
          + #"[{"sku": "s", "amount": \#(amount)}]}"#
      }
      try known.write(lines.joined(separator: "\n") + "\n", to: "\(step).json")
      var options = ImportOptions()
      options.isAtomic = kind.isAtomic
      // A run that rejects too much is no good one.
      options.rejectLimit = dice.int(1...3) == 1 ? .count(0) : .count(100)
      for store in 0...1 { _ = try? known.take(["\(step).json"], into: store, options) }
      if step == 8 {
        for store in 0...1 { _ = try? known.stores[store].replay(mended, options: options) }
      }
      let (file, server) = (try known.rejects(of: 0), try known.rejects(of: 1))
      #expect(file == server, "step \(step): \(Set(file).symmetricDifference(server))")
      let tried = (try replayable(known, 0), try replayable(known, 1))
      #expect(tried.0 == tried.1, "step \(step): \(tried)")
      #expect(try known.rows(of: 0) == known.rows(of: 1), "step \(step)")
      most = max(most, file.count)
    }
    #expect(most > 1)
  }

  @Test func `records that no run of thirty days has rejected are forgotten, in steps`() throws {
    let known = try OrderStores("reject-rows: 1500")
    let bad = (1...1_500).map { #"{"id": "k\#($0)", "version": "x"}"# }
    try known.write(([#"{"id": "a", "code": "a", "size": 1}"#] + bad).joined(separator: "\n"), to: "bad.json")
    let options = ImportOptions()
    for store in 0...1 { _ = try? known.take(["bad.json"], into: store, options) }
    let start = Date()
    for (version, (age, left)) in [(29, 1_500), (31, 500), (31, 0)].enumerated() {
      try known.write(#"{"id": "a", "code": "a", "version": \#(version), "size": 1}"#, to: "good.json")
      let clock = StoreClock { start.addingTimeInterval(Double(age) * 86_400) }
      var few = options
      few.rejectBounds = {
        var bounds = RejectBounds()
        bounds.rows = 100
        return bounds
      }()
      for store in 0...1 {
        _ = try StoreClock.$current.withValue(clock) { try known.take(["good.json"], into: store, few) }
        let kept = try known.stores[store].keptRejectCount(pipeline: "orders")
        #expect(kept == left, "store \(store) after \(age) days")
      }
    }
  }
}
