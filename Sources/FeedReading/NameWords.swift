/// The words of a key.
package enum NameWords {
  /// The runs of letters and digits, cut where a capital follows a small letter.
  ///
  /// Characters that cannot be told apart from others by eye or by SQLite stay out.
  package static func of(_ key: String) -> [String] {
    var words: [String] = []
    var isInWord = false
    var last: Character?
    for character in key {
      defer { last = character }
      guard character.isLetter || character.isNumber else {
        isInWord = false
        continue
      }
      if isInWord, !(character.isUppercase && last?.isLowercase == true) {
        words[words.count - 1].append(character)
      } else {
        words.append(String(character))
      }
      isInWord = true
    }
    return words
  }
}
