import ArgumentParser
import Bolide
import Foundation

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
      BackupCommand.self, RestoreCommand.self, VerifyCommand.self, MigrateCommand.self, SchemaCommand.self,
      RejectsCommand.self, MissingCommand.self,
      LinkCommand.self,
      DeleteCommand.self, GenerateCommand.self,
      BenchCommand.self, BenchJobCommand.self,
    ])

  static func main() {
    StandardDescriptors.fill()
    // A closed pipe is an error of the write that met it, and not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    // A file that may not grow (`ulimit -f`, LimitFSIZE=) is an error of the write, and not the end of the process.
    signal(SIGXFSZ, SIG_IGN)
    var called: any ParsableCommand.Type = BolideTool.self
    do {
      // Swift reads them from /proc: without it a call would look like one for help, and end well.
      if CommandLine.arguments.isEmpty { throw Failure.noArguments }
      // Where there is none to be had, Dispatch waits for one for ever when a connection's queue goes.
      guard WorkThread.isToBeHad else { throw Failure(ImportError.noThread) }
      called = try self.command(CommandLine.arguments.dropFirst())
      var command = try parseAsRoot()
      try command.run()
    } catch let failure as Failure {
      failure.printToStandardError()
      exit(withError: failure.status.exitCode)
    } catch {
      end(called, error)
    }
  }

  /// Ends with the parser's words. Of an unknown option it says what was meant where a few letters differ; for one that was
  /// shortened, this does.
  private static func end(_ command: any ParsableCommand.Type, _ error: any Error) -> Never {
    var text = fullMessage(for: error)
    // Help that was asked for is no error, and a status alone has no words.
    guard exitCode(for: error) != .success, !text.isEmpty else { exit(withError: error) }
    let options = helpMessage(for: command).matches(of: /--[a-z-]+/).map { String($0.0) }
    if let option = text.firstMatch(of: /Unknown option '(--[a-z-]+)'\n/)?.1,
      let meant = Suggestion.nearest(to: String(option), among: options)
    {
      text = text.replacing("'\(option)'\n", with: "'\(option)'. Did you mean '\(meant)'?\n")
    }
    // The parser repeats what was typed.
    let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).printable + "\n" }
    StandardError.write(lines.joined())
    Foundation.exit(exitCode(for: error).rawValue)
  }

  /// The command that the arguments call. Says which was meant, which the parser does for options alone.
  private static func command(_ arguments: ArraySlice<String>) throws -> any ParsableCommand.Type {
    var command: any ParsableCommand.Type = BolideTool.self
    for name in arguments {
      if name == "help" { continue }
      guard !name.hasPrefix("-") else { break }
      let commands = command.configuration.subcommands
      guard !commands.isEmpty else { break }
      guard let next = commands.first(where: { $0.configuration.commandName == name }) else {
        let names = commands.filter { $0.configuration.shouldDisplay }.compactMap {
          $0.configuration.commandName
        }
        throw ValidationError.unknownCommand(name, among: names)
      }
      command = next
    }
    return command
  }
}
