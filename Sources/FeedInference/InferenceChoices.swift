/// What a person has decided of a draft already.
package struct InferenceChoices: Sendable {
  /// The path of the records; nil to look for them.
  package var records: String?
  /// The key's attributes, by the names that the draft gives them or by their fields; empty to look for one.
  package var key: [String] = []
  /// The pipeline's name; nil for the input's.
  package var name: String?
  /// The records' entity; nil for one from the name.
  package var entity: String?

  package init() {}
}
