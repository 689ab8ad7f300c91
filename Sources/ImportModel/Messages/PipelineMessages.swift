// What is said of a pipeline as a whole: its entity, its columns, its settings.

extension Reason {
  static let oneTransaction = Reason("a transaction uses one connection")
  static let otherOrder = Reason(
    "over several connections, records are not imported in the order of the input")
}

extension Message {
  // MARK: Size

  static func tooManyEntities(_ count: Int, _ limit: Int) -> Message {
    Message("there are \(count) entities; the maximum is \(limit)")
  }

  static func tooManyColumns(_ entity: Entity, _ limit: Int) -> Message {
    Message(
      "\(entity.title) has more than \(limit) attributes and to-one relationships, which SQLite cannot keep in a table"
    )
  }

  static func tooManyChecks(_ count: Int, _ limit: Int) -> Message {
    Message(
      "there are \(count) checks; the maximum is \(limit): join some of them with AND")
  }

  static let noEntity = Message(
    "no entity is named: name the entity of the records, as in `entity: Quake`")

  static func noSuchEntity(_ name: String, _ model: Model) -> Message {
    let ending = Suggestion.ending(
      for: name, among: model.entities.map(\.name), plural: "the entities are")
    return Message("there is no entity '\(name)'\(ending)")
  }

  // MARK: Columns and records

  static let noColumns = Message("'columns' names no column")

  static func columnTwice(_ name: String) -> Message { Message("the column '\(name)' is named twice") }

  static func noSuchColumn(_ path: String, among names: [String]) -> Message {
    let ending = Suggestion.ending(for: path, among: names, plural: "the columns are")
    return Message("'columns' names no '\(path)'\(ending)")
  }

  package static let recordsWithShape = Message(
    "'records' is the path of objects, or of rows with 'columns': remove 'shape'")
  package static let columnsWithShape = Message(
    "'columns' names the values of rows: set `shape: rows`, `csv` or `tsv`, or remove 'shape'")
  package static let recordsWithCells = Message("delimited text has lines only: remove 'records'")
  package static let delimiterWithShape = Message("only `shape: csv` has a 'delimiter'")
  static let childrenOfCells = Message("the cells of delimited text have no children: remove 'children'")
  package static let rowsWithoutColumns = Message("rows without names need 'columns', a list of names")

  static let missingOfWindow = Message("'max-missing' requires `feed: full`: no row is missing from a window")

  static let sortedStop = Message(
    "'sort' and 'stop-on-reject' cannot be combined: sorted records are not imported in the order of the input"
  )

  static func connections(with what: String, _ reason: Reason) -> Message {
    Message("'connections' and \(what) cannot be combined: \(reason.text)")
  }

  static let goneOfWindow = Message("'gone' requires `feed: full`: no row is missing from a window")
  static let unguardedDeletion = Message(
    "`gone: delete` requires 'max-missing', the share of the rows that an import may delete at most, such as `5%`"
  )
  static func notAMark(_ name: String) -> Message {
    Message(
      "the attribute '\(name)' cannot mark rows that are gone; it must be a date or a boolean without `from`, `value` or "
        + "`derived`, and not part of the key")
  }

  // MARK: Version and merging

  package static let noVersion = Message(
    "the key 'bolide' is missing: the first line of a pipeline file is `bolide: 1`")

  package static func otherVersion(_ text: String) -> Message {
    Message("the format's version is '\(text)'; this version of Bolide reads version 1")
  }

  package static let newerWithoutAttribute = Message(
    "'update-if-newer' needs the attribute to compare, as in `merge: { update-if-newer: modified }`")

  package static func noSuchPolicy(_ word: String, among words: [String]) -> Message {
    Message("'merge' is \(words.joined(separator: ", ")) or { update-if-newer: ATTRIBUTE }, not '\(word)'")
  }
}
