/// What a misspelt name was probably meant to be.
package enum Suggestion {
  /// The candidate nearest to a word, when it is near enough to be meant: a third of its letters may differ, or one is
  /// short for the other.
  package static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
    let letters = Array(word.lowercased())
    var best: (candidate: String, distance: Int)?
    for candidate in candidates where candidate != word {
      let others = Array(candidate.lowercased())
      let most = max(1, max(letters.count, others.count) / 3)
      // Of two words the longer one has at least the letters that are too many: a very long word is compared with none.
      guard abs(letters.count - others.count) <= most else { continue }
      let distance = distance(letters, others)
      if distance <= most, distance < best?.distance ?? Int.max { best = (candidate, distance) }
    }
    if let best { return best.candidate }
    return shortForm(of: word, among: candidates)
  }

  /// The candidate that begins as a word does: `maxlen` is short for `max-length`, and `minimum` is `min` in full.
  private static func shortForm(of word: String, among candidates: some Sequence<String>) -> String? {
    func plain(_ text: String) -> String { text.lowercased().replacing("-", with: "") }
    let letters = plain(word)
    let longer = candidates.filter { plain($0).hasPrefix(letters) }.min { $0.count < $1.count }
    if letters.count >= 3, let longer { return longer }
    return candidates.filter { plain($0).count >= max(3, letters.count / 3) && letters.hasPrefix(plain($0)) }
      .max {
        $0.count < $1.count
      }
  }

  /// `; did you mean 'from'?`; nothing when no candidate is near.
  package static func question(for word: String, among candidates: some Sequence<String>) -> String {
    nearest(to: word, among: candidates).map { "; did you mean '\($0)'?" } ?? ""
  }

  /// The end of a sentence about an unknown name: `; did you mean 'from'?`, or the few candidates there are.
  ///
  /// - Parameter plural: what the candidates are, as in `allowed here are`.
  package static func ending(for word: String, among candidates: [String], plural: String) -> String {
    let question = question(for: word, among: candidates)
    guard question.isEmpty else { return question }
    guard (1...longestList).contains(candidates.count) else { return "" }
    return "; \(plural) \(candidates.joined(separator: ", "))"
  }

  /// A longer list would hide the sentence it ends.
  private static let longestList = 13

  /// The number of letters to insert, drop, change or swap with their neighbour to get from one word to the
  /// other.
  static func distance(_ a: [Character], _ b: [Character]) -> Int {
    guard !a.isEmpty else { return b.count }
    guard !b.isEmpty else { return a.count }
    var beforePrevious: [Int] = []
    var previous = Array(0...b.count)
    for i in 1...a.count {
      var current = [i]
      for j in 1...b.count {
        var cost = min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          cost = min(cost, beforePrevious[j - 2] + 1)
        }
        current.append(cost)
      }
      beforePrevious = previous
      previous = current
    }
    return previous[b.count]
  }
}
