import ArgumentParser
import Bolide
import CommandSupport
import Foundation

/// `bolide erase`
struct EraseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: "Erase an object from rows, history, rejected records and free pages.",
    usage: "bolide erase <store> <entity> (<key> ... | --id <n>) [<options>]",
    discussion: """
      For people who ask for their data to be deleted. Deletes the object by the delete rules of the model, and erases its \
      values, also those of an object that was deleted before, and of objects that were deleted with it. Readers of history \
      see the deletion with the object's id, without its key and values. Earlier states that need the values are refused. \
      The file is built anew, which takes time and disk space like `bolide prune --vacuum`; on a PostgreSQL server the tables \
      are vacuumed, and the server's files, log and replicas may contain the values for longer. Backups, snapshots and feeds \
      that contain the object are not changed. The key is written as for `bolide log`:

        bolide erase STORE Person 4711 --plan
        bolide erase STORE Person 4711
      """)

  @OptionGroup var arguments: ObjectArguments

  @Flag(name: .customLong("plan"), help: "Report what would be erased, and change nothing.")
  var isTrial = false

  @Option(help: ArgumentHelp("Author of the deletion in history.", valueName: "name"))
  var author = "bolide"

  @OptionGroup var output: EditOutput

  @OptionGroup var writing: WritingArguments

  func run() throws {
    do {
      let report = try StoreAddress.open(arguments.storePath, writing).erase(
        arguments.entity, arguments.object, EditOptions(author: author, isTrial: isTrial),
        lockWait: 600)
      try output.show(report, arguments.storePath, isTrial: isTrial)
    } catch {
      throw Failure(error)
    }
  }
}
