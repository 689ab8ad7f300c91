import ArgumentParser
import Bolide
import CommandSupport

/// `bolide verify`
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check a store: derived attributes, history, schema and file.",
    discussion: """
      Also checks triggers, indexes, foreign keys, unique constraints and the counts of runs. Prints one line per \
      problem; the exit status is 65 if there is a problem, otherwise 0. Also prints the objects whose sums are null \
      because they are beyond the range of their type; these are not problems.

      With --rebuild, restores triggers and indexes and recomputes derived attributes, with a line for each; recreates \
      tables and columns that another program has dropped, empty; and marks a store that was loaded from an SQL dump \
      as a store again. The exit status is 65 only for problems that remain. A repair of more than an index or a mark \
      leaves a gap in history: readers start again from a snapshot.
      """)

  @Argument(help: .store, completion: .file())
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
    if count > 0 { throw ExitStatus.dataRejected.exitCode }
  }
}
