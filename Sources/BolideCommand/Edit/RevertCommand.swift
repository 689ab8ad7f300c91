import ArgumentParser
import Bolide
import CommandSupport
import Foundation

/// `bolide revert`
struct RevertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revert",
    abstract: "Undo an import, or everything since a token.",
    usage: "bolide revert <store> (--run <n> | --to <token>) [<options>]",
    discussion: """
      Restores the rows that a run inserted, updated or deleted to their state before it, from the previous values in \
      history. Deleted objects return with their ids and links, and derived attributes are updated. It is a new \
      transaction: readers of history see it. Rows that were changed after the run stay as they are and are listed, \
      unless --force is used; the exit status is then 3.

        bolide runs STORE
        bolide revert STORE --run 7 --plan
        bolide revert STORE --run 7
      """)

  @Argument(help: .store, completion: .file())
  var storePath: String

  @Option(name: .customLong("run"), help: ArgumentHelp("The number of the run to undo.", valueName: "n"))
  var number: Int64?

  @Option(
    help: ArgumentHelp("Undo all changes after this token, by any author.", valueName: "token"),
    transform: HistoryToken.init(argument:))
  var to: HistoryToken?

  @Flag(name: .customLong("plan"), help: "Report what would change, and change nothing.")
  var isTrial = false

  @Flag(help: "With --run: restore rows that were changed after the run too; those changes are lost.")
  var force = false

  @Option(help: ArgumentHelp("Author of the changes in history.", valueName: "name"))
  var author = "bolide"

  @OptionGroup var output: EditOutput

  @OptionGroup var writing: WritingArguments

  func validate() throws {
    if (number == nil) == (to == nil) { throw ValidationError.runOrToken }
    if to != nil, force { throw ValidationError.forceWithToken }
  }

  func run() throws {
    do {
      guard let target = number.map(RevertTarget.run) ?? to.map(RevertTarget.token) else { return }
      let report = try StoreAddress.open(storePath, writing).revert(
        target, force: force || to != nil, EditOptions(author: author, isTrial: isTrial))
      try output.show(report.edit, left: report.left, isTrial: isTrial)
      if !report.left.isEmpty { throw ExitStatus.someRejected.exitCode }
    } catch let status as ExitCode {
      throw status
    } catch {
      throw Failure(error)
    }
  }
}
