// What tables for people are made of.

extension String {
  /// Spaces behind, at least one.
  package func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(1, width - count))
  }

  /// Spaces in front.
  package func indented(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }

  /// Without the spaces behind.
  package var trimmedAtEnd: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}

extension Int {
  /// `4,700`
  package var grouped: String {
    var text = ""
    for (place, digit) in String(self).reversed().enumerated() {
      if place > 0, place % 3 == 0, digit != "-" { text = "," + text }
      text = "\(digit)" + text
    }
    return text
  }
}
