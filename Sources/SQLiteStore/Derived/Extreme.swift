internal import ImportModel

/// What a chunk does to the smallest or largest value of an owner's children.
struct Extreme {
  /// The best value that came.
  private var added: Value?
  /// The best value that left.
  private var removed: Value?
  let isMaximum: Bool

  init(isMaximum: Bool) { self.isMaximum = isMaximum }

  var isTouched: Bool { added != nil || removed != nil }

  /// Takes a value in, or out.
  mutating func note(_ value: Value, isAdded: Bool) {
    let best = isAdded ? added : removed
    guard best == nil || best.map({ isBetter(value, than: $0) }) == true else { return }
    if isAdded { added = value } else { removed = value }
  }

  /// The new extreme; nil when the old one left and nothing that came is as good: then only the children know.
  func value(after current: Value) -> Value? {
    guard current != .null else { return removed == nil ? added ?? .null : nil }
    if let added, !isBetter(current, than: added) { return added }
    guard let removed, !isBetter(current, than: removed) else { return current }
    return nil
  }

  private func isBetter(_ value: Value, than other: Value) -> Bool {
    isMaximum ? other.isLess(than: value) : value.isLess(than: other)
  }
}

extension Value {
  /// SQLite's order of two values of one column, neither of them null.
  func isLess(than other: Value) -> Bool {
    switch (self, other) {
    case (.integer(let left), .integer(let right)): left < right
    case (.real(let left), .real(let right)): left < right
    // Bytes: to `String`, two spellings of one character are the same.
    case (.text(let left), .text(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
    case (.blob(let left), .blob(let right)): left.lexicographicallyPrecedes(right)
    default: false
    }
  }
}
