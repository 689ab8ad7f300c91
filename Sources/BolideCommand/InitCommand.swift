import ArgumentParser
import Bolide
import CommandSupport
import Foundation

/// `bolide init`
struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Write a pipeline for a feed: its shape, names, types and key.",
    discussion: """
      Reads the whole input and prints a pipeline file, with its evidence in comments:

        bolide init feed.json > feed.yaml

      The types fit every value of this input; later inputs may contain other values.
      """)

  @Argument(
    help: ArgumentHelp("The input file; - is standard input.", valueName: "input"), completion: .file())
  var input: String = "-"

  func run() throws {
    do {
      let inference = try PipelineInference(path: input)
      if FileManager.default.fileExists(atPath: inference.storeName) {
        StandardError.write(Note.storeIsThere(inference.storeName).printable + "\n")
      }
      try StandardOutput.write(Array(inference.pipelineText.utf8))
    } catch is StandardOutput.Closed {
      // Whoever reads has read enough.
    } catch {
      throw Failure(error)
    }
  }
}
