import ArgumentParser
import Bolide
import CommandSupport
import Foundation

/// `bolide prune`
struct PruneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Delete the oldest history.",
    discussion: """
      Rows are not changed. History that a live named reader has not read is kept, and reported. Other programs can \
      write meanwhile. Freed pages are reused; --vacuum shrinks the file.
      """)

  @Argument(help: .store, completion: .file())
  var storePath: String

  @Option(
    help: ArgumentHelp(
      "Delete transactions up to this token or transaction number, inclusive, or before this day or "
        + "instant in UTC.",
      valueName: "token|number|date"))
  var before: String?

  @Option(
    help: ArgumentHelp("Delete transactions older than this: 30d, 12h.", valueName: "time"),
    transform: WaitText.init(age:))
  var olderThan: WaitText?

  @Option(help: ArgumentHelp("Keep the newest n transactions, and delete the others.", valueName: "n"))
  var keepTransactions: Int?

  @Flag(help: "Shrink the file; needs free disk space of the store's size, and blocks writers.")
  var vacuum = false

  @Flag(name: .shortAndLong, help: "Print what was deleted even if standard error is not a terminal.")
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
