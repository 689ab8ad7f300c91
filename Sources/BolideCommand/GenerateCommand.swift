import ArgumentParser
import BolideBench
import Foundation

/// `bolide generate`
struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Writes made-up feeds, the same bytes for the same seed.",
    subcommands: [GenerateFireballs.self, GenerateNeows.self, GenerateApproaches.self])
}

/// `bolide generate fireballs`
struct GenerateFireballs: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fireballs",
    abstract: "Writes a feed of fireballs in the shape of JPL's API. Nothing in it is a real event.",
    discussion: """
      With --revise, --rekey and --drop it is the same feed some time later, as a re-processing at the source would \
      leave it: some rows have other values, some another date, some are gone.
      """)

  @Option(help: ArgumentHelp("How many rows, before --drop.", valueName: "n"))
  var rows: Int = 1000

  @Option(help: ArgumentHelp("Which feed: another seed is another feed.", valueName: "s"))
  var seed: UInt64 = 1

  @Option(help: ArgumentHelp("The share of rows with other values.", valueName: "p%"))
  var revise: Share = Share()

  @Option(help: ArgumentHelp("The share of rows whose date moves by seconds.", valueName: "p%"))
  var rekey: Share = Share()

  @Option(help: ArgumentHelp("The share of rows that are left out.", valueName: "p%"))
  var drop: Share = Share()

  @Option(help: "The rows' order.")
  var order: FireballFeed.Order = .newestFirst

  @Flag(help: "Write the rows before the names of their columns.")
  var dataFirst = false

  func validate() throws {
    guard (0...FireballFeed.rowLimit).contains(rows) else {
      throw ValidationError.feedRows(FireballFeed.rowLimit)
    }
    guard revise.percent + rekey.percent + drop.percent <= 100 else {
      throw ValidationError.tooMuchRevised
    }
  }

  func run() throws {
    let feed = FireballFeed(
      rows: rows, seed: seed, revise: revise.percent, rekey: rekey.percent, drop: drop.percent,
      options: FireballFeed.Options(dataFirst: dataFirst, order: order))
    try unsafe StandardOutput.writeFeed { try unsafe feed.write(to: $0) }
  }
}

/// `bolide generate neows`
struct GenerateNeows: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "neows",
    abstract: "Writes a feed of near-Earth asteroids in the shape of NASA's NeoWs. Nothing in it is real.",
    discussion: "Each asteroid stands once, with one to three close approaches.")

  @Option(help: ArgumentHelp("How many asteroids.", valueName: "n"))
  var rows: Int = 100

  @Option(help: ArgumentHelp("Which feed: another seed is another feed.", valueName: "s"))
  var seed: UInt64 = 1

  func validate() throws {
    guard (0...NeowsFeed.rowLimit).contains(rows) else {
      throw ValidationError.feedRows(NeowsFeed.rowLimit)
    }
  }

  func run() throws {
    try unsafe StandardOutput.writeFeed { try unsafe NeowsFeed(rows: rows, seed: seed).write(to: $0) }
  }
}

/// `bolide generate approaches`
struct GenerateApproaches: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "approaches",
    abstract: "Writes a feed of close approaches in the shape of JPL's API. Nothing in it is real.",
    discussion: "One every two hours or so; some bodies come again.")

  @Option(help: ArgumentHelp("How many approaches.", valueName: "n"))
  var rows: Int = 100

  @Option(help: ArgumentHelp("Which feed: another seed is another feed.", valueName: "s"))
  var seed: UInt64 = 1

  func validate() throws {
    guard (0...ApproachFeed.rowLimit).contains(rows) else {
      throw ValidationError.feedRows(ApproachFeed.rowLimit)
    }
  }

  func run() throws {
    try unsafe StandardOutput.writeFeed { try unsafe ApproachFeed(rows: rows, seed: seed).write(to: $0) }
  }
}

extension StandardOutput {
  /// Writes a feed that comes in pieces; that nobody reads it to its end is no error.
  fileprivate static func writeFeed(_ feed: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void) throws {
    do {
      try unsafe feed { try unsafe write($0) }
    } catch is Closed {
      // Whoever reads has read enough.
    } catch {
      throw Failure(error)
    }
  }
}

/// A share on the command line: `30%` or `30`.
struct Share: ExpressibleByArgument {
  var percent: Double = 0

  init() {}

  init?(argument: String) {
    let number = argument.hasSuffix("%") ? String(argument.dropLast()) : argument
    guard let percent = Double(number), (0...100).contains(percent) else { return nil }
    self.percent = percent
  }

  var defaultValueDescription: String { "0%" }
}

extension FireballFeed.Order: ExpressibleByArgument {}
