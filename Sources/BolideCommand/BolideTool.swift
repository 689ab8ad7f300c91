import ArgumentParser
import Bolide
import CommandSupport

/// The tool: `bolide COMMAND …`.
@main
struct BolideTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bolide",
    abstract: "Import JSON feeds into an SQLite store, and read what changed.",
    discussion: """
      A pipeline file describes how the records of a feed become rows. Each chunk of records is one transaction: rows, \
      derived attributes, history and a token are committed together or not at all. Importing the same feed again \
      changes nothing.

      \(ExitStatus.table)
      """,
    version: LibraryVersions.tool,
    subcommands: [
      ImportCommand.self, InitCommand.self, CheckCommand.self, StatusCommand.self, RunsCommand.self,
      ReportCommand.self,
      FetchCommand.self, LogCommand.self,
      DiffCommand.self, ChangesCommand.self, ReadersCommand.self, SnapshotCommand.self, TokenCommand.self,
      PruneCommand.self,
      BackupCommand.self, RestoreCommand.self, VerifyCommand.self, MigrateCommand.self, SchemaCommand.self,
      RejectsCommand.self, MissingCommand.self,
      LinkCommand.self, CopyCommand.self, DeleteCommand.self,
      RevertCommand.self, EraseCommand.self, GenerateCommand.self,
      BenchCommand.self,
    ])

  static func main() { CommandLineProgram.run(Self.self, handOn: BenchProgram.take, json: \.json) }
}
