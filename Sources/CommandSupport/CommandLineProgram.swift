package import ArgumentParser
import Bolide
import Foundation

/// What both programs do with a command line.
package enum CommandLineProgram {
  /// Runs the command that the arguments call, and ends the process with its exit status.
  ///
  /// - Parameters:
  ///   - handOn: gets the arguments first, and may leave them to another program.
  ///   - failure: a failure as JSON, for `--json`.
  package static func run(
    _ root: any ParsableCommand.Type, handOn: ([String]) throws -> Void = { _ in },
    json failure: (Failure) -> String? = { _ in nil }
  ) {
    StandardDescriptors.fill()
    // A closed pipe is an error of the write that met it, and not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    // A file that may not grow (`ulimit -f`, LimitFSIZE=) is an error of the write, and not the end of the process.
    signal(SIGXFSZ, SIG_IGN)
    var called = root
    do {
      // Swift reads them from /proc: without it a call would look like one for help, and end well.
      if CommandLine.arguments.isEmpty { throw Failure.noArguments }
      try handOn(Array(CommandLine.arguments.dropFirst()))
      // Where there is none to be had, Dispatch waits for one for ever when a connection's queue goes.
      guard WorkThread.isToBeHad else { throw Failure(ImportError.noThread) }
      called = try command(CommandLine.arguments.dropFirst(), of: root)
      var command = try root.parseAsRoot()
      try command.run()
    } catch let error as Failure {
      error.printToStandardError()
      if !error.isInOutput { tell(error, failure) }
      root.exit(withError: error.status.exitCode)
    } catch {
      end(root, called, error, failure)
    }
  }

  /// Tells programs of a failure, where they asked for JSON.
  private static func tell(_ failure: Failure, _ json: (Failure) -> String?) {
    guard CommandLine.arguments.prefix(while: { $0 != "--" }).contains("--json"), let line = json(failure)
    else { return }
    // Standard output may be what the error is about.
    try? StandardOutput.write(line: line)
  }

  /// Ends with the parser's words. Of an unknown option it says what was meant where a few letters differ; for one that was
  /// shortened, this does.
  private static func end(
    _ root: any ParsableCommand.Type, _ command: any ParsableCommand.Type, _ error: any Error,
    _ json: (Failure) -> String?
  ) -> Never {
    var text = root.fullMessage(for: error)
    // Help that was asked for is no error, and a status alone has no words.
    guard root.exitCode(for: error) != .success, !text.isEmpty else { root.exit(withError: error) }
    let options = root.helpMessage(for: command).matches(of: /--[a-z-]+/).map { String($0.0) }
    if let option = text.firstMatch(of: /Unknown option '(--[a-z-]+)'\n/)?.1,
      let meant = Suggestion.nearest(to: String(option), among: options)
    {
      text = text.replacing("'\(option)'\n", with: "'\(option)'. Did you mean '\(meant)'?\n")
    }
    // The parser repeats what was typed.
    let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).printable + "\n" }
    StandardError.write(lines.joined())
    if root.exitCode(for: error).rawValue == ExitStatus.usage.rawValue {
      tell(Failure(.usage, root.message(for: error)), json)
    }
    Foundation.exit(root.exitCode(for: error).rawValue)
  }

  /// The command that the arguments call. Says which was meant, which the parser does for options alone.
  private static func command(
    _ arguments: ArraySlice<String>, of root: any ParsableCommand.Type
  ) throws -> any ParsableCommand.Type {
    var command = root
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
