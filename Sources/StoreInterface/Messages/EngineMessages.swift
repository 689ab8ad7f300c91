package import ImportModel

extension StoreError {
  package static func otherSchema(_ problem: String, hint: String) -> StoreError {
    StoreError(
      .foreignSchema, "the schema is not the one that Bolide created: \(problem)", hint: hint)
  }

  package static func rowsKept(_ entity: String) -> StoreError {
    rowsKept(saying: "\(keptRows) of \(entity) from being changed or deleted")
  }

  /// How the sentence begins.
  package static let keptRows = "a trigger of another program keeps rows"
  package var isOfKeptRows: Bool { reason.utf8.starts(with: Self.keptRows.utf8) }

  /// The same where an engine's own triggers have found it, with that sentence.
  package static func rowsKept(saying reason: String) -> StoreError {
    StoreError(.constraint, reason, hint: "Drop the trigger, or have it raise an error.")
  }

  /// A limit on processes or on memory.
  package static let noThread = StoreError(
    .inputOutput, "the system cannot start another thread for this process",
    hint: "Raise the limit on processes, or end some.")

  /// Only one call writes at a time.
  package static let writerInUse = StoreError(
    .busy, "another call of this process writes to the store", hint: "Try again when it has ended.")

  /// What an engine does not implement.
  package static func unsupported(_ what: String, by engine: String, _ path: String) -> StoreError {
    StoreError(.unsupported, at: path, "\(engine) stores do not support \(what)")
  }

  /// - Parameter holder: nil where nobody can tell who it is.
  package static func locked(_ store: String, by holder: LockHolder?) -> StoreError {
    let who = holder.map { "the pipeline \($0.pipeline) (process \($0.process), since \($0.since))" }
    return StoreError(
      .locked, at: store, "\(who ?? "another import") is running on this store",
      hint: "Run the command again when it has finished.")
  }

  package static func closed(_ path: String) -> StoreError {
    StoreError(.closed, at: path, "the store was closed", hint: "Open it again.")
  }

  package static func notToBeMade(_ path: String) -> StoreError {
    StoreError(
      .storeGone, at: path, "no such store, and `create: never` does not allow creating it",
      hint: "Mount or restore it, or create it once.", .createStore)
  }
}

extension Finding {
  /// What another program has stored past the type.
  package static func noValue(_ entity: String, _ id: Int64, _ attribute: Attribute) -> Finding {
    Finding(
      entity: entity, id: id, attribute: attribute.name,
      message: "the stored value is not a valid \(attribute.type.name)")
  }

  package static func nullTotal(_ attribute: Attribute, of entity: Entity, _ id: Int64) -> Finding {
    var finding = Finding(
      entity: entity.name, id: id, attribute: attribute.name,
      message: attribute.type.storage == .integer
        ? "null, as the sum is beyond the range of 64 bits"
        : "null, as the sum is beyond the range of a double")
    finding.isTrue = true
    return finding
  }

  package static func leadsNowhere(_ entity: String?, _ id: Int64?, to destination: String?) -> Finding {
    Finding(entity: entity, id: id, message: "refers to a \(destination ?? "row") that does not exist")
  }
}

extension RepairReport {
  package static func missing(index name: String) -> String { "the index \(name) is missing" }
}
