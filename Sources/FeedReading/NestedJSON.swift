internal import JSONStream

/// The texts of json attributes.
package enum NestedJSON {
  /// Whether a text is one JSON value, and so may stand in JSON as it is.
  package static func isValue(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { isValue($0) }
  }

  /// Whether bytes are one JSON value.
  static func isValue(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool { CanonicalJSON.text(of: bytes) != nil }
}
