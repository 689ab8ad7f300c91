internal import ImportModel
internal import StoreInterface

/// A part of a condition for which PostgreSQL has nothing of the same meaning.
struct Untranslated: Error {
  /// As it is named to people: `GLOB`, `the function round`.
  let what: String

  static let nulCharacter = Self(what: "the character U+0000")
  static let textAsCondition = Self(what: "a text or bytes as a condition")
  static let realAsText = Self(what: "a real number as a text")
  static let bytesAsText = Self(what: "bytes as a text")
  static let numberWithText = Self(what: "comparing numbers with texts row by row")
  static let severalKinds = Self(
    what: "a value that is of one kind for some rows and of another kind for others")
  static let wholeOrReal = Self(what: "arithmetic with a value that is a whole number for some rows only")
  static let textAsNumber = Self(what: "arithmetic with texts or bytes")
  static let pattern = Self(what: "LIKE with an escape character and a pattern that are not written out")

  static func function(_ name: String) -> Self { Self(what: "the function \(name)") }
  static func form(of name: String) -> Self { Self(what: "this form of the function \(name)") }
  static func cast(_ type: String) -> Self { Self(what: "this CAST AS \(type)") }
}

extension StoreError {
  static func untranslated(_ what: String, _ path: String) -> StoreError {
    unsupported("\(what) in a predicate", by: PostgreSQLEngine.engineName, path)
  }

  /// A pipeline's, so its model does not fit.
  static func untranslatedFilter(
    _ filter: String, of attribute: String, _ part: Untranslated, _ path: String
  ) -> StoreError {
    let what = "\(part.what) in the filter of \(attribute): \(filter)"
    var error = unsupported(what, by: PostgreSQLEngine.engineName, path)
    error.code = .modelChange
    return error
  }

  static func ofOtherStore(_ property: FetchedProperty, of owner: Entity, _ path: String) -> StoreError {
    let what = "\(owner.name).\(property.name), which is fetched from another store"
    return unsupported(what, by: PostgreSQLEngine.engineName, path)
  }
}
