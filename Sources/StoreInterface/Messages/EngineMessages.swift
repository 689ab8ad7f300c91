extension StoreError {
  /// What an engine does not implement.
  package static func unsupported(_ what: String, by engine: String, _ path: String) -> StoreError {
    StoreError(.unsupported, at: path, "\(engine) stores do not support \(what)")
  }
}
