import ArgumentParser
import Bolide

/// The tool: `bolide COMMAND …`.
@main
struct BolideTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bolide",
    abstract: "Imports JSON feeds into an SQLite store, and tells what changed.",
    discussion: """
      A pipeline file says what a feed's records become. One chunk of records is one transaction: rows, derived \
      attributes, history and a token are there together or not at all. Importing twice is importing once.

      \(ExitStatus.table)
      """,
    version: "bolide 0.1.0 (\(LibraryVersions.text))",
    subcommands: [
      ImportCommand.self, InitCommand.self, CheckCommand.self, StatusCommand.self, FetchCommand.self,
      ChangesCommand.self, ReadersCommand.self, SnapshotCommand.self, TokenCommand.self, PruneCommand.self,
      VerifyCommand.self, SchemaCommand.self, RejectsCommand.self, MissingCommand.self, LinkCommand.self,
      DeleteCommand.self, GenerateCommand.self,
      BenchCommand.self, BenchJobCommand.self,
    ])

  static func main() {
    do {
      try checkCommand(CommandLine.arguments.dropFirst())
      var command = try parseAsRoot()
      try command.run()
    } catch let failure as Failure {
      failure.printToStandardError()
      exit(withError: failure.status.exitCode)
    } catch {
      exit(withError: error)
    }
  }

  /// Says which command was meant, which the parser does for options alone.
  private static func checkCommand(_ arguments: ArraySlice<String>) throws {
    var command: any ParsableCommand.Type = BolideTool.self
    for name in arguments {
      guard !name.hasPrefix("-"), name != "help" else { return }
      let commands = command.configuration.subcommands
      guard !commands.isEmpty else { return }
      guard let next = commands.first(where: { $0.configuration.commandName == name }) else {
        let names = commands.filter { $0.configuration.shouldDisplay }.compactMap {
          $0.configuration.commandName
        }
        let meant = Suggestion.nearest(to: name, among: names).map { "; did you mean '\($0)'?" } ?? ""
        throw ValidationError("unknown command '\(name.printable)'\(meant)")
      }
      command = next
    }
  }
}
