import ArgumentParser
import Bolide

/// `bolide check`
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Says what is wrong with a pipeline, and how an input would fit it.",
    discussion: """
      Prints a line when nothing is wrong. Each problem is FILE:LINE:COLUMN: and a sentence, all of them at once.

      With an input, reads it as an import would, without a store: what shape it has, which records would be \
      refused, which share a key, what the pipeline asks for in vain, what it leaves. Exit status 65 when a record would \
      be refused, or give way to another one with its key unless the pipeline has `repeated-key`.
      """)

  @Argument(help: ArgumentHelp("The pipeline file.", valueName: "pipeline"))
  var pipelinePath: String

  @Argument(help: ArgumentHelp("An input to try; - is standard input.", valueName: "input"))
  var input: String?

  func run() throws {
    do {
      let pipeline = try Pipeline(path: pipelinePath)
      try StandardOutput.write(line: "\(pipelinePath): \(pipeline.summary)")
      guard let input else { return }
      let check = try FeedCheck(pipeline, path: input)
      try StandardOutput.write(lines: check.text)
      if check.losesRecords { throw ExitStatus.dataRefused.exitCode }
      if check.refused + check.children.reduce(0, { $0 + $1.refused }) > 0 {
        throw ExitStatus.dataRefused.exitCode
      }
    } catch let status as ExitCode {
      throw status
    } catch {
      throw Failure(error)
    }
  }
}

extension Pipeline {
  /// `fireballs imports Fireball by date into fireballs.sqlite; 9 attributes, 2 expressions, …`
  fileprivate var summary: String {
    let entity = model.entity(named: entity)
    let key = entity?.key.joined(separator: ", ") ?? ""
    let place = store.map { " into \($0)" } ?? ""
    let names = model.entities.map { "\($0.name) (\($0.storedAttributes.count) attributes)" }
    return "fine; \(name) imports \(self.entity) by \(key)\(place): \(names.joined(separator: ", "))"
  }
}
