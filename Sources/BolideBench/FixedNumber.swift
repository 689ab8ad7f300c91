/// A number from 0 on with a fixed count of decimals, the same on every machine.
///
/// Number and decimals together have at most 18 digits, of which a double holds the first 15 or 16.
func fixed(_ number: Double, places: Int = 10) -> String {
  var scale = 1
  for _ in 0..<places { scale *= 10 }
  let units = Int((number * Double(scale)).rounded())
  let fraction = String(units % scale)
  return "\(units / scale)." + String(repeating: "0", count: places - fraction.count) + fraction
}
