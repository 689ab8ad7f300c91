internal import ImportModel
internal import ObjectEdits
internal import PostgreSQLAccess
package import StoreInterface

extension PostgreSQLEngine {
  package func revert(_ target: RevertTarget, force: Bool, _ options: EditOptions) throws -> RevertReport {
    let (left, edit) = try editing(options) { objects in
      try objects.keepOthersAway(address.schema)
      let attempt = try RevertAttempt(
        objects, RevertScope(objects, target, schema: address.schema), force: force)
      return try attempt.revert(objects.stored.model, force: force)
    }
    return RevertReport(edit: edit, left: left)
  }
}
