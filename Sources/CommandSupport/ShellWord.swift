extension String {
  /// The text as one word of a command: in quotes where a shell would take it apart, so that a hint can be pasted.
  package var shellWord: String {
    let special = Set("\u{9}\u{A} \"'`\\$&|;<>()*?![]{}".utf8)
    // A comment, or a home, at the beginning alone: an address has its schema behind `#`.
    return isEmpty || utf8.contains(where: special.contains) || hasPrefix("#") || hasPrefix("~")
      ? "'\(replacing("'", with: #"'\''"#))'" : self
  }
}
