internal import ImportModel
internal import PostgreSQLAccess

/// The `where:` of an aggregate, as PostgreSQL's SQL: its words are the same, its columns are in Bolide's stored forms, by which
/// SQLite compares them.
enum FilterSQL {
  /// - Parameter alias: what the objects' rows are called.
  static func text(_ filter: String, _ entity: Entity, _ alias: String) -> String {
    var text = ""
    var rest = filter[...]
    func column(_ name: String) -> String? {
      entity.storedAttributes.first { $0.name == name }.map {
        $0.type.storedForm(ofColumn: "\(alias).\(quoted(name))")
      }
    }
    while let character = rest.first {
      if character == "'" || character == "\"" {
        let end = rest.dropFirst().firstIndex(of: character).map { rest.index(after: $0) } ?? rest.endIndex
        let part = rest[..<end]
        text += (character == "\"" ? column(String(part.dropFirst().dropLast())) : nil) ?? String(part)
        rest = rest[end...]
      } else if character.isLetter || character == "_" {
        let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        text += column(String(word)) ?? String(word)
        rest = rest[word.endIndex...]
      } else {
        text.append(character)
        rest = rest.dropFirst()
      }
    }
    return text
  }
}

extension AttributeType {
  /// A column's value as SQLite would store it.
  fileprivate func storedForm(ofColumn sql: String) -> String {
    switch self {
    case .integer16, .integer32, .integer64, .double, .float, .string, .binary: return sql
    case .boolean: return "\(sql)::integer"
    case .decimal(let scale): return "(\(sql) * '1e\(scale)'::numeric)"
    case .uuid, .json: return "(\(sql)::text COLLATE \"C\")"
    case .day: return "(to_char(\(sql), 'YYYY-MM-DD') COLLATE \"C\")"
    case .date(let precision):
      let fraction = ["", ".MS", ".US"][precision.decimals / 3]
      return "(to_char(\(sql) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\(fraction)\"Z\"') COLLATE \"C\")"
    }
  }
}
