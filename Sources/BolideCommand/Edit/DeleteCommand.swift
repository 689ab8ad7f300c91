import ArgumentParser
import Bolide
import CommandSupport
import Foundation

/// `bolide delete`
struct DeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete objects of an entity.",
    usage: "bolide delete <store> <entity> (--where <expression> | --all) [<options>]",
    discussion: """
      Runs as one transaction. The delete rules of the model delete or unlink related objects, or deny the deletion; \
      then nothing is deleted. Derived attributes are updated. History keeps the values of deleted objects.

        bolide delete STORE Fireball --where 'group.year < 1990' --dry-run
      """)

  @Argument(help: .store, completion: .file())
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
