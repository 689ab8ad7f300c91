import ArgumentParser
import Bolide
import Foundation

/// `bolide migrate`
struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Makes a store's model fit a pipeline, and drops what is named.",
    discussion: """
      New names, additions, looser rules and other derivations are what the next import does by itself; here it is done \
      without one, a line for each step, in one transaction. What the pipeline does not name stays, unless it is dropped.

      With --plan nothing is touched: the steps are printed, then what stays, and what cannot be done; status 78 when \
      there is such. A dropped value is gone from the rows; history written before still shows it.
      """)

  @Argument(help: ArgumentHelp("The store's file, or a pipeline that names it.", valueName: "store"))
  var storePath: String

  @Argument(help: ArgumentHelp("The pipeline file.", valueName: "pipeline"))
  var pipelinePath: String

  @Flag(help: "Print what would be done, and what would stay, and touch nothing.")
  var plan = false

  @Option(
    help: ArgumentHelp(
      "Drop an entity, an attribute or a relationship, by the store's name of it; may be said again.",
      valueName: "entity[.attribute]"))
  var drop: [String] = []

  @Option(
    help: ArgumentHelp("How long to wait for an import: 30s, 10m. (default: 10m)", valueName: "time"))
  var lockWait: WaitTime?

  @OptionGroup var writing: WritingArguments

  func run() throws {
    do {
      let pipeline = try Pipeline(path: pipelinePath)
      let store = try StoreAddress.open(storePath, writing)
      let steps =
        plan
        ? try store.migrationPlan(for: pipeline, dropping: drop)
        : try store.migrate(pipeline, dropping: drop, lockWait: lockWait?.seconds ?? 600)
      for step in steps { try StandardOutput.write(line: step.description) }
      if steps.contains(where: { $0.kind == .conflict }) { throw ExitStatus.configuration.exitCode }
    } catch let status as ExitCode {
      throw status
    } catch {
      throw Failure(error)
    }
  }
}
