import ArgumentParser
import Bolide

/// `bolide verify`
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Recomputes counts, sums and history, and compares them with the store.",
    discussion: """
      Also checks the file itself, foreign keys, unique constraints and the counts of runs. A line for each thing that \
      is wrong, and status 65; nothing and status 0 when all is well.
      """)

  @Argument(help: ArgumentHelp("The store's file, or a pipeline that names it.", valueName: "store"))
  var storePath: String

  func run() throws {
    var count = 0
    do {
      try Store.opening(storePath).verify { finding in
        count += 1
        try StandardOutput.write(line: "\(finding)")
      }
    } catch {
      throw Failure(error)
    }
    if count > 0 { throw ExitStatus.dataRefused.exitCode }
  }
}
