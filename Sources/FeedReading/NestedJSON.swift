internal import JSONStream

/// The texts of json attributes.
package enum NestedJSON {
  /// Whether a text is one JSON value, and so may stand in JSON as it is.
  package static func isValue(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { CanonicalJSON.text(of: $0) != nil }
  }
}
