import Testing

@testable import SQLiteStore

/// A set of ids as bits does what a set does.
struct ObjectSetTests {
  @Test(arguments: 0..<20) func `Ids and ranges of ids are in it, and no others`(seed: Int) {
    var dice = Dice(seed)
    var set = ObjectSet()
    var plain: Set<Int64> = []
    let bases: [Int64] = [0, 4000, 4096, 1 << 20, 1 << 32, 1 << 62, -5000, .max - 300, .min]
    for _ in 0..<200 {
      let id = dice.pick(bases) + Int64(dice.int(0...200))
      if dice.once(in: 3) {
        let last = min(id, .max - 200) + Int64(dice.int(0...200))
        set.insert(min(id, last)...last)
        plain.formUnion(min(id, last)...last)
      } else {
        #expect(set.insert(id) == plain.insert(id).inserted)
      }
    }
    for base in bases {
      for id in (base == .min ? base : base - 10)...(base > .max - 410 ? .max : base + 410) {
        #expect(set.contains(id) == plain.contains(id), "\(id)")
      }
    }
  }

  @Test func `A range may end with the last id there is`() {
    var set = ObjectSet()
    set.insert(.max - 70 ... .max)
    #expect(set.contains(.max) && set.contains(.max - 70) && !set.contains(.max - 71) && !set.contains(.min))
  }
}
