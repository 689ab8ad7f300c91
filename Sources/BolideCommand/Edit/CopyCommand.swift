import ArgumentParser
import Bolide
import CommandSupport

/// `bolide copy`
struct CopyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Copy objects into another store.",
    usage: """
      bolide copy <store> <target> <entity> (--where <expression> | --all) [<options>]
      bolide copy <store> postgresql://<server>/<database>#<schema> --all [<options>]
      """,
    discussion: """
      Copies objects with what they own (relationships with on-delete: cascade, many-to-many links), and all that these \
      lead to by to-one relationships. Runs as one transaction of the target. Objects are known by their keys: those that \
      are in the target get the values and links of the store, and others are inserted. Nothing is deleted.

      A target that does not exist is created with the store's model. Each of the two may be a file or a PostgreSQL server's.

        bolide copy STORE TARGET Fireball --where 'group.year = 2013' --author archive

      Without an entity, a whole store moves to a PostgreSQL server: into a schema that has no store, where objects keep \
      their ids, and history begins with them.

        bolide copy STORE postgresql:///feeds#fireballs --all
      """)

  @Argument(help: .store, completion: .file())
  var storePath: String

  @Argument(
    help: ArgumentHelp(
      "The other store's file or address, or a pipeline that names it.", valueName: "target"),
    completion: .file())
  var targetPath: String

  @Argument(help: "The entity.")
  var entity: String?

  @OptionGroup var edit: EditArguments

  func validate() throws {
    if entity == nil, !edit.all { throw ValidationError.wholeCopyWithoutAll }
  }

  func run() throws {
    do {
      let store = try StoreAddress.open(storePath)
      try store.assignOrNote(readsHistory: false)
      guard let entity else {
        let target = try StoreAddress.named(targetPath).address
        return try edit.output.show(
          target.copyAll(of: store, author: edit.author, isTrial: edit.isTrial), isTrial: edit.isTrial)
      }
      let request = edit.request(entity)
      let target = try StoreAddress.openOrCreate(
        targetPath, forCopiesOf: store, request, isTrial: edit.isTrial,
        trustsSchema: edit.writing.trustsSchema)
      try edit.output.show(
        target.copyObjects(request, from: store, edit.options), isTrial: edit.isTrial)
    } catch {
      throw Failure(error)
    }
  }
}
