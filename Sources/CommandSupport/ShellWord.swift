extension String {
  /// The text as one word of a command: in quotes where a shell would take it apart, so that a hint can be pasted.
  package var shellWord: String {
    let special = Set("\u{9}\u{A} \"'`\\$&|;<>()*!".utf8)
    return isEmpty || utf8.contains(where: special.contains)
      ? "'\(replacing("'", with: #"'\''"#))'" : self
  }
}
