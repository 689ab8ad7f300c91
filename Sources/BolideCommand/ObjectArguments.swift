import ArgumentParser
import Bolide
import CommandSupport

/// Which object of a store is meant; the same for `log` and `erase`.
struct ObjectArguments: ParsableArguments {
  @Argument(help: .store, completion: .file())
  var storePath: String

  @Argument(help: "The entity.")
  var entity: String

  @Argument(help: ArgumentHelp("The key: a value, or name=value for each part.", valueName: "key"))
  var key: [String] = []

  @Option(help: ArgumentHelp("The object's id instead of its key.", valueName: "n"))
  var id: Int64?

  func validate() throws {
    if key.isEmpty == (id == nil) { throw ValidationError.keyOrID }
  }

  var object: LoggedObject { id.map(LoggedObject.id) ?? .key(key) }
}

extension ArgumentHelp {
  /// The argument of each command that is about one store.
  static let store = ArgumentHelp("The store's file, or a pipeline that names it.", valueName: "store")
}
