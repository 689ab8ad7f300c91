/// The places of a regular expression at which a scalar can stand, and which can follow which.
///
///     (a|b)*c     positions 0 a, 1 b, 2 c;    first 0 1 2;    0 and 1 are followed by 0 1 2;    last 2
///
/// A repetition that counts is written out: `a{3}` has three positions.
struct PatternPositions {
  /// What each position takes.
  private(set) var classes: [ScalarClass] = []
  /// The positions that can follow each.
  private(set) var followers: [Set<Int>] = []
  private var followerCount = 0

  /// What a part of the expression is, seen from outside.
  struct Part {
    var first: [Int] = []
    var last: [Int] = []
    /// Whether it takes an empty text.
    var isNullable = true
  }

  /// A text is compared with a few of them at a time, but with all of them at worst.
  private static let mostPositions = 2_000
  private static let mostFollowers = 100_000

  /// - Returns: the whole expression.
  mutating func add(_ node: PatternNode) throws(TextPattern.Failure) -> Part {
    switch node {
    case .empty: return Part()
    case .scalar(let scalars):
      guard classes.count < Self.mostPositions else { throw .tooLarge }
      classes.append(scalars)
      followers.append([])
      return Part(first: [classes.count - 1], last: [classes.count - 1], isNullable: false)
    case .sequence(let nodes):
      var whole = Part()
      for node in nodes { whole = try join(whole, try add(node)) }
      return whole
    case .choice(let nodes):
      var whole = Part(isNullable: false)
      for node in nodes {
        let part = try add(node)
        whole.first += part.first
        whole.last += part.last
        whole.isNullable = whole.isNullable || part.isNullable
      }
      return whole
    case .repeated(let node, let least, let most):
      return try add(node, least: least, most: most)
    }
  }

  private mutating func add(
    _ node: PatternNode, least: Int, most: Int?
  ) throws(TextPattern.Failure) -> Part {
    var whole = Part()
    for count in 0..<(most ?? max(least, 1)) {
      let before = classes.count
      var part = try add(node)
      // What takes nothing takes it as often as one likes.
      if classes.count == before { return part }
      let isLast = most == nil && count == max(least, 1) - 1
      if isLast { try connect(part.last, to: part.first) }
      if count >= least { part.isNullable = true }
      whole = try join(whole, part)
    }
    return whole
  }

  private mutating func join(_ left: Part, _ right: Part) throws(TextPattern.Failure) -> Part {
    try connect(left.last, to: right.first)
    return Part(
      first: left.isNullable ? left.first + right.first : left.first,
      last: right.isNullable ? left.last + right.last : right.last,
      isNullable: left.isNullable && right.isNullable)
  }

  private mutating func connect(_ last: [Int], to first: [Int]) throws(TextPattern.Failure) {
    for position in last {
      let before = followers[position].count
      followers[position].formUnion(first)
      followerCount += followers[position].count - before
      guard followerCount <= Self.mostFollowers else { throw .tooLarge }
    }
  }
}
