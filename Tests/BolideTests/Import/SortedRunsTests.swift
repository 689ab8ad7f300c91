import Foundation
import Testing

@testable import FeedReading

/// Sorted runs, merged: a stable sort of all entries, whatever memory there is.
@Suite struct SortedRunsTests {
  private struct Entry: Equatable {
    let key: [UInt8]
    let payload: [UInt8]
  }

  /// - Parameter longest: of a payload.
  private func entries(_ count: Int, longest: Int, _ random: inout SystemRandomNumberGenerator) -> [Entry] {
    (0..<count).map { number in
      // Few keys, so that many are equal, beginnings of others among them.
      let key = (0..<Int.random(in: 0...20, using: &random)).map { _ in
        UInt8.random(in: 0...1, using: &random)
      }
      let payload = withUnsafeBytes(of: number) { Array($0) }
      return Entry(
        key: key, payload: payload + [UInt8](repeating: 7, count: Int.random(in: 0...longest, using: &random))
      )
    }
  }

  private func merged(_ runs: [[Entry]], memory: Int) throws -> (entries: [Entry], repeats: [Bool]) {
    let sorted = try SortedRuns(for: "feed.json")
    for run in runs {
      sorted.beginRun()
      for entry in run {
        try (entry.key + entry.payload).withUnsafeBufferPointer {
          try sorted.append($0, keyCount: entry.key.count)
        }
      }
    }
    var merge = try sorted.merge(memory: memory)
    var (found, repeats): ([Entry], [Bool]) = ([], [])
    while try merge.next() {
      found.append(Entry(key: Array(merge.key), payload: Array(merge.payload)))
      repeats.append(merge.repeatsKey)
    }
    #expect(try !merge.next())
    return (found, repeats)
  }

  private func isLess(_ left: Entry, _ right: Entry) -> Bool { left.key.lexicographicallyPrecedes(right.key) }

  @Test(arguments: [0, 1, 2, 3, 7, 100], [1, 50_000, 10_000_000])
  func `the entries come in the order of their keys, those of one key as they were appended`(
    runs count: Int, memory: Int
  ) throws {
    var random = SystemRandomNumberGenerator()
    for longest in [0, 100, 5_000] {
      let all = (0..<count).map { _ in
        // Swift's sort is stable.
        entries(.random(in: 0...40), longest: longest, &random).sorted(by: isLess)
      }
      let (found, repeats) = try merged(all, memory: memory)
      let expected = all.flatMap(\.self).sorted(by: isLess)
      #expect(found == expected)
      let same = zip(expected.dropFirst(), expected).map { $0.key == $1.key }
      #expect(repeats == (expected.isEmpty ? [] : [false]) + same)
    }
  }
}
