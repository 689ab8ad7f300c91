import ArgumentParser
import Bolide

/// A time on the command line: `30s`, `10m`, `0`.
struct WaitTime: ExpressibleByArgument {
  var seconds: Double

  init?(argument: String) {
    guard let time = WaitText(argument) else { return nil }
    seconds = time.seconds
  }
}

/// A size on the command line: `256MiB`, `1GiB`.
struct ByteSize: ExpressibleByArgument {
  var bytes: Int

  init?(argument: String) {
    guard let size = SizeText(argument) else { return nil }
    bytes = size.bytes
  }
}

/// A size of memory on the command line that an import can do with.
struct MemorySize: ExpressibleByArgument {
  var bytes: Int

  init?(argument: String) {
    guard let budget = MemoryBudget(argument) else { return nil }
    bytes = budget.bytes
  }
}

/// A number of connections on the command line.
struct ConnectionCount: ExpressibleByArgument {
  var count: Int

  init?(argument: String) {
    guard let count = Int(argument), ImportSettings.connectionCounts.contains(count) else { return nil }
    self.count = count
  }
}

extension RawRepresentable<String> where Self: CaseIterable {
  /// The words that a setting has, as a help text lists them.
  static var words: String { allCases.map(\.rawValue).joined(separator: ", ") }

  init(argument: String) throws {
    guard let word = Self(rawValue: argument) else { throw ValidationError.notOne(of: Self.words, argument) }
    self = word
  }
}

extension RejectLimit {
  init(argument: String) throws {
    guard let limit = RejectLimit(argument) else {
      throw ValidationError.notALimit(argument)
    }
    self = limit
  }
}
