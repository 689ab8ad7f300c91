import Testing

@testable import ChunkMerging

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
        let longest = dice.pick([200, 200, 13_000])
        let last = min(id, .max - Int64(longest)) + Int64(dice.int(0...longest))
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
    for _ in 0..<100 {
      let first = dice.pick(bases) + Int64(dice.int(0...200))
      let range = first...(first > .max - 9000 ? .max : first + Int64(dice.pick([0, 3, 70, 9000])))
      #expect(set.overlaps(range) == range.contains(where: plain.contains), "\(range)")
    }
    #expect(set.count == plain.count)
    var found: Set<Int64> = []
    for page in set.pages {
      for (word, bits) in set.words(ofPage: page).enumerated() {
        for bit in 0..<64 where bits & 1 << bit != 0 {
          found.insert(page << ObjectSet.pageBits + Int64(word * 64 + bit))
        }
      }
    }
    #expect(found == plain)
  }

  @Test func `A range may end with the last id there is`() {
    var set = ObjectSet()
    set.insert(.max - 70 ... .max)
    #expect(set.contains(.max) && set.contains(.max - 70) && !set.contains(.max - 71) && !set.contains(.min))
  }
}
