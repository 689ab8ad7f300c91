import ArgumentParser
import Bolide
import CommandSupport
import Foundation

/// `bolide link`
struct LinkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "link",
    abstract: "Link or unlink objects.",
    usage:
      "bolide link <store> <entity> <relationship> (--to <name=value> | --remove <name=value> | --to-none) (--where <expression> | --all) [<options>]",
    discussion: """
      The relationship is to-one or many-to-many; the other object is named by its key. A to-one link replaces the \
      present one, a many-to-many link is added. Runs as one transaction: derived attributes of both ends are updated, \
      and history keeps the previous values. Imports do not change existing links unless the pipeline sets \
      `when: always`.

        bolide link STORE Fireball group --where "date = '2013-02-15T03:20:33Z'" --to year=2013
        bolide link STORE Post tags --where 'words > 1000' --to name=long
      """)

  @Argument(help: .store, completion: .file())
  var storePath: String

  @Argument(help: "The entity of the objects to link.")
  var entity: String

  @Argument(help: "A to-one, has-one or many-to-many relationship of the entity.")
  var relationship: String

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Link to the object with this key. For a key of several attributes, repeat.",
      valueName: "name=value"))
  var to: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Unlink the object with this key.", valueName: "name=value"))
  var remove: [String] = []

  @Flag(help: "Remove all links of the relationship; a to-one relationship becomes null.")
  var toNone = false

  @OptionGroup var edit: EditArguments

  func validate() throws {
    switch (to.isEmpty ? 0 : 1) + (remove.isEmpty ? 0 : 1) + (toNone ? 1 : 0) {
    case 0: throw ValidationError.noTarget
    case 1: break
    default: throw ValidationError.severalTargets
    }
    for part in to + remove where part.halves == nil {
      throw ValidationError.notAKeyPart(part)
    }
  }

  func run() throws {
    do {
      let store = try StoreAddress.open(storePath, edit.writing)
      try edit.show(
        store.linkObjects(edit.request(entity), relationship, change(in: store), edit.options))
    } catch {
      throw Failure(error)
    }
  }

  private func change(in store: any StoreEngine) throws -> LinkEdit {
    if toNone { return .toNone }
    var texts: [String: String] = [:]
    for (name, value) in (to + remove).compactMap(\.halves) { texts[name] = value }
    let key = try store.key(of: relationship, from: entity, texts)
    return to.isEmpty ? .from(key) : .to(key)
  }
}
