import ArgumentParser
import Bolide
import Foundation

/// `bolide delete`
struct DeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Deletes objects of an entity.",
    usage: "bolide delete <store> <entity> (--where <expression> | --all) [<options>]",
    discussion: """
      One transaction: the delete rules of the model take other objects along, unlink them, or deny it, and then nothing is \
      deleted. Derived attributes follow. History keeps the values of what is deleted.

        bolide delete STORE Fireball --where 'group.year < 1990' --dry-run
      """)

  @Argument(help: ArgumentHelp("The store's file, or a pipeline that names it.", valueName: "store"))
  var storePath: String

  @Argument(help: "The entity.")
  var entity: String

  @OptionGroup var edit: EditArguments

  func run() throws {
    do {
      try edit.show(
        StoreAddress.open(storePath, edit.writing).deleteObjects(edit.request(entity), edit.options))
    } catch {
      throw Failure(error)
    }
  }
}
