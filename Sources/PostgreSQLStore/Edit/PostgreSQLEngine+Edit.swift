package import ImportModel
internal import ObjectEdits
package import StoreInterface

extension PostgreSQLEngine {
  package func deleteObjects(_ request: ObjectQuery, _ options: EditOptions) throws -> EditReport {
    try editing(options) { try $0.delete($0.ids(request), of: request.entity) }.1
  }

  package func linkObjects(
    _ request: ObjectQuery, _ name: String, _ edit: LinkEdit, _ options: EditOptions
  ) throws -> EditReport {
    try editing(options) { try $0.link(request, name, edit, in: $0.stored.model) }.1
  }

  package func key(
    of relationship: String, from entity: String, _ texts: [String: String]
  ) throws -> [String: Value] {
    try reading { _, stored in
      do {
        return try LinkEnd(entity, relationship, in: stored.model).key(texts)
      } catch let error as StoreError {
        throw error.about(path)
      }
    }
  }

  package func writeObject(
    _ entity: String, _ values: ObjectValues, links: [String: ObjectValues?], _ kind: ObjectWrite,
    _ options: EditOptions
  ) throws -> (object: ObjectID, report: EditReport) {
    let (id, report) = try editing(options) {
      try ObjectWriter($0, entity, in: $0.stored.model).write(values, links: links, kind)
    }
    return (ObjectID(entity: entity, id: id), report)
  }

  package func updateObjects(
    _ request: ObjectQuery, _ values: ObjectValues, _ options: EditOptions
  ) throws -> EditReport {
    try editing(options) {
      try ObjectWriter($0, request.entity, in: $0.stored.model).update(request, values)
    }.1
  }
}
