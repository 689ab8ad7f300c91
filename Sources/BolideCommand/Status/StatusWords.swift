import Bolide

// Counts, sizes and times as people read them.

/// `1 change`, `1,203 changes`
func counted(_ number: Int64, _ noun: String) -> String {
  "\(number.grouped) \(noun)\(number == 1 ? "" : "s")"
}

extension Int64 {
  /// `4,700`
  var grouped: String { Int(self).grouped }

  /// `1.2 MB`
  var size: String {
    let units = ["kB", "MB", "GB", "TB"]
    var number = Double(self)
    guard number >= 1000 else { return "\(self) bytes" }
    var unit = -1
    while number >= 999.95, unit < units.count - 1 {
      number /= 1000
      unit += 1
    }
    return "\(decimal(number, places: 1)) \(units[unit])"
  }
}

extension Double {
  /// `3 h ago`
  var ago: String { self < 1 ? "just now" : "\(duration) ago" }

  /// A time in seconds, in its largest unit that goes into it: `26 h`, `3 d`.
  var duration: String {
    let units: [(name: String, seconds: Double, least: Double)] = [
      ("d", 86_400, 172_800), ("h", 3600, 7200), ("min", 60, 120), ("s", 1, 0),
    ]
    let unit = units.first { self >= $0.least } ?? units[3]
    return "\(Int(self / unit.seconds)) \(unit.name)"
  }
}

extension String {
  /// `2026-05-12T06:00:03.118Z` as `2026-05-12 06:00 UTC`
  var minute: String {
    count >= 16 ? prefix(16).replacing("T", with: " ") + " UTC" : self
  }
}
