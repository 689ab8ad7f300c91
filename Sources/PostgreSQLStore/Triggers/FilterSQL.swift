internal import ImportModel
internal import PostgreSQLAccess

/// The `where:` of an aggregate, as PostgreSQL's SQL.
enum FilterSQL {
  /// - Parameter alias: what the objects' rows are called.
  static func text(_ filter: String, _ entity: Entity, _ alias: String) -> String {
    var text = ""
    var rest = filter[...]
    while let character = rest.first {
      if character == "'" || character == "\"" {
        let end = rest.dropFirst().firstIndex(of: character).map { rest.index(after: $0) } ?? rest.endIndex
        let part = rest[..<end]
        text += character == "\"" ? "\(alias).\(part)" : String(part)
        rest = rest[end...]
      } else if character.isLetter || character == "_" {
        let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        let isColumn = entity.storedAttributes.contains { $0.name == word }
        text += isColumn ? "\(alias).\(quoted(String(word)))" : String(word)
        rest = rest[word.endIndex...]
      } else {
        text.append(character)
        rest = rest.dropFirst()
      }
    }
    return text
  }
}
