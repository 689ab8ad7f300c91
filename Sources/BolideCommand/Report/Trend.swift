import Bolide
import SVGDrawing

/// A number over the latest runs, as a small line that ends with its last value.
struct Trend {
  let title: String
  let values: [Double]
  let text: (Double) -> String

  private static let size = (width: 180.0, height: 40.0)

  /// - Returns: nil where there is nothing to tell: fewer than two values, or nothing but zeros.
  init?(_ title: String, _ values: [Double], _ text: @escaping (Double) -> String) {
    guard values.count > 1, values.contains(where: { $0 != 0 }) else { return nil }
    (self.title, self.values, self.text) = (title, values, text)
  }

  /// A whole number, of as many digits as there are.
  static func count(_ value: Double) -> String { Int(clamping: value).grouped }

  var last: String { values.last.map(text) ?? "" }

  /// `records a second: 12,000 to 80,000, at last 75,000`
  var words: String {
    let (least, most) = (values.min() ?? 0, values.max() ?? 0)
    return "\(title): \(text(least)) to \(text(most)), at last \(last)"
  }

  var svg: String {
    var drawing = Drawing(width: Self.size.width)
    let (least, most) = (min(0, values.min() ?? 0), values.max() ?? 0)
    let range = max(most - least, .leastNormalMagnitude)
    let step = (Self.size.width - 8) / Double(values.count - 1)
    let points = values.enumerated().map { index, value in
      (x: 4 + Double(index) * step, y: 4 + (1 - (value - least) / range) * (Self.size.height - 8))
    }
    drawing.line(0, Self.size.height - 0.5, Self.size.width, Self.size.height - 0.5)
    drawing.curve(points, "trend")
    if let end = points.last { drawing.dot(end.x, end.y, 2.5, "trend") }
    return drawing.svg(height: Self.size.height, title: words)
  }
}

extension Int {
  /// The number without its fraction, or the nearest that there is; 0 for none.
  init(clamping value: Double) {
    self = Int(exactly: value.rounded(.towardZero)) ?? (value.isNaN ? 0 : value < 0 ? .min : .max)
  }
}
