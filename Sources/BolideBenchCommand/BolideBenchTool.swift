import ArgumentParser
import Bolide
import CommandSupport

/// The program of `bolide bench` and `bolide generate`.
@main
struct BolideBenchTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bolide",
    abstract: "Bolide's bench, and the feeds that it is measured with.",
    version: LibraryVersions.tool,
    subcommands: [BenchCommand.self, BenchJobCommand.self, GenerateCommand.self])

  static func main() { CommandLineProgram.run(Self.self) }
}
