package import ImportModel
internal import ModelMerging

extension SQLiteEngine {
  /// Makes an empty store with another one's model.
  ///
  /// - Parameter path: where; nil for one that lives in memory and goes with the last reference to it.
  package static func makeEmpty(at path: String?, _ model: Model) throws -> SQLiteEngine {
    let folder = path == nil ? try MemoryFolder() : nil
    guard let path = path ?? folder?.store else { preconditionFailure("a store in memory has a folder") }
    let patience = LockTimeout(seconds: 10)
    try make(path, Pipeline(keeping: model), patience)
    return SQLiteEngine(path: path, writer: try open(path, patience, false), patience, in: folder)
  }
}
