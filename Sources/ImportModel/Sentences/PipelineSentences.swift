// What is said of a pipeline as a whole: its entity, its columns, its settings.

extension Sentence {
  // MARK: Size

  static func tooManyEntities(_ count: Int, _ limit: Int) -> Sentence {
    Sentence("there are \(count) entities; the maximum is \(limit)")
  }

  static func tooManyColumns(_ entity: Entity, _ limit: Int) -> Sentence {
    Sentence(
      "\(entity.title) has more than \(limit) attributes and to-one relationships, which SQLite cannot keep in a table"
    )
  }

  static func tooManyChecks(_ count: Int, _ limit: Int) -> Sentence {
    Sentence(
      "there are \(count) checks; the maximum is \(limit): join some of them with AND")
  }

  static let noEntity = Sentence(
    "no entity is named: name the entity of the records, as in `entity: Quake`")

  static func noSuchEntity(_ name: String, _ model: Model) -> Sentence {
    let ending = Suggestion.ending(
      for: name, among: model.entities.map(\.name), plural: "the entities are")
    return Sentence("there is no entity '\(name)'\(ending)")
  }

  // MARK: Columns and records

  static let noColumns = Sentence("'columns' names no column")

  static func columnTwice(_ name: String) -> Sentence { Sentence("the column '\(name)' is named twice") }

  static func noSuchColumn(_ path: String, among names: [String]) -> Sentence {
    let ending = Suggestion.ending(for: path, among: names, plural: "the columns are")
    return Sentence("'columns' names no '\(path)'\(ending)")
  }

  package static let recordsWithShape = Sentence(
    "'records' is the path of objects, or of rows with 'columns': remove 'shape'")
  package static let columnsWithShape = Sentence(
    "'columns' names the values of rows: set `shape: rows`, or remove 'shape'")
  package static let rowsWithoutColumns = Sentence("rows without names need 'columns', a list of names")

  // MARK: Version and merging

  package static let noVersion = Sentence(
    "the key 'bolide' is missing: the first line of a pipeline file is `bolide: 1`")

  package static func otherVersion(_ text: String) -> Sentence {
    Sentence("the format's version is '\(text)'; this version of Bolide reads version 1")
  }

  package static let newerWithoutAttribute = Sentence(
    "'update-if-newer' needs the attribute to compare, as in `merge: { update-if-newer: modified }`")

  package static func noSuchPolicy(_ word: String, among words: [String]) -> Sentence {
    Sentence("'merge' is \(words.joined(separator: ", ")) or { update-if-newer: ATTRIBUTE }, not '\(word)'")
  }
}
