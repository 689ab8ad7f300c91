import Bolide
import Foundation
import SVGDrawing

extension PointSample {
  private static let ages = 5

  /// The points on a plain map of the world: a degree is as wide as high.
  var map: String {
    var drawing = Drawing(width: 720)
    for longitude in stride(from: -180.0, through: 180, by: 30) {
      drawing.line((longitude + 180) * 2, 0, (longitude + 180) * 2, 360, longitude == 0 ? "axis" : "rule")
    }
    for latitude in stride(from: -90.0, through: 90, by: 30) {
      drawing.line(0, (90 - latitude) * 2, 720, (90 - latitude) * 2, latitude == 0 ? "axis" : "rule")
    }
    for (words, x, y) in [("60° N", 4.0, 56.0), ("0°", 4, 176), ("60° S", 4, 296), ("180° W", 4, 354)] {
      drawing.text(words, x, y, "label")
    }
    let dates = points.compactMap(\.date)
    let (oldest, newest) = (dates.min() ?? .distantPast, dates.max() ?? .distantFuture)
    let most = points.compactMap(\.measure).map(abs).max() ?? 0
    // The large ones first, so that none hides a small one.
    for point in points.sorted(by: { abs($0.measure ?? 0) > abs($1.measure ?? 0) }) {
      let share = most > 0 ? abs(point.measure ?? 0) / most : 0
      let age = point.date.map { newest.timeIntervalSince($0) / max(1, newest.timeIntervalSince(oldest)) }
      drawing.dot(
        (point.longitude + 180) * 2, (90 - point.latitude) * 2, 1.5 + 10 * share.squareRoot(),
        "point a\(age.map { Self.part($0, of: Self.ages) } ?? 0)")
    }
    let shown = points.count.grouped
    return drawing.svg(height: 360, title: "A map of \(shown) places of \(entity.printable)")
  }

  /// How many objects have which measure. Where the largest is more than a thousand times the median, bars are of powers.
  var histogram: String? {
    guard let measure, let least = measures.min(), let most = measures.max(), least < most else { return nil }
    let median = measures.sorted()[measures.count / 2]
    let isLogarithmic = least > 0 && most > 1000 * median || least > 0 && most > 1000 * least
    let scale: (Double) -> Double = isLogarithmic ? { log10($0) } : { $0 }
    let (start, end) = (scale(least), scale(most))
    let count = 24
    var bars = [Int](repeating: 0, count: count)
    for value in measures {
      bars[Self.part((scale(value) - start) / (end - start), of: count)] += 1
    }
    var drawing = Drawing(width: 720)
    let width = 720.0 / Double(count)
    let height = 150.0
    let highest = Double(bars.max() ?? 1)
    func edge(_ index: Int) -> String {
      let place = start + (end - start) * Double(index) / Double(count)
      return Self.short(isLogarithmic ? pow(10, place) : place)
    }
    for (index, bar) in bars.enumerated() {
      let size = Double(bar) / highest * height
      guard bar > 0 else { continue }
      drawing.box(
        Double(index) * width + 1, height - size, width - 2, size, "bar",
        title: "\(bar.grouped) from \(edge(index)) to \(edge(index + 1))")
    }
    drawing.line(0, height, 720, height)
    drawing.text(edge(0), 0, height + 18, "label")
    drawing.text(edge(count / 2), 360, height + 18, "label", anchor: "middle")
    drawing.text(edge(count), 720, height + 18, "label", anchor: "end")
    return drawing.svg(
      height: height + 24,
      title: "How many of \(measures.count.grouped) objects have which \(measure.printable)")
  }

  /// In which of so many equal parts of 0 to 1 a number is.
  private static func part(_ share: Double, of count: Int) -> Int {
    min(count - 1, max(0, Int(clamping: share * Double(count))))
  }

  /// A number with three digits.
  static func short(_ number: Double) -> String {
    number.formatted(.number.precision(.significantDigits(1...3)).locale(Locale(identifier: "en_US_POSIX")))
  }
}
