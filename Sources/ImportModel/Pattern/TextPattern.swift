/// A regular expression that whole texts match or do not, in time linear in the text.
///
/// All positions of the expression that the text can have come to are followed at once, so nothing is tried twice, and no
/// text makes it slow or large. What cannot be matched so, such as a back reference, is no part of a pattern.
///
/// Used by one thread at a time.
package final class TextPattern {
  /// Why a text is no pattern.
  package struct Failure: Error {
    /// What stops it from being read.
    package let reason: String
  }

  /// How a text compares.
  package enum Outcome: Sendable {
    case matches
    case differs
    /// It would have taken too long to find out.
    case tooLong
  }

  private let classes: [ScalarClass]
  private let first: [Int32]
  private let isLast: [Bool]
  private let takesEmpty: Bool
  /// The followers of each position, one after the other, and where each one's end.
  private let followers: [Int32]
  private let ends: [Int32]
  private var front: Front

  /// How far a text has come. Taken once for a text: what belongs to an object is looked after at every access.
  private struct Front {
    /// The positions that the next scalar is compared with, and those that come after it.
    var present: [Int32]
    var next: [Int32]
    /// For each position, the scalar for which it was added last; scalars of all texts are counted through.
    var added: [Int]
    var scalars = 0
  }

  /// - Throws: `Failure` when the text is no regular expression, or one that cannot be matched in one pass.
  package init(_ text: String) throws(Failure) {
    var positions = PatternPositions()
    let whole = try positions.add(try PatternParser.node(of: text))
    classes = positions.classes
    takesEmpty = whole.isNullable
    first = Set(whole.first).sorted().map(Int32.init)
    var isLast = [Bool](repeating: false, count: classes.count)
    for position in whole.last { isLast[position] = true }
    self.isLast = isLast
    followers = positions.followers.flatMap { $0.sorted().map(Int32.init) }
    var end: Int32 = 0
    ends = positions.followers.map { followers in
      end += Int32(followers.count)
      return end
    }
    let none = [Int32](repeating: 0, count: classes.count)
    front = Front(present: none, next: none, added: Array(repeating: 0, count: classes.count))
  }

  /// Whether the whole text matches.
  package func matches(_ text: String) -> Bool {
    compare(Array(text.utf8).span) == .matches
  }

  /// Compares a whole text, in UTF-8.
  ///
  /// A text is given up after 2²⁴ comparisons with a position, and 16 more for each of its bytes: most need few for each.
  /// - Complexity: O(bytes), times the number of places that the text can have in the pattern at once.
  package func compare(_ text: Span<UInt8>) -> Outcome {
    compare(text, &front)
  }

  private func compare(_ text: Span<UInt8>, _ front: inout Front) -> Outcome {
    guard !text.isEmpty else { return takesEmpty ? .matches : .differs }
    for (place, position) in first.enumerated() { front.present[place] = position }
    var (count, steps, place) = (first.count, 0, 0)
    let most = 1 << 24 + 16 * text.count
    var isMatch = false
    while place < text.count {
      guard count > 0 else { return .differs }
      let (code, length) = Self.scalar(text, place)
      isMatch = false
      front.scalars += 1
      var found = 0
      for index in 0..<count {
        let position = Int(front.present[index])
        guard classes[position].contains(code) else { continue }
        isMatch = isMatch || isLast[position]
        let start = position == 0 ? 0 : Int(ends[position - 1])
        for follower in start..<Int(ends[position]) {
          let other = followers[follower]
          guard front.added[Int(other)] != front.scalars else { continue }
          front.added[Int(other)] = front.scalars
          front.next[found] = other
          found += 1
        }
        steps += Int(ends[position]) - start
      }
      steps += count
      if steps > most { return .tooLong }
      swap(&front.present, &front.next)
      count = found
      place += length
    }
    return isMatch ? .matches : .differs
  }

  /// A scalar and how many bytes it has. The text is valid.
  @inline(__always)
  private static func scalar(_ text: Span<UInt8>, _ place: Int) -> (UInt32, Int) {
    let byte = UInt32(text[place])
    func more(_ offset: Int) -> UInt32 {
      place + offset < text.count ? UInt32(text[place + offset]) & 0x3f : 0
    }
    if byte < 0x80 { return (byte, 1) }
    if byte < 0xe0 { return ((byte & 0x1f) << 6 | more(1), 2) }
    if byte < 0xf0 { return ((byte & 0x0f) << 12 | more(1) << 6 | more(2), 3) }
    return ((byte & 0x07) << 18 | more(1) << 12 | more(2) << 6 | more(3), 4)
  }
}
