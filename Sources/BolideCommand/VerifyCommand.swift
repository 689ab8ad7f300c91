import ArgumentParser
import Bolide

/// `bolide verify`
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Recomputes derived attributes and history, and compares them with the store.",
    discussion: """
      Also checks the file itself, triggers, indexes, foreign keys, unique constraints and the counts of runs. A line \
      for each thing that is wrong, and status 65; status 0 when all is well. A total beyond the range of its type is null: \
      a line names its owner, and the status stays 0.

      With --rebuild, triggers and indexes are restored and derived attributes computed anew, a line for each; tables \
      and columns that another program has dropped are made anew, empty; a store that came through SQL text is marked as \
      one again; status 65 only for what is wrong still. Where it was more than an index or a mark, history has a gap \
      then: whoever reads it starts again from a snapshot.
      """)

  @Argument(help: ArgumentHelp("The store's file, or a pipeline that names it.", valueName: "store"))
  var storePath: String

  @Flag(help: "Repair what can be repaired.")
  var rebuild = false

  @OptionGroup var writing: WritingArguments

  func run() throws {
    var count = 0
    do {
      if rebuild, try StoreAddress.named(storePath).address.adopt() {
        try StandardOutput.write(line: Repair.marked)
      }
      let store = try StoreAddress.open(storePath, writing)
      if rebuild {
        try store.rebuild { try StandardOutput.write(line: Repair.line("\($0)")) }
      }
      try store.verify { finding in
        if !finding.isTrue { count += 1 }
        try StandardOutput.write(line: "\(finding)")
      }
    } catch {
      throw Failure(error)
    }
    if count > 0 { throw ExitStatus.dataRefused.exitCode }
  }
}
