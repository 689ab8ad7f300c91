internal import ImportModel

/// Reads what a pipeline file says of rows that are there, and of keys that come again.
enum MergeFile {
  static let policies: [(word: String, choice: MergePolicy)] = [
    ("update", .update), ("update-non-null", .updateNonNull), ("ignore", .ignore), ("fail", .fail),
  ]
  static let repeatedKeys: [(word: String, choice: RepeatedKeyPolicy)] = [
    ("last", .last), ("first", .first), ("reject", .reject),
  ]

  static let gone: [(word: String, choice: GonePolicy)] = [("keep", .keep), ("delete", .delete)]

  /// What becomes of rows that are gone: a word, or the mapping of `mark`.
  static func gone(_ part: YAMLPart, _ reader: inout YAMLReader) -> GonePolicy? {
    if part.isMapping {
      guard let settings = reader.settings(of: part, allowed: .gone) else { return nil }
      return settings["mark"].flatMap { reader.text($0) }.map { .mark(attribute: $0) }
    }
    return reader.choice(part, among: gone)
  }

  /// The merge policy under the key `merge`: a word, or the mapping of `update-if-newer`.
  static func policy(_ part: YAMLPart, _ reader: inout YAMLReader) -> MergePolicy? {
    if part.isMapping {
      guard let settings = reader.settings(of: part, allowed: .merge) else { return nil }
      return settings["update-if-newer"].flatMap { reader.text($0) }.map { .updateIfNewer(attribute: $0) }
    }
    guard let word = reader.text(part) else { return nil }
    if let policy = policies.first(where: { $0.word == word })?.choice { return policy }
    reader.report(
      word == "update-if-newer"
        ? .newerWithoutAttribute : .noSuchPolicy(word, among: policies.map(\.word)), at: part.place)
    return nil
  }
}
