internal import GRDB
package import ImportModel
internal import ModelMerging
internal import SQLiteAccess
internal import SQLiteQueries
internal import SQLiteStore
package import StoreInterface
internal import TypedRows

extension SQLiteEngine {
  /// Changes the links of a request's objects, on the calling thread.
  package func linkObjects(
    _ request: ObjectQuery, _ name: String, _ edit: LinkEdit, _ options: EditOptions
  ) throws -> EditReport {
    try naming {
      try editing(options) { db, model in
        let end = try LinkEnd(request.entity, name, in: model)
        let target = try edit.key.map {
          try db.object(of: end.destination, key: $0, hint: edit.isNew ? "Import it first." : nil)
        }
        let ids = try FetchReading(db, path: path).ids(request, at: nil)
        if end.isOneToOne, edit.isNew, ids.count > 1 {
          throw StoreError.linkOfSeveral(ids.count, end.entity, end.relationship)
        }
        try end.change(edit, of: ids, to: target, db)
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
      let model = try reading { try ModelRecord($0).model }
      let destination = try LinkEnd(entity, relationship, in: model).destination
      var key: [String: Value] = [:]
      for (name, text) in texts {
        guard destination.key.contains(name), let attribute = destination.attribute(named: name) else {
          throw StoreError.keyOf(destination)
        }
        key[name] = try attribute.value(text)
      }
      return key
    }
  }
}

extension Attribute {
  /// A text that a person wrote, as a stored value.
  fileprivate func value(_ text: String) throws(StoreError) -> Value {
    guard let value = Value(text, as: type) else { throw .notAValue(name, type.writtenForm) }
    return value
  }
}
