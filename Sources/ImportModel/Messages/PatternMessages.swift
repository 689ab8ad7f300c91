// Why a text is no pattern; each ends "the pattern of 'note' cannot be used: …".
extension TextPattern.Failure {
  // No regular expression.
  static let unclosedGroup = Self(reason: "expected ')'")
  static let unopenedGroup = Self(reason: "there is a ')' without its '('")
  static let unclosedClass = Self(reason: "expected ']'")
  static let emptyClass = Self(reason: "there is nothing between '[' and ']'")
  static let badRange = Self(reason: "a range in brackets goes from one character to a later one")
  static let nothingToRepeat = Self(reason: "there is nothing to repeat before '*', '+' or '?'")
  static let repeatedRepetition = Self(reason: "a repetition follows another repetition")
  static let strayBrace = Self(
    reason: "a '{' begins a count such as {2} or {2,5}; write \\{ for the character")
  static let emptyCount = Self(reason: "a count such as {2,5} goes from the smaller number to the larger")
  static let unendedEscape = Self(reason: "it ends within an escape")
  static let unknownEscape = Self(reason: "this escape is not supported: a backslash before a letter or 0")
  static let unknownScalar = Self(
    reason: "\\x, \\u and \\U need the number of a character, such as \\x41 or \\u{1F600}")
  static let unknownProperty = Self(
    reason:
      "\\p needs a category such as {L}, {Lu} or {Nd}, or {Alphabetic}, {Uppercase}, {Lowercase} or "
      + "{White_Space}"
  )
  static let unknownGroup = Self(reason: "a '(?' begins none of (?:, (?<name>, (?i), (?s) and (?#")

  // One that is not matched in one pass.
  static let backReference = Self(reason: "back-references are not supported")
  static let lookaround = Self(reason: "look-ahead and look-behind are not supported")
  static let possessive = Self(
    reason: "possessive and atomic parts are not supported; remove the '+' or '(?>'")
  static let wordBoundary = Self(
    reason: "word boundaries are not supported; name the characters that may be there")
  static let setOperation = Self(
    reason: "nested brackets and the operators &&, -- and ~~ are not supported in brackets")
  static let anchorInside = Self(
    reason: "the whole text has to match, so '^' can only be at the beginning and '$' at the end")
  static let tooDeep = Self(reason: "its groups are nested more than 200 deep")
  static let tooLarge = Self(
    reason: "it is too large: with its counts written out it has more than 2000 places")
}
