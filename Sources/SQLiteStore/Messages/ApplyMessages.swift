internal import ImportModel
internal import SQLiteAccess
package import StoreInterface

// What ends an import while chunks are applied.

extension StoreError {
  static func noIDLeft(_ entity: String) -> StoreError {
    let table = quoted(entity)
    return StoreError(
      .constraint,
      "\(entity) has no bolide_id left for a new object: another program has used the largest integer",
      hint:
        "Delete that row, then: UPDATE sqlite_sequence SET seq = (SELECT max(bolide_id) FROM \(table)) WHERE name = \(literal(entity))"
    )
  }

  static func foreignRows(in entity: String) -> StoreError {
    StoreError(
      .constraint,
      "a trigger of another program added rows to \(entity), or prevented rows of the import",
      hint: "Drop the trigger, or let it write to another table.")
  }

  package static func insertionPrevented(_ entity: String) -> StoreError {
    StoreError(
      .constraint, "a trigger of another program prevents the insertion of a \(entity)",
      hint: "Drop the trigger, or let it write to another table.")
  }
}

// MARK: Expressions

extension PipelineProblem {
  /// - Parameter reason: SQLite's words.
  static func tooLarge(_ words: String, _ pipeline: Pipeline) -> PipelineProblem {
    PipelineProblem(
      file: pipeline.sourceMap.file ?? pipeline.name,
      location: pipeline.sourceMap.location(of: ["attributes"]),
      message:
        "the model is too large for SQLite (\(words)): remove attributes, or store several as one "
        + "json attribute")
  }
}

extension RepairReport {
  static func missing(trigger name: String) -> String { "the trigger \(name) is missing" }
  static func altered(trigger name: String) -> String { "the trigger \(name) was altered" }
  static let stuckTriggers = "bolide_deriving has rows, which keep the triggers from working"
  static let addedTrigger = "a trigger with a name of Bolide's was added"
}

extension Finding {
  package static func file(_ text: String) -> Finding { Finding(message: "the file: \(text)") }

  package static let openErasure = Finding(
    message: "an erasure is incomplete: what was erased may still be in free pages and in the write-ahead "
      + "log; run `bolide erase` again")
}
