/// A regular expression that whole texts match or do not.
package struct TextPattern {
  /// Why a text is no regular expression.
  package struct Failure: Error {
    /// What stops it from being read.
    package let reason: String
  }

  private let regex: Regex<AnyRegexOutput>

  /// - Throws: `Failure` when the text is no regular expression.
  package init(_ text: String) throws(Failure) {
    do {
      // By scalars, so that a text means the same whatever its characters are composed of.
      regex = try Regex(text).matchingSemantics(.unicodeScalar)
    } catch {
      throw Failure(reason: "\(error)")
    }
  }

  /// Whether the whole text matches.
  ///
  /// - Complexity: the pattern's; one that nests repetitions may take time exponential in the text's length.
  package func matches(_ text: String) -> Bool {
    do {
      return try regex.wholeMatch(in: text) != nil
    } catch {
      // Only a capture that is transformed by code throws, and a pattern in a text has none.
      return false
    }
  }
}
