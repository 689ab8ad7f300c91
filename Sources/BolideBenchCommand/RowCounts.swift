import ArgumentParser
import BolideBench

/// A number of rows on the command line: `500000`, `100k` or `1m`.
struct RowCount: ExpressibleByArgument {
  let number: Int

  init(_ number: Int) { self.number = number }

  init?(argument: String) {
    let unit = argument.last.flatMap { ["k": 1000, "m": 1_000_000]["\($0)".lowercased()] }
    guard let number = Int(unit == nil ? argument : String(argument.dropLast())) else { return nil }
    let (product, isTooLarge) = number.multipliedReportingOverflow(by: unit ?? 1)
    if isTooLarge { return nil }
    self.number = product
  }

  var defaultValueDescription: String { "\(number)" }
}

/// Several, each of one or more: `100k,1m,10m`.
struct RowCounts {
  let counts: [Int]

  init(argument: String) throws {
    counts = try argument.split(separator: ",", omittingEmptySubsequences: false).map { word in
      guard let rows = RowCount(argument: String(word)), (1...FireballFeed.rowLimit).contains(rows.number)
      else {
        throw ValidationError.notRows(word)
      }
      return rows.number
    }
  }
}
