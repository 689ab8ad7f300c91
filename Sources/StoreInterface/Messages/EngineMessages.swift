extension StoreError {
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
}
