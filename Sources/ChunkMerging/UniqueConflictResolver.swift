/// Decides which rows of a chunk land where their values clash in further unique constraints.
///
/// A row that takes values claims them. It can land only when whoever holds them now gives them up, so it drags the
/// holder's row along, and that row its own holders: together they land at once or not at all. Swaps and rings land so.
/// What drags along is forced, so each row's answer is final:
///
///     a → b → c → free      all three land
///     a → b → a             a swap: both land
///     a → b → fixed         the holder stays as it is: both are rejected
///     a → b → c → b         a and c want the same: a is rejected, b and c may land
///
/// The rows are asked in the input's order, so of two rows that want the same the first gets it. A rejected row changes
/// nothing. No rejected row could have landed beside those that did, whatever others came with it.
/// - Complexity: O(claims) where every row lands, or where each has one claim.
package struct UniqueConflictResolver {
  /// Values that a row takes.
  package struct Claim {
    /// Equal for claims of equal values of one constraint.
    package var number: Int
    /// Who has these values now.
    package var holder: Holder

    package init(number: Int, holder: Holder) { (self.number, self.holder) = (number, holder) }
  }

  package enum Holder {
    case nobody
    /// A row that does not give them up.
    case fixed
    /// A row of the chunk that takes other values.
    case row(Int)
  }

  package enum Verdict: Equatable {
    case open
    case lands
    /// The constraint that keeps the row out.
    case rejected(constraint: Int)
  }

  /// By row and constraint; nil where the row keeps its values.
  private let claims: [[Claim?]]
  private var verdicts: [Verdict]
  /// The claims of rows that land.
  private var taken: Set<Int> = []

  /// - Parameter claims: by row, in the input's order, and constraint.
  package static func verdicts(_ claims: [[Claim?]]) -> [Verdict] {
    var solver = UniqueConflictResolver(claims)
    for row in claims.indices where solver.verdicts[row] == .open { solver.decide(row) }
    return solver.verdicts
  }

  private init(_ claims: [[Claim?]]) {
    self.claims = claims
    verdicts = Array(repeating: .open, count: claims.count)
  }

  /// A row whose claims are being looked at, and the next one to look at.
  private struct Step {
    var row: Int
    var next = 0
  }

  /// Follows a row's claims to the end, with a stack of our own: a chain may be as long as the chunk.
  private mutating func decide(_ start: Int) {
    // The rows that would land together, each with its place, and who of them claims what.
    var places = [start: 0]
    var claimants: [Int: Int] = [:]
    var path = [Step(row: start)]
    while let step = path.last {
      guard step.next < claims[step.row].count else {
        path.removeLast()
        continue
      }
      path[path.count - 1].next += 1
      guard let claim = claims[step.row][step.next] else { continue }
      if taken.contains(claim.number) { return reject(path) }
      if let other = claimants.updateValue(step.row, forKey: claim.number) {
        // Whoever drags both along can never land; the row that came in later still may.
        let place = places[other] ?? 0
        return reject(path.filter { places[$0.row] ?? 0 <= place })
      }
      switch claim.holder {
      case .nobody: continue
      case .fixed: return reject(path)
      case .row(let holder):
        switch verdicts[holder] {
        case .lands: continue
        case .rejected: return reject(path)
        case .open:
          guard places[holder] == nil else { continue }
          places[holder] = places.count
          path.append(Step(row: holder))
        }
      }
    }
    for row in places.keys { verdicts[row] = .lands }
    taken.formUnion(claimants.keys)
  }

  /// Each of them needs the next one, by the claim looked at last.
  private mutating func reject(_ path: [Step]) {
    for step in path { verdicts[step.row] = .rejected(constraint: step.next - 1) }
  }
}
