internal import ImportModel

/// One key of a pipeline file: what it means, and what may stand there.
///
/// The parser's checks, the JSON Schema for editors and the reference page are made from these.
package struct FormatKey: Sendable {
  /// The key.
  package var name: String
  /// What may stand there.
  package var value: FormatValue
  /// What it means, as the reference says it.
  package var meaning: String
  /// Values, as YAML writes them.
  package var examples: [String]

  init(_ name: String, _ value: FormatValue, _ meaning: String, examples: [String] = []) {
    self.name = name
    self.value = value
    self.meaning = meaning
    self.examples = examples
  }
}

/// What may stand under a key.
package indirect enum FormatValue: Sendable {
  /// One text; numbers and words are texts too.
  case text
  /// One text, or nothing.
  case scalar
  /// One text of a form, which a regular expression tells.
  case form(String)
  /// `true` or `false`.
  case boolean
  /// A whole number.
  case number(ClosedRange<Int>)
  /// One of a few words.
  case words([String])
  /// One of these, or a list of them.
  case list(FormatValue)
  /// One of several kinds.
  case either([FormatValue])
  /// Known keys.
  case keys(FormatSection)
  /// Names of the author's choice.
  case names(FormatValue)
}

/// A part of a pipeline file that has keys of its own.
package enum FormatSection: String, Sendable, CaseIterable {
  case pipeline, entity, attribute, relationship, fetched, link, children, merge, gone, retention
}

extension [FormatKey] {
  /// The keys' names.
  var names: [String] { map(\.name) }
}
