// Numbers as a person wants to read them, in tables and pictures.

extension Double {
  /// Digits as many as a measure of seconds deserves.
  package var seconds: String { digits(self < 10 ? self < 1 ? 3 : 2 : 1) }
  /// Seconds, in thousandths of a second.
  package var milliseconds: String { (self * 1e3).short }
  package var hundredths: String { digits(2) }
  package var short: String { digits(self < 10 ? 1 : 0) }
  package var percent: String { self < 0.0005 ? "-" : (self * 100).digits(1) }
  /// Without zeros at the end.
  package var trimmed: String {
    let text = digits(2)
    return text.hasSuffix(".00")
      ? String(text.dropLast(3)) : text.hasSuffix("0") ? String(text.dropLast()) : text
  }
  /// `412`, `7.6 k`, `763 k`, `1.23 M`
  package var rate: String {
    if self < 1e3 { return digits(0) }
    return self < 1e6 ? "\((self / 1e3).short) k" : "\((self / 1e6).digits(2)) M"
  }

  private func digits(_ count: Int) -> String {
    var scale = 1
    for _ in 0..<count { scale *= 10 }
    let number = Int((self * Double(scale)).rounded())
    if count == 0 { return String(number) }
    let rest = String(number % scale)
    return "\(number / scale)." + String(repeating: "0", count: count - rest.count) + rest
  }
}
