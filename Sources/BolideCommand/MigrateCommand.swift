import ArgumentParser
import Bolide
import CommandSupport
import Foundation

/// `bolide migrate`
struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Migrate a store's schema to a pipeline.",
    discussion: """
      An import migrates by itself what needs no decision: renamed and new attributes, relaxed rules, other \
      derivations. This command does the same without an import, in one transaction, and prints a line per step. \
      Entities and attributes that the pipeline does not declare are kept unless named with --drop. An index is dropped \
      when no pipeline declares it any more.

      With --plan the store is not changed: prints the steps, then what is kept and what cannot be migrated; the exit \
      status is 78 if something cannot be migrated. Dropped values are deleted from the rows; older history still \
      contains them.
      """)

  @Argument(help: .store, completion: .file())
  var storePath: String

  @Argument(help: ArgumentHelp("The pipeline file.", valueName: "pipeline"), completion: .file())
  var pipelinePath: String

  @Flag(help: "Print the migration plan; the store is not changed.")
  var plan = false

  @Option(
    help: ArgumentHelp(
      "Drop an entity, attribute, relationship or index, by its name in the store. Repeatable.",
      valueName: "entity[.attribute]"))
  var drop: [String] = []

  @Option(
    help: ArgumentHelp(
      "How long to wait for another pipeline's import: 30s, 10m. (default: 10m)", valueName: "time"))
  var lockWait: WaitTime?

  @OptionGroup var writing: WritingArguments

  func run() throws {
    do {
      let pipeline = try Pipeline(path: pipelinePath)
      let store = try StoreAddress.open(storePath, writing)
      let line = ProgressLine()
      defer { line.clear() }
      let clock = ContinuousClock()
      let start = clock.now
      let steps =
        plan
        ? try store.migrationPlan(for: pipeline, dropping: drop)
        : try store.migrate(pipeline, dropping: drop, lockWait: lockWait?.seconds ?? 600) { done in
          line.draw(after: (clock.now - start) / .seconds(1)) { _ in
            "\(pipeline.name.printable)  \(Int(done * 100)) %"
          }
        }
      line.clear()
      for step in steps { try StandardOutput.write(line: step.line) }
      if steps.contains(where: { $0.kind == .conflict }) { throw ExitStatus.configuration.exitCode }
    } catch let status as ExitCode {
      throw status
    } catch {
      throw Failure(error)
    }
  }
}
