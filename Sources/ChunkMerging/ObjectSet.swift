/// A set of object ids: one bit an id, in pages that are made when an id of theirs comes.
///
/// Ids are given out one after another, so ten million of them take little more than a megabyte, and those of a first load, which
/// come in ranges, next to nothing. An id far away from the others, as only another program would choose it, costs a page of
/// 512 bytes.
package struct ObjectSet {
  private var words: [UInt64] = []
  /// For each page of ids from 0, where its words begin; `none` for a page that is not there, `whole` for one of which all ids are.
  private var starts: [Int] = []
  /// The same for pages beyond `maximumStarts`, and for ids below 0.
  private var farStarts: [Int64: Int] = [:]

  /// A page has 4,096 ids.
  package static let pageBits: Int64 = 12
  package static let pageWords = 64
  private static let maximumStarts: Int64 = 1 << 20
  private static let (none, whole) = (-1, -2)

  package init() {}

  /// Puts an id in.
  ///
  /// - Returns: whether it is new there.
  @discardableResult
  package mutating func insert(_ id: Int64) -> Bool {
    let start = start(makingPageOf: id)
    if start == Self.whole { return false }
    let index = start + Int(id & 4095) >> 6
    let bit: UInt64 = 1 << UInt64(id & 63)
    defer { words[index] |= bit }
    return words[index] & bit == 0
  }

  /// Puts a range of ids in, a page or a word at a time.
  package mutating func insert(_ ids: ClosedRange<Int64>) {
    var id = ids.lowerBound
    while id <= ids.upperBound {
      if insertPage(at: id, to: ids.upperBound) {
        id += 4096
        continue
      }
      let last = min(ids.upperBound, id | 63)
      let bits = (UInt64.max >> UInt64(63 - (last - id))) << UInt64(id & 63)
      let start = start(makingPageOf: id)
      if start != Self.whole { words[start + Int(id & 4095) >> 6] |= bits }
      guard last < ids.upperBound else { return }
      id = last + 1
    }
  }

  /// Puts in a page of ids from one on, if it is not there and all its ids are up to another one.
  private mutating func insertPage(at id: Int64, to last: Int64) -> Bool {
    let page = id >> Self.pageBits
    guard id & 4095 == 0, last - id >= 4095, page >= 0, page < Self.maximumStarts, start(ofPage: page) == nil
    else { return false }
    setStart(ofPage: Int(page), Self.whole)
    return true
  }

  /// Puts in all ids of another set.
  package mutating func formUnion(_ other: ObjectSet) {
    for page in other.pages {
      let words = other.words(ofPage: page)
      if words.allSatisfy({ $0 == .max }) {
        insert(page << Self.pageBits...page << Self.pageBits + 4095)
        continue
      }
      let start = start(makingPageOf: page << Self.pageBits)
      if start == Self.whole { continue }
      for (place, word) in words.enumerated() { self.words[start + place] |= word }
    }
  }

  /// Whether an id is there.
  package func contains(_ id: Int64) -> Bool {
    guard let start = start(ofPage: id >> Self.pageBits) else { return false }
    return start == Self.whole || words[start + Int(id & 4095) >> 6] & (1 << UInt64(id & 63)) != 0
  }

  /// Whether an id of a range is there.
  package func overlaps(_ ids: ClosedRange<Int64>) -> Bool {
    var id = ids.lowerBound
    while true {
      let last = min(ids.upperBound, id | 63)
      if let start = start(ofPage: id >> Self.pageBits) {
        let bits = (UInt64.max >> UInt64(63 - (last - id))) << UInt64(id & 63)
        if start == Self.whole || words[start + Int(id & 4095) >> 6] & bits != 0 { return true }
      }
      if last == ids.upperBound { return false }
      id = last + 1
    }
  }

  /// How many ids are there.
  ///
  /// - Complexity: O(n)
  package var count: Int {
    words.reduce(0) { $0 + $1.nonzeroBitCount } + starts.count { $0 == Self.whole } << Self.pageBits
  }

  /// The pages that are there, in order.
  package var pages: [Int64] {
    (starts.indices.filter { starts[$0] != Self.none }.map(Int64.init) + farStarts.keys).sorted()
  }

  /// A page's words, the lowest ids first; zeros for a page that is not there.
  package func words(ofPage page: Int64) -> [UInt64] {
    guard let start = start(ofPage: page) else { return Array(repeating: 0, count: Self.pageWords) }
    if start == Self.whole { return Array(repeating: .max, count: Self.pageWords) }
    return Array(words[start..<start + Self.pageWords])
  }

  private func start(ofPage page: Int64) -> Int? {
    guard page >= 0, page < Self.maximumStarts else { return farStarts[page] }
    guard page < starts.count, starts[Int(page)] != Self.none else { return nil }
    return starts[Int(page)]
  }

  private mutating func start(makingPageOf id: Int64) -> Int {
    let page = id >> Self.pageBits
    if let start = start(ofPage: page) { return start }
    let start = words.count
    words.append(contentsOf: repeatElement(0, count: Self.pageWords))
    if page >= 0, page < Self.maximumStarts {
      setStart(ofPage: Int(page), start)
    } else {
      farStarts[page] = start
    }
    return start
  }

  private mutating func setStart(ofPage page: Int, _ start: Int) {
    while starts.count <= page { starts.append(Self.none) }
    starts[page] = start
  }
}

extension [Int64] {
  /// Rising ids as the ranges that they make up.
  package var ranges: [ClosedRange<Int64>] {
    var ranges: [ClosedRange<Int64>] = []
    var start = 0
    for index in indices where index + 1 == count || self[index + 1] != self[index] + 1 {
      ranges.append(self[start]...self[index])
      start = index + 1
    }
    return ranges
  }
}
