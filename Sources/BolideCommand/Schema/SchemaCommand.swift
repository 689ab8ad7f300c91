import ArgumentParser
import Bolide
import CommandSupport
import Foundation

/// `bolide schema`
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract:
      "Print the schema of a store or a pipeline, or the format of pipeline files.",
    discussion: """
      Prints the SQL that creates the store, with a comment for each table, index and trigger. For a pipeline, prints \
      what a new store would contain; no store is needed.

      An editor that supports JSON Schema completes and checks a pipeline whose first line names the printed file:

        bolide schema --pipeline-format > pipeline.schema.json
        # yaml-language-server: $schema=pipeline.schema.json
      """)

  @Argument(
    help: ArgumentHelp("The store's file, or a pipeline file.", valueName: "store|pipeline"),
    completion: .file())
  var path: String?

  @Flag(help: "Print the JSON Schema of pipeline files.")
  var pipelineFormat = false

  @Flag(help: "With --pipeline-format: print Markdown tables instead.")
  var markdown = false

  func validate() throws {
    if (path == nil) != pipelineFormat {
      throw ValidationError.noSchemaNamed
    }
    if markdown && !pipelineFormat { throw ValidationError.markdownAlone }
  }

  func run() throws {
    do {
      try StandardOutput.write(Array(text().utf8))
    } catch is StandardOutput.Closed {
      // Whoever reads has read enough.
    } catch {
      throw Failure(error)
    }
  }

  private func text() throws -> String {
    guard let path else { return markdown ? PipelineReference.text : PipelineSchema.text }
    let text =
      try path.namesPipeline ? Pipeline(path: path).schemaText() : StoreAddress(path).open().schemaText()
    return text.hasSuffix("\n") ? text : text + "\n"
  }
}
