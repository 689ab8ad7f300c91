package import ImportModel
internal import ModelMerging
internal import ObjectEdits
internal import SQLiteStore
package import StoreInterface

extension SQLiteEngine {
  /// Changes the links of a request's objects, on the calling thread.
  package func linkObjects(
    _ request: ObjectQuery, _ name: String, _ edit: LinkEdit, _ options: EditOptions
  ) throws -> EditReport {
    try naming {
      try editing(options) { db, model in
        try StoredObjects(db: db, path: path).link(request, name, edit, in: model)
      }.1
    }
  }

  /// A key as texts, each read as its attribute's type wants it.
  ///
  /// - Parameter texts: by attribute, as a person writes them: `year` and `2013`.
  package func key(of relationship: String, from entity: String, _ texts: [String: String]) throws -> [String:
    Value]
  {
    try naming {
      try LinkEnd(entity, relationship, in: reading { try ModelRecord($0).model }).key(texts)
    }
  }
}
