import ArgumentParser
import Bolide
import Foundation

/// `bolide schema`
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract:
      "Prints the tables, indexes and triggers of a store or a pipeline; or the format of pipeline files.",
    discussion: """
      SQL that makes them, with a comment line for what each is for. A pipeline needs no store: what is printed is \
      what a new one would have.

      An editor that knows JSON Schema completes and checks a pipeline whose first line names the printed file:

        bolide schema --pipeline-format > pipeline.schema.json
        # yaml-language-server: $schema=pipeline.schema.json
      """)

  @Argument(help: ArgumentHelp("The store's file, or a pipeline file.", valueName: "store|pipeline"))
  var path: String?

  @Flag(help: "Print the JSON Schema of pipeline files.")
  var pipelineFormat = false

  @Flag(help: "With --pipeline-format: print tables in Markdown instead.")
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
