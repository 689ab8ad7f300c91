import BolideBench
import Testing

@Suite struct FireballRevisionTests {
  private static let rows = 20_000

  @Test(arguments: [(5.0, 0.0, 0.0), (0, 5, 0), (0, 0, 5), (2, 1, 0.5), (50, 30, 20)])
  func `the tally is what a comparison of the two feeds finds`(
    revise: Double, rekey: Double, drop: Double
  ) throws {
    let feed = FireballFeed(rows: Self.rows, seed: 11, revise: revise, rekey: rekey, drop: drop)
    let found = try Comparison(FireballFeed(rows: Self.rows, seed: 11), feed)
    let tally = feed.tally()
    #expect(tally.kept == found.equal)
    #expect(tally.revised == found.changed.count)
    #expect(tally.rekeyed == found.new.count)
    #expect(tally.dropped == found.gone.count - found.new.count)
    #expect(tally.count == Self.rows - tally.dropped)
    for (share, count) in [(revise, tally.revised), (rekey, tally.rekeyed), (drop, tally.dropped)] {
      #expect(abs(Double(count) / Double(Self.rows) - share / 100) < 0.01)
      #expect((share == 0) == (count == 0))
    }
  }

  @Test func `a revision changes one attribute or several, finds missing values and loses others`() throws {
    let found = try Comparison(
      FireballFeed(rows: Self.rows, seed: 11), FireballFeed(rows: Self.rows, seed: 11, revise: 10))
    var changedAlone = Set<Int>()
    var several = 0
    var appeared = Set<Int>()
    var vanished = Set<Int>()
    for (old, new) in found.changed {
      let changed = old.indices.filter { old[$0] != new[$0] }
      if changed.count == 1 { changedAlone.insert(changed[0]) } else { several += 1 }
      for index in changed where old[index] == nil { appeared.insert(index) }
      for index in changed where new[index] == nil { vanished.insert(index) }
      let places = new[3...6].count { $0 == nil }
      #expect(places == 0 || places == 4)
      // No difference is one of spelling only.
      for index in changed where ![4, 6].contains(index) {
        if let before = old[index], let after = new[index] { #expect(Double(before) != Double(after)) }
      }
    }
    // An energy alone: its impact energy, of two digits, may stay the same.
    #expect(changedAlone.isSuperset(of: [1, 5, 7, 8]))
    #expect(several > 100)
    #expect(appeared == [3, 4, 5, 6, 7, 8])
    #expect(vanished == [3, 4, 5, 6, 7, 8])
  }

  @Test func `a rekeyed row keeps its values and moves by three seconds at most`() throws {
    let found = try Comparison(
      FireballFeed(rows: Self.rows, seed: 11), FireballFeed(rows: Self.rows, seed: 11, rekey: 10))
    #expect(found.changed.isEmpty)
    // Newest first on both sides, so the rows that went and those that came are in step.
    var steps: [Int: Int] = [:]
    for (old, new) in zip(found.gone, found.new) {
      #expect(old.dropFirst() == new.dropFirst())
      steps[try abs(secondOfDay(new) - secondOfDay(old)), default: 0] += 1
    }
    // A step over midnight looks like a day less the step.
    let known = [1, 2, 3, 86_399, 86_398, 86_397]
    #expect(Set(steps.keys).isSubset(of: known))
    #expect((steps[1] ?? 0) > found.new.count / 2)
    #expect((steps[2] ?? 0) > 0 && (steps[3] ?? 0) > 0)
  }

  @Test func `the rows of a smaller share are among those of a larger one`() throws {
    let base = FireballFeed(rows: Self.rows, seed: 11)
    let few = try Comparison(base, FireballFeed(rows: Self.rows, seed: 11, revise: 1)).changed.map(\.new)
    let many = try Comparison(base, FireballFeed(rows: Self.rows, seed: 11, revise: 2)).changed.map(\.new)
    #expect(!few.isEmpty && Set(few).isStrictSubset(of: many))
  }

  private func secondOfDay(_ row: [String?]) throws -> Int {
    let parts = try #require(row[0]).suffix(8).split(separator: ":").compactMap { Int($0) }
    try #require(parts.count == 3)
    return parts[0] * 3_600 + parts[1] * 60 + parts[2]
  }
}

/// Two feeds side by side, by date.
private struct Comparison {
  var equal = 0
  var changed: [(old: [String?], new: [String?])] = []
  var new: [[String?]] = []
  var gone: [[String?]] = []

  init(_ old: FireballFeed, _ new: FireballFeed) throws {
    let oldRows = try ReadFeed(old).rows
    let newRows = try ReadFeed(new).rows
    let oldByDate = Dictionary(uniqueKeysWithValues: oldRows.map { ($0[0], $0) })
    let newDates = Set(newRows.map(\.[0]))
    for row in newRows {
      switch oldByDate[row[0]] {
      case row: equal += 1
      case let before?: changed.append((before, row))
      case nil: self.new.append(row)
      }
    }
    gone = oldRows.filter { !newDates.contains($0[0]) }
  }
}
