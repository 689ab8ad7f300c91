internal import ImportModel

// Why a row is not read as a Swift type, in words: with the kind of a value, never the value.

extension StoreError {
  static func noValue(_ name: String, in row: Snapshot.Row) -> StoreError {
    let known = row.values.map(\.name) + row.fetched.map(\.name)
    let meant = Suggestion.question(for: name, among: known)
    return StoreError(
      .badRequest, "a row of \(row.entity) has no property '\(name)'\(meant)",
      hint: meant.isEmpty ? "It has \(known.joined(separator: ", "))." : nil)
  }

  static func mismatch(_ property: HistoryChange.Property, of entity: String, _ type: Any.Type) -> StoreError
  {
    guard property.value != .null else {
      return mismatch(
        property.name, of: entity, type, found: "null", hint: "Read it as an optional: \(type)?.")
    }
    return mismatch(
      property.name, of: entity, type,
      found: property.type.map { "of type \($0.description)" } ?? property.value.kind)
  }

  static func notBrought(_ name: String, of entity: String, _ type: Any.Type) -> StoreError {
    mismatch(
      name, of: entity, type, found: "an object id",
      hint: "Add '\(name)' to the request's `related`, if it is a relationship.")
  }

  static func mismatch(
    _ name: String, of entity: String, _ type: Any.Type, found: String, hint: String? = nil
  ) -> StoreError {
    StoreError(
      .typeMismatch, "'\(name)' of \(entity) cannot be read as \(type): it is \(found)", hint: hint)
  }

  static func rowIsNo(_ shape: String, _ entity: String) -> StoreError {
    StoreError(.typeMismatch, "a row of \(entity) cannot be read as \(shape): it has properties with names")
  }

  static func noProperties(_ type: Any.Type) -> StoreError {
    StoreError(.typeMismatch, "\(type) does not encode itself as properties with names")
  }

  static func notOneValue(_ name: String, _ type: Any.Type) -> StoreError {
    StoreError(
      .typeMismatch, "'\(name)' of type \(type) is not one value, and no attribute can have it",
      hint: "Link objects with the argument `links`.")
  }
}

extension Value {
  /// What it is, in words.
  fileprivate var kind: String {
    switch self {
    case .null: "null"
    case .integer: "a whole number"
    case .real: "a real number"
    case .text: "text"
    case .blob: "bytes"
    }
  }
}
