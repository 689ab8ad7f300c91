import Bolide
import CommandSupport

extension ImportProgress {
  /// `fireballs  62 %  6.2 M rows  812 k/s  3 rejected  ETA 0:05`, as much of it as fits.
  ///
  /// - Parameter columns: how wide the line may be.
  func line(_ name: String, columns: Int) -> String {
    // What is told first is left out last.
    let parts: [(text: String?, rank: Int)] = [
      (name, 4), (percent, 0), ("\(read.short) rows", 2), (rate, 5),
      (rejected > 0 ? "\(rejected.short) rejected" : nil, 1),
      (timeLeft, 3),
    ]
    for rank in stride(from: 5, through: 0, by: -1) {
      let line = parts.filter { $0.rank <= rank }.compactMap(\.text).joined(separator: "  ")
      if line.columns <= columns { return line }
    }
    return ""
  }

  private var percent: String? {
    guard let totalBytes, totalBytes > 0 else { return nil }
    // What was read is not all written yet.
    return "\(min(99, bytes * 100 / totalBytes)) %"
  }

  /// Rows a second; of a pipe, whose end nobody knows, bytes too.
  private var rate: String {
    let rows = "\(Int(Double(read) / seconds).short)/s"
    return totalBytes == nil ? "\(rows)  \(Int(Double(bytes) / seconds).short)B/s" : rows
  }

  private var timeLeft: String? {
    guard let totalBytes, bytes > 0, bytes < totalBytes else { return nil }
    let left = Int(seconds * Double(totalBytes - bytes) / Double(bytes))
    func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
    let minutes = left / 60 % 60
    let time = left < 3600 ? "\(minutes)" : "\(left / 3600):\(two(minutes))"
    return "ETA \(time):\(two(left % 60))"
  }
}

extension Int {
  /// `812 k`, `6.2 M`
  fileprivate var short: String {
    if self >= 1_000_000_000 { return "\(decimal(Double(self) / 1e9, places: 1)) G" }
    if self >= 1_000_000 { return "\(decimal(Double(self) / 1e6, places: 1)) M" }
    if self >= 1_000 { return "\(self / 1_000) k" }
    return "\(self)"
  }
}
