package import ImportModel
internal import SQLiteAccess
package import StoreInterface

// What is said when a pipeline's model and a store's do not go together.

extension StoreError {
  package static func entityCase(_ stored: String, _ declared: String) -> StoreError {
    modelChange("the store has an entity \(stored), which differs from \(declared) only by case")
  }

  package static func columnCase(_ stored: String, _ declared: String, of entity: String) -> StoreError {
    modelChange("\(entity) has a column \(stored) in the store, which differs from \(declared) only by case")
  }

  package static func otherKey(_ stored: Entity, _ declared: Entity) -> StoreError {
    modelChange(
      "\(stored.name) has the key \(stored.key.joined(separator: ", ")) in the store and "
        + "\(declared.key.joined(separator: ", ")) in the pipeline")
  }

  package static func otherRelationship(_ name: String) -> StoreError {
    modelChange("the relationship \(name) differs from the store's", drop: name)
  }

  /// - Parameter isAttribute: whether it is an attribute in the store.
  package static func otherKind(_ name: String, isAttribute: Bool) -> StoreError {
    let kinds = isAttribute ? ("an attribute", "a relationship") : ("a relationship", "an attribute")
    return modelChange("\(name) is \(kinds.0) in the store and \(kinds.1) in the pipeline", drop: name)
  }

  /// - Parameter problem: what would be wrong with the model that the store has with the pipeline's.
  package static func unsoundTogether(_ problem: String) -> StoreError {
    modelChange("the store's model and the pipeline's do not go together: \(problem)")
  }

  package static func deleteRuleOfKey(_ name: String, _ toOne: String) -> StoreError {
    modelChange("\(name) has another delete rule in the store, and \(toOne) is part of a key")
  }

  package static func oldName(_ name: String, now: String) -> StoreError {
    modelChange("\(name) is called \(now) in the store: the pipeline is older")
  }

  package static func otherType(_ name: String, _ stored: AttributeType, _ declared: AttributeType)
    -> StoreError
  {
    modelChange(
      "\(name) is \(stored.description) in the store and \(declared.description) in the pipeline", drop: name)
  }

  package static func otherDerivation(_ name: String, _ stored: Derivation?, _ declared: Derivation?)
    -> StoreError
  {
    modelChange(
      "\(name) is derived as \(stored?.text ?? "nothing") in the store and as "
        + "\(declared?.text ?? "nothing") in the pipeline", drop: name)
  }

  package static func becomesTransient(_ name: String) -> StoreError {
    modelChange("\(name) is stored, and transient in the pipeline", drop: name)
  }

  package static func otherRequirement(_ name: String) -> StoreError {
    modelChange("\(name) is required in the store and optional in the pipeline")
  }

  /// - Parameter sql: what finds the rows.
  package static func hasNulls(_ name: String, sql: String) -> StoreError {
    StoreError(
      .modelChange, "\(name) cannot become required: some of its objects have no value",
      hint: "Find them with SQL: \(sql); then change or delete them, or keep the attribute optional.")
  }

  /// - Parameter type: the wider one.
  package static func valueLost(_ name: String, _ type: AttributeType) -> StoreError {
    StoreError(
      .modelChange,
      "\(name) cannot become \(type.description): a stored value, or one in history, would change",
      hint: "Keep the type, or give the attribute another name.")
  }

  package static func newAndRequired(_ name: String) -> StoreError {
    modelChange("\(name) is new and required, and existing rows have no value for it")
  }

  /// - Parameter name: what could be dropped so that it begins anew.
  private static func modelChange(_ message: String, drop name: String? = nil) -> StoreError {
    guard let name else {
      return StoreError(
        .modelChange, message, hint: "Import into a new store, or change the pipeline to match this one.")
    }
    return StoreError(
      .modelChange, message,
      hint:
        "Change the pipeline to match the store; or drop the stored values, and start empty.", .drop([name]))
  }

  package static func cannotBeUnique(_ constraint: [String], of entity: String) -> StoreError {
    let columns = constraint.map(quoted).joined(separator: ", ")
    return StoreError(
      .modelChange,
      "\(entity) cannot become unique on \(constraint.listed): some of its objects have the same values there",
      hint: "Find them with SQL: SELECT \(columns), count(*) FROM \(quoted(entity)) GROUP BY \(columns) "
        + "HAVING count(*) > 1; then change or delete them, or remove the constraint.")
  }

  package static func cannotBeOneToOne(_ relationship: Relationship, of entity: String) -> StoreError {
    let (table, column) = (quoted(entity), quoted(relationship.column))
    return StoreError(
      .modelChange,
      "\(entity).\(relationship.name) cannot become one-to-one: several objects are linked to the "
        + "same \(relationship.destination)",
      hint: "Find them with SQL: SELECT \(column), count(*) FROM \(table) WHERE \(column) IS NOT NULL "
        + "GROUP BY \(column) HAVING count(*) > 1; then unlink or delete them, or set `to-many` at the other end."
    )
  }

  package static let modelGrew = StoreError(
    .busy, "another pipeline changed the store's model meanwhile",
    hint: "Run the same command again: no row is duplicated.")
}
