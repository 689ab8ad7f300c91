import ArgumentParser
import Bolide
import CommandSupport

/// `bolide check`
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Validate a pipeline and, optionally, an input against it.",
    discussion: """
      Prints one line if the pipeline is valid. Otherwise prints every problem, one per line, as FILE:LINE:COLUMN: \
      and a message.

      With an input, also reads it as an import would, without a store, and reports its shape, records that would be \
      rejected, records that share a key, fields that the pipeline maps and the input lacks, and fields that the \
      pipeline does not map. The exit status is 65 if a record would be rejected, or would be replaced by another \
      record with the same key while the pipeline sets no `repeated-key`.
      """)

  @Argument(help: ArgumentHelp("The pipeline file.", valueName: "pipeline"), completion: .file())
  var pipelinePath: String

  @Argument(
    help: ArgumentHelp("An input to validate; - is standard input.", valueName: "input"), completion: .file())
  var input: String?

  func run() throws {
    do {
      let pipeline = try Pipeline(path: pipelinePath)
      try StandardOutput.write(line: "\(pipelinePath): \(pipeline.summary)")
      guard let input else { return }
      let check = try FeedCheck(pipeline, path: input)
      try StandardOutput.write(lines: check.text)
      if check.losesRecords { throw ExitStatus.dataRejected.exitCode }
      if check.rejected + check.children.reduce(0, { $0 + $1.rejected }) > 0 {
        throw ExitStatus.dataRejected.exitCode
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
    let place = store.map { " into \(StoreAddress($0))" } ?? ""
    let names = model.entities.map { "\($0.name) (\($0.storedAttributes.count) attributes)" }
    return "fine; \(name) imports \(self.entity) by \(key)\(place): \(names.joined(separator: ", "))"
  }
}
