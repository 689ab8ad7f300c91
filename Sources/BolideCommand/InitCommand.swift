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

      Several inputs are read as one feed, in order: the records of all must be in the same place. The types fit every \
      value of these inputs; later inputs may contain other values.
      """)

  @Argument(
    help: ArgumentHelp("The input files; - is standard input. (default: -)", valueName: "input"),
    completion: .file())
  var inputs: [String] = []

  @Option(
    name: .customLong("records"),
    help: ArgumentHelp(
      "The path of the records, as in near_earth_objects/<day>, instead of one that is detected.",
      valueName: "path"))
  var records: String?

  @Option(
    help: ArgumentHelp(
      "The attributes of the key, or their fields, separated by commas, instead of a key that is detected.",
      valueName: "attributes"))
  var key: String?

  @Option(
    help: ArgumentHelp(
      "The pipeline's name, from which the names of its store and entity follow; default: from the inputs' names.",
      valueName: "name"))
  var name: String?

  @Option(help: ArgumentHelp("The entity of the records.", valueName: "entity"))
  var entity: String?

  private var choices: InferenceChoices {
    var choices = InferenceChoices()
    choices.records = records
    choices.key = key?.split(separator: ",").map(String.init) ?? []
    (choices.name, choices.entity) = (name, entity)
    return choices
  }

  func validate() throws {
    if inputs.count(where: { $0 == "-" }) > 1 { throw ValidationError.standardInputTwice }
  }

  func run() throws {
    do {
      let inference = try PipelineInference(paths: inputs.isEmpty ? ["-"] : inputs, choices: choices)
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
