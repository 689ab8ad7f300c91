import ArgumentParser
import Bolide
import Foundation

/// `bolide prune`
struct PruneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Takes the oldest transactions out of history.",
    discussion: """
      Rows stay as they are. What a live reader has not seen stays too, and is said. Others may write meanwhile. The space \
      is used again for new rows and changes.
      """)

  @Argument(help: ArgumentHelp("The store's file, or a pipeline that names it.", valueName: "store"))
  var storePath: String

  @Option(
    help: ArgumentHelp(
      "Everything before this token, through the transaction with this number, or before this day or instant in UTC.",
      valueName: "token|number|date"))
  var before: String?

  @Option(
    help: ArgumentHelp("What was committed longer ago: 30d, 12h.", valueName: "time"),
    transform: WaitText.init(age:))
  var olderThan: WaitText?

  @Option(help: ArgumentHelp("All but so many of the newest transactions.", valueName: "n"))
  var keepTransactions: Int?

  @Flag(help: "Give free space back to the system; needs as much room as the store, and writers wait.")
  var vacuum = false

  @Flag(name: .shortAndLong, help: "Print what went also when standard error is not a terminal.")
  var verbose = false

  @OptionGroup var writing: WritingArguments

  func validate() throws {
    let count = [before != nil, olderThan != nil, keepTransactions != nil].count { $0 }
    guard count == 1 || (count == 0 && vacuum) else {
      throw ValidationError.severalEnds
    }
    if let keepTransactions, keepTransactions < 0 {
      throw ValidationError.keepTransactions
    }
  }

  func run() throws {
    do {
      let store = try StoreAddress.open(storePath, writing)
      if let request = try request() { show(try store.prune(request)) }
      if vacuum { try store.vacuum() }
    } catch {
      throw Failure(error)
    }
  }

  private func request() throws -> PruneRequest? {
    if let before { return .before(try HistoryRequest.Start(argument: before)) }
    if let keepTransactions { return .keepingTransactions(keepTransactions) }
    return olderThan.map { .olderThan(seconds: $0.seconds) }
  }

  private func show(_ report: PruneReport) {
    var lines = report.holding.map { Note.held(by: $0) }
    if verbose || isatty(STDERR_FILENO) == 1 { lines.append(Note.pruned(report)) }
    lines.forEach(printNote)
  }
}

extension WaitText {
  fileprivate init(age argument: String) throws {
    guard let time = WaitText(withUnit: argument) else {
      throw ValidationError.notAnAge(argument)
    }
    self = time
  }
}
