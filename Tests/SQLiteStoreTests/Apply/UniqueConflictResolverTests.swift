import Testing

@testable import ChunkMerging

/// Who lands and who is rejected when rows claim values in further constraints.
struct UniqueConflictResolverTests {
  /// One constraint: each row's place in the input, what it wants, and who has that: a row, `!` somebody else, or nobody.
  private func landing(_ rows: [(wants: String, of: String)], _ names: String) -> String {
    let names = names.map(String.init)
    var numbers: [String: Int] = [:]
    let claims = rows.map { row -> [UniqueConflictResolver.Claim?] in
      let number = numbers[row.wants] ?? numbers.count
      numbers[row.wants] = number
      let holder: UniqueConflictResolver.Holder =
        row.of == "!" ? .fixed : names.firstIndex(of: row.of).map { .row($0) } ?? .nobody
      return [UniqueConflictResolver.Claim(number: number, holder: holder)]
    }
    return zip(names, UniqueConflictResolver.verdicts(claims)).filter { $1 == .lands }.map(\.0).joined()
  }

  @Test func `A free value is taken, one that stays with somebody is not`() {
    #expect(landing([("x", ""), ("y", "!")], "ab") == "a")
  }

  @Test func `A swap, a ring and a chain to a free value land`() {
    #expect(landing([("B", "b"), ("A", "a")], "ab") == "ab")
    #expect(landing([("B", "b"), ("C", "c"), ("A", "a")], "abc") == "abc")
    #expect(landing([("B", "b"), ("C", "c"), ("x", "")], "abc") == "abc")
  }

  @Test func `A chain to a value that stays is rejected as a whole`() {
    #expect(landing([("B", "b"), ("C", "c"), ("x", "!")], "abc") == "")
    #expect(landing([("x", "!"), ("A", "a"), ("B", "b")], "abc") == "")
  }

  @Test func `Of two rows that want the same the first gets it`() {
    #expect(landing([("x", ""), ("x", "")], "ab") == "a")
    #expect(landing([("C", "c"), ("C", "c"), ("x", "")], "abc") == "ac")
  }

  @Test func `A swap is not lost to a third row that wants a part of it`() {
    #expect(landing([("A", "a"), ("B", "b"), ("A", "a")], "cab") == "ab")
  }

  @Test func `A chain of 200,000 rows is followed to its end`() {
    let count = 200_000
    func claims(_ end: UniqueConflictResolver.Holder) -> [[UniqueConflictResolver.Claim?]] {
      (0..<count).map {
        [UniqueConflictResolver.Claim(number: $0, holder: $0 + 1 < count ? .row($0 + 1) : end)]
      }
    }
    #expect(UniqueConflictResolver.verdicts(claims(.nobody)).allSatisfy { $0 == .lands })
    #expect(UniqueConflictResolver.verdicts(claims(.fixed)).allSatisfy { $0 == .rejected(constraint: 0) })
    // A long tail into a swap: the tail is rejected, the swap lands.
    let verdicts = UniqueConflictResolver.verdicts(
      (0..<count).map { row in
        let next = row + 1 < count ? row + 1 : count - 2
        return [UniqueConflictResolver.Claim(number: next, holder: .row(next))]
      })
    #expect(verdicts.filter { $0 == .lands }.count == 2)
  }
}
