internal import ObjectEdits
internal import SQLiteStore
package import StoreInterface

extension SQLiteEngine {
  /// Writes one object, on the calling thread.
  package func writeObject(
    _ entity: String, _ values: ObjectValues, links: [String: ObjectValues?], _ kind: ObjectWrite,
    _ options: EditOptions
  ) throws -> (object: ObjectID, report: EditReport) {
    try naming {
      let (id, report) = try editing(options) { db, model in
        try ObjectWriter(StoredObjects(db: db, path: path), entity, in: model)
          .write(values, links: links, kind)
      }
      return (ObjectID(entity: entity, id: id), report)
    }
  }

  /// Gives the objects of a request other values, on the calling thread.
  package func updateObjects(
    _ request: ObjectQuery, _ values: ObjectValues, _ options: EditOptions
  ) throws -> EditReport {
    try naming {
      try editing(options) { db, model in
        try ObjectWriter(StoredObjects(db: db, path: path), request.entity, in: model)
          .update(request, values)
      }.1
    }
  }
}
