package import ImportModel
package import StoreInterface

// What is said of migrations: of what was called otherwise, and of what is to be dropped.

/// What is wrong with a `was` of a pipeline file, as the store knows better.
enum MigrationWords {
  static func both(_ name: String, _ was: String, in place: String) -> String {
    "\(place) has both '\(name)' and '\(was)': drop one of them in a migration, or remove 'was'"
  }

  static func neverWas(_ was: String, _ kind: String, _ name: String, in place: String) -> String {
    "\(place) has no \(kind) '\(was)', the previous name of '\(name)': correct 'was', or remove it"
  }
}

extension StoreError {
  // MARK: Older pipelines

  package static func olderDerivation(_ name: String) -> StoreError {
    older("a former derivation of \(name)")
  }
  package static func olderRequirement(_ name: String) -> StoreError {
    older("\(name) as required, as formerly")
  }
  package static func olderDeleteRule(_ name: String) -> StoreError {
    older("a former delete rule of \(name)")
  }

  /// - Parameter present: the relationship's kind in the store.
  package static func olderKind(_ name: String, _ present: Relationship.Kind) -> StoreError {
    older("\(name) as \(present == .hasOne ? "to-many" : "has-one"), as formerly")
  }

  private static func older(_ reason: String) -> StoreError {
    StoreError(
      .modelChange, "the pipeline is older than the store's model: it declares \(reason)",
      hint: "Use the newer pipeline, or migrate the store to revert to this one.", .migrate)
  }

  // MARK: What is there already

  package static func tableTaken(_ name: String) -> StoreError {
    taken(
      "\(name) cannot be added: another program's table, view or index has this name"
    )
  }

  package static func columnTaken(_ column: String, _ entity: String) -> StoreError {
    taken(
      "the column \(column) cannot be added to \(entity): another program's column has this name"
    )
  }

  private static func taken(_ problem: String) -> StoreError {
    StoreError(
      .modelChange, problem, hint: "Rename or drop that one with SQL, or choose another name in the pipeline."
    )
  }

  // MARK: Drops

  package static func nothingToDrop(_ name: String, among names: [String]) -> StoreError {
    let meant = Suggestion.question(for: name, among: names)
    return StoreError(
      .badRequest, "the store has no entity, attribute, relationship or index '\(name)'\(meant)",
      hint: "An attribute is named with its entity, as in Quake.magnitude.")
  }

  package static func dropOfDeclared(_ name: String) -> StoreError {
    StoreError(
      .badRequest, "\(name) cannot be dropped: the pipeline names it",
      hint: "Remove it from the pipeline first; otherwise the next import would create it again.")
  }

  package static func dropOfLinks(_ name: String, _ ends: [String]) -> StoreError {
    StoreError(
      .badRequest, "\(name) cannot be dropped: it stores the links of \(ends[0])",
      hint: "Remove both ends from the pipeline, and drop both.", .drop(ends))
  }

  package static func dropOfKey(_ name: String) -> StoreError {
    StoreError(.badRequest, "\(name) cannot be dropped: it is part of the key")
  }

  package static func drop(_ name: String, neededByConstraint constraint: [String]) -> StoreError {
    StoreError(.badRequest, "\(name) cannot be dropped: the constraint on \(constraint.listed) needs it")
  }

  package static func drop(_ name: String, ledToBy other: String) -> StoreError {
    drop(name, with: other, because: "\(other) refers to it")
  }

  package static func drop(_ name: String, inverseOf other: String) -> StoreError {
    drop(name, with: other, because: "it is the inverse of \(other)")
  }

  package static func drop(_ name: String, readBy other: String) -> StoreError {
    drop(name, with: other, because: "\(other) is derived from it")
  }

  private static func drop(_ name: String, with other: String, because reason: String) -> StoreError {
    StoreError(
      .badRequest, "\(name) cannot be dropped: \(reason)",
      hint: "Remove both from the pipeline, and drop both.", .drop([other, name]))
  }

  // MARK: What the engine keeps from happening

  package static func cannotDrop(_ entity: String, _ error: StoreError) -> StoreError {
    StoreError(.modelChange, "\(entity) cannot be dropped: \(error.message)", hint: error.hint)
  }

  package static func cannotDropColumn(_ name: String, _ error: StoreError) -> StoreError {
    StoreError(.modelChange, "\(name) cannot be dropped: \(error.message)", hint: others)
  }

  private static let others =
    "Views, triggers and indexes of other programs may depend on it: drop those first."
}
