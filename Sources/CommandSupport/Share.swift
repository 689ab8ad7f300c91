import ArgumentParser

/// A share on the command line: `30%` or `30`.
package struct Share: ExpressibleByArgument {
  package var percent: Double = 0

  package init() {}

  package init?(argument: String) {
    let number = argument.hasSuffix("%") ? String(argument.dropLast()) : argument
    guard let percent = Double(number), (0...100).contains(percent) else { return nil }
    self.percent = percent
  }

  var defaultValueDescription: String { "0%" }
}
