import ArgumentParser
import BolideBench
import CommandSupport
import Foundation

/// `bolide generate`
struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: CommandAbstract.generate,
    subcommands: [GenerateFireballs.self, GenerateNeows.self, GenerateApproaches.self])
}

/// `bolide generate fireballs`
struct GenerateFireballs: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fireballs",
    abstract: "Generate fireballs in the shape of JPL's API. No event is real.",
    discussion: """
      With --revise, --rekey and --drop it is the same feed some time later, as a re-processing at the source would \
      leave it: some rows have other values, some another date, some are gone.
      """)

  @Option(help: ArgumentHelp("Number of rows, before --drop, such as 100k or 1m.", valueName: "n"))
  var rows: RowCount = RowCount(1000)

  @Option(help: ArgumentHelp("Seed of the random generator.", valueName: "s"))
  var seed: UInt64 = 1

  @Option(help: ArgumentHelp("Share of rows with changed values.", valueName: "p%"))
  var revise: Share = Share()

  @Option(help: ArgumentHelp("Share of rows whose date is shifted by seconds.", valueName: "p%"))
  var rekey: Share = Share()

  @Option(help: ArgumentHelp("Share of rows to omit.", valueName: "p%"))
  var drop: Share = Share()

  @Option(help: "Order of the rows.")
  var order: FireballFeed.Order = .newestFirst

  @Flag(help: "Write the rows before the column names.")
  var dataFirst = false

  func validate() throws {
    guard (0...FireballFeed.rowLimit).contains(rows.number) else {
      throw ValidationError.feedRows(FireballFeed.rowLimit)
    }
    guard revise.percent + rekey.percent + drop.percent <= 100 else {
      throw ValidationError.tooMuchRevised
    }
  }

  func run() throws {
    let feed = FireballFeed(
      rows: rows.number, seed: seed, revise: revise.percent, rekey: rekey.percent, drop: drop.percent,
      options: FireballFeed.Options(dataFirst: dataFirst, order: order))
    try unsafe StandardOutput.writeFeed { try unsafe feed.write(to: $0) }
  }
}

/// `bolide generate neows`
struct GenerateNeows: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "neows",
    abstract: "Generate near-Earth asteroids in the shape of NASA's NeoWs. None is real.",
    discussion: "Each asteroid appears once, with one to three close approaches.")

  @Option(help: ArgumentHelp("Number of asteroids, such as 100k or 1m.", valueName: "n"))
  var rows: RowCount = RowCount(100)

  @Option(help: ArgumentHelp("Seed of the random generator.", valueName: "s"))
  var seed: UInt64 = 1

  func validate() throws {
    guard (0...NeowsFeed.rowLimit).contains(rows.number) else {
      throw ValidationError.feedRows(NeowsFeed.rowLimit)
    }
  }

  func run() throws {
    try unsafe StandardOutput.writeFeed { try unsafe NeowsFeed(rows: rows.number, seed: seed).write(to: $0) }
  }
}

/// `bolide generate approaches`
struct GenerateApproaches: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "approaches",
    abstract: "Generate close approaches in the shape of JPL's API. None is real.",
    discussion: "One approach about every two hours; some bodies recur.")

  @Option(help: ArgumentHelp("Number of approaches, such as 100k or 1m.", valueName: "n"))
  var rows: RowCount = RowCount(100)

  @Option(help: ArgumentHelp("Seed of the random generator.", valueName: "s"))
  var seed: UInt64 = 1

  func validate() throws {
    guard (0...ApproachFeed.rowLimit).contains(rows.number) else {
      throw ValidationError.feedRows(ApproachFeed.rowLimit)
    }
  }

  func run() throws {
    try unsafe StandardOutput.writeFeed {
      try unsafe ApproachFeed(rows: rows.number, seed: seed).write(to: $0)
    }
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

extension FireballFeed.Order: ExpressibleByArgument {}
