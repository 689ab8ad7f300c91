internal import ImportModel
internal import PostgreSQLAccess
internal import TypedRows

/// The first instant or day whose stored text does not come before a text: what is compared with `'2013'` or `'2013-02-15'` is
/// compared with it instead, so that an index finds it.
struct TimeBound {
  /// As the server writes it.
  let sql: String
  /// Whether its stored text is that text.
  let isExact: Bool

  /// Nil where every one comes before the text.
  ///
  /// - Parameter type: a date or a day.
  init?(_ text: String, _ type: AttributeType) {
    var decimals: Int?
    var step: Int64 = 86_400_000_000
    if case .date(let precision) = type {
      decimals = precision.decimals
      step = [1_000_000, 1000, 1][precision.decimals / 3]
    }
    func stored(_ place: Int64, _ decimals: Int?) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: 27)
      // Every place of the search is within the calendar.
      let time = (try? CivilTime(microseconds: place * step)) ?? CivilTime()
      let length = decimals.map { $0 == 0 ? 20 : 21 + $0 } ?? 10
      bytes.withUnsafeMutableBufferPointer { bytes in
        guard let start = bytes.baseAddress else { return }
        if let decimals { time.write(decimals: decimals, to: start) } else { time.writeDay(to: start) }
      }
      return Array(bytes.prefix(length))
    }
    let wanted = Array(text.utf8)
    func isBefore(_ place: Int64) -> Bool { stored(place, decimals).lexicographicallyPrecedes(wanted) }
    var (first, last) = (CivilTime.range.lowerBound / step, CivilTime.range.upperBound / step)
    // Both are divided towards nought: the beginning is a whole day.
    if isBefore(last) { return nil }
    while first < last {
      let middle = first + (last - first) / 2
      if isBefore(middle) { first = middle + 1 } else { last = middle }
    }
    isExact = stored(first, decimals) == wanted
    let shown = String(decoding: stored(first, decimals.map { _ in 6 }), as: UTF8.self)
    let time = AttributeType.serverText(ofTime: shown)
    sql = "\(decimals == nil ? "DATE" : "TIMESTAMPTZ") '\(time)'"
  }
}
