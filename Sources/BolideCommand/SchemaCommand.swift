import ArgumentParser
import Bolide

/// `bolide schema`
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Prints the tables, indexes and triggers of a store, or those that a pipeline makes.",
    discussion: """
      SQL that makes them, with a comment line for what each is for. A pipeline needs no store: what is printed is \
      what a new one would have.
      """)

  @Argument(help: ArgumentHelp("The store's file, or a pipeline file.", valueName: "store|pipeline"))
  var path: String

  func run() throws {
    do {
      let isPipeline = path.hasSuffix(".yaml") || path.hasSuffix(".yml")
      let text = try isPipeline ? Pipeline(path: path).schemaText() : Store(reading: path).schemaText()
      try StandardOutput.write(line: text.hasSuffix("\n") ? String(text.dropLast()) : text)
    } catch {
      throw Failure(error)
    }
  }
}
