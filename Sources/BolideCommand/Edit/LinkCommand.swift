import ArgumentParser
import Bolide
import Foundation

/// `bolide link`
struct LinkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "link",
    abstract: "Links objects to another one, or to none.",
    usage:
      "bolide link <store> <entity> <relationship> (--to <name=value> | --to-none) (--where <expression> | --all) [<options>]",
    discussion: """
      The relationship is to-one; the other object is named by its key. One transaction: derived attributes of both ends \
      follow, and history knows where the link led before. Imports leave links alone, unless the pipeline says `when: always`.

        bolide link STORE Fireball group --where "date = '2013-02-15T03:20:33Z'" --to year=2013
      """)

  @Argument(help: ArgumentHelp("The store's file, or a pipeline that names it.", valueName: "store"))
  var storePath: String

  @Argument(help: "The objects' entity.")
  var entity: String

  @Argument(help: "Its to-one relationship.")
  var relationship: String

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "The key of the object that they lead to: an attribute and its value, once for each attribute of the key.",
      valueName: "name=value"))
  var to: [String] = []

  @Flag(help: "They lead to no object.")
  var toNone = false

  @OptionGroup var edit: EditArguments

  func validate() throws {
    guard to.isEmpty == toNone else {
      throw toNone ? ValidationError.toAndToNone : ValidationError.noTarget
    }
    for part in to where !part.contains("=") {
      throw ValidationError.notAKeyPart(part)
    }
  }

  func run() throws {
    do {
      let store = try Store.opening(storePath)
      var texts: [String: String] = [:]
      for part in to {
        let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
          String.init)
        texts[halves[0]] = halves[1]
      }
      let key = toNone ? nil : try store.key(of: relationship, from: entity, texts)
      try edit.show(store.linkObjects(edit.request(entity), relationship, to: key, edit.options))
    } catch {
      throw Failure(error)
    }
  }
}
