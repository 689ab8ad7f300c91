/// What is wrong with a pipeline, in words.
///
/// Every sentence of this module stands in this folder, and each has a test that holds it word for word.
package struct Message {
  /// The words, without place and full stop.
  package let text: String

  /// - Parameter text: of what is very long, as it quotes the file, the beginning and the end are kept.
  package init(_ text: String) {
    let scalars = text.unicodeScalars
    self.text =
      scalars.count > 2000 ? "\(String(scalars.prefix(1500)))…\(String(scalars.suffix(300)))" : text
  }
}

/// Why something cannot be: the second half of a sentence.
package struct Reason {
  /// The words.
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  static let computed = Reason("it is derived")
  static let transient = Reason("it is transient, and not stored")
}

extension Entity {
  /// What a sentence calls the entity.
  var title: String { name.isEmpty ? "the entity" : name }
}

extension AttributeType {
  /// The type with its article, for a sentence.
  package var named: String {
    switch self {
    case .integer16, .integer32, .integer64: "an \(name)"
    default: "a \(name)"
    }
  }
}

extension [String] {
  /// `a`, `a and b`, `a, b and c`.
  package var listed: String {
    guard let last, count > 1 else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " and " + last
  }
}
