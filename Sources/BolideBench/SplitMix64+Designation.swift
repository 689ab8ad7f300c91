extension SplitMix64 {
  private static let letters = Array("ABCDEFGHJKLMNOPQRSTUVWXY")

  /// The next made-up designation of a small body, as in `2017 QX41`.
  ///
  /// - Parameter first: the smallest number behind the letters.
  mutating func nextDesignation(from first: Int) -> String {
    let half = Self.letters[next(below: Self.letters.count)]
    let order = Self.letters[next(below: Self.letters.count)]
    return "\(1998 + next(below: 27)) \(half)\(order)\(first + next(below: 300))"
  }
}
