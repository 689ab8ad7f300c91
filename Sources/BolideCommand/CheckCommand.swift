import ArgumentParser
import Bolide

/// `bolide check`
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Says what is wrong with a pipeline, all of it at once.",
    discussion: "Prints a line when nothing is. Each problem is FILE:LINE:COLUMN: and a sentence.")

  @Argument(help: ArgumentHelp("The pipeline file.", valueName: "pipeline"))
  var pipelinePath: String

  func run() throws {
    do {
      let pipeline = try Pipeline(path: pipelinePath)
      try StandardOutput.write(line: "\(pipelinePath): \(pipeline.summary)")
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
