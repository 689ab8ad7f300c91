import ArgumentParser
import CommandSupport
import Foundation

/// The program of `bench` and `generate`, which stands beside this one: a build of the tool alone takes neither the
/// measures nor the generators.
enum BenchProgram {
  /// Becomes that program where the arguments are for it; otherwise does nothing.
  ///
  /// - Throws: `Failure` where it is not there or cannot be started.
  static func take(_ arguments: [String]) throws {
    guard let name = arguments.first(where: { $0 != "help" }), names.contains(name) else { return }
    let tool = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
    let path = tool.resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "bolide-bench")
      .path(percentEncoded: false)
    var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    unsafe execv(path, &words)
    if errno == ENOENT { throw Failure.noCompanion(path) }
    throw Failure.cannotStart(path, errno)
  }

  private static let names: Set = ["bench", "generate"]
}

/// `bolide bench`, for the list of commands.
struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "bench", abstract: CommandAbstract.bench)
}

/// `bolide generate`, for the list of commands.
struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "generate", abstract: CommandAbstract.generate)
}
