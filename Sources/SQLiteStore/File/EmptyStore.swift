internal import ImportModel
internal import ModelMerging

extension SQLiteEngine {
  /// Makes an empty store with this one's model, which was checked when this one was made.
  ///
  /// - Parameter path: where; nil for one that lives in memory and goes with the last reference to it.
  package func makeEmpty(at path: String?) throws -> SQLiteEngine {
    var model = try reading { try ModelRecord($0).model }
    // A pipeline's model has none for links.
    let joins = model.joins.map(\.toMany.holder.name)
    model.entities.removeAll { joins.contains($0.name) }
    let pipeline = Pipeline(name: "copy", entity: model.entities.first?.name ?? "", model: model, fields: [])
    let folder = path == nil ? try MemoryFolder() : nil
    guard let path = path ?? folder?.store else { preconditionFailure("a store in memory has a folder") }
    let patience = LockTimeout(seconds: 10)
    try Self.make(path, pipeline, patience)
    return SQLiteEngine(path: path, writer: try Self.open(path, patience, false), patience, in: folder)
  }
}
