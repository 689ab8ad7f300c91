internal import ImportModel

/// Every key of a pipeline file.
package enum PipelineFormat {
  /// The keys of a part, in the order of the reference.
  package static func keys(of section: FormatSection) -> [FormatKey] {
    switch section {
    case .pipeline: pipeline + settings
    case .entity: entity
    case .attribute: attribute
    case .relationship: relationship
    case .fetched: fetched
    case .link: link
    case .children: children
    case .merge: merge
    case .gone: gone
    case .retention: retention
    }
  }

  /// What the pipeline is.
  package static let pipeline = [
    FormatKey("bolide", .words(["1"]), "the format's version: 1", examples: ["1"]),
    FormatKey(
      "name", .text, "the pipeline's name in runs and history; default: the file's name without its extension"
    ),
    FormatKey("store", .text, "the store's path, relative to the file", examples: ["../quakes.sqlite"]),
    FormatKey("entity", .text, "the entity of the records", examples: ["Quake"]),
    entityWas, key, unique, index, attributes, relationships, fetchedProperties,
    FormatKey(
      "entities", .names(.keys(.entity)),
      "further entities by name, each with `was`, `key`, `unique`, `index`, `attributes`, `relationships` and "
        + "`fetched`"
    ),
    check,
    FormatKey(
      "link", .names(.keys(.link)),
      "`RELATIONSHIP: { to: { OWNER-KEY: EXPRESSION }, when: insert }`: finds or inserts the owner; "
        + "`when: always` also moves existing rows"),
    FormatKey(
      "children", .names(.keys(.children)),
      "`RELATIONSHIP: { entity: …, inverse: …, records: …, key: …, attributes: … }`: a nested array becomes rows of another "
        + "entity, see [Children](#Children)"),
    FormatKey(
      "records", .text,
      "the path to the records, as in `near_earth_objects/<day>`; default: detected automatically",
      examples: ["features"]),
    FormatKey(
      "shape", .words(PipelineFile.shapes.map(\.word)),
      "the shape of the input: \(words(PipelineFile.shapes.map(\.word))); default: `automatic`"),
    FormatKey(
      "columns", .list(.text),
      "the column names, for rows without names at the path `records`, or for CSV whose first line is a record",
      examples: ["[id, time, magnitude]"]),
    FormatKey(
      "delimiter", .text, "with `shape: csv`, the character between two cells; default: a comma",
      examples: ["\";\""]),
    FormatKey(
      "missing", .list(.text),
      "a text, or a list of texts, that is read as null in every attribute without a `missing` of its own",
      examples: ["[\"\", NA]"]),
    FormatKey(
      "feed", .words(PipelineFile.feeds.map(\.word)),
      "what an input contains: `window`, a part of the catalogue, or `full`, the whole catalogue; with "
        + "`full`, `bolide missing` lists rows that are no longer in the feed, see <doc:FullFeeds>; "
        + "default: `window`"),
    FormatKey(
      "gone", .either([.words(MergeFile.gone.map(\.word)), .keys(.gone)]),
      "with `feed: full`, what happens to rows that are no longer in the feed: \(words(MergeFile.gone.map(\.word))), or `{ mark: "
        + "ATTRIBUTE }`, see <doc:FullFeeds>; default: `keep`",
      examples: ["{ mark: goneAt }"]),
    FormatKey(
      "count", .words(PipelineFile.counts.map(\.word)),
      "the meaning of the member `count` beside the records: "
        + "\(words(PipelineFile.counts.map(\.word))), the records of all pages, those of this input, or "
        + "neither, see [Pages](#Pages); default: detected from the members beside it"
    ),
    FormatKey(
      "merge", .either([.words(MergeFile.policies.map(\.word)), .keys(.merge)]),
      "how a record changes an existing row: \(words(MergeFile.policies.map(\.word))), `{ "
        + "update-if-newer: ATTRIBUTE }`, see [Rows that are there](#Rows-that-are-there)",
      examples: ["{ update-if-newer: modified }"]),
    FormatKey(
      "repeated-key", .words(MergeFile.repeatedKeys.map(\.word)),
      "which record counts if several of one input have the same key: "
        + "\(words(MergeFile.repeatedKeys.map(\.word))), see [The same key again](#The-same-key-again)"),
    FormatKey("author", .text, "the author of the changes in history; default: the pipeline's name"),
    FormatKey(
      "max-age", .form(age),
      "the maximum age of the last good import, such as `26h` or `2d`; if it is older, `bolide status` "
        + "exits with 79; default: no limit",
      examples: ["26h"]),
    FormatKey(
      "history", .keys(.retention),
      "how long history is kept, see [How long history is kept](#How-long-history-is-kept)",
      examples: ["{ keep: 90d }"]),
    FormatKey("keep-text", .boolean, "whether the texts of rejected records are kept; default: `true`"),
  ]

  /// What an entity is that no record becomes.
  package static let entity = [
    entityWas, key, unique, index, attributes, relationships, fetchedProperties,
  ]

  /// What an attribute is.
  package static let attribute = [
    FormatKey("type", .words(AttributeType.names), AttributeType.names.joined(separator: ", ")),
    FormatKey(
      "from", .text,
      "the key or path in the record, as in `miss_distance/kilometers`; default: the attribute's name. In `children`, `.` "
        + "is the element itself",
      examples: ["impact-e"]),
    FormatKey(
      "value", .text, "instead of `from`: an SQL scalar expression over the entity's attributes",
      examples: ["\"CASE latDir WHEN 'N' THEN lat WHEN 'S' THEN -lat END\""]),
    FormatKey(
      "derived", .text,
      "instead of `from` and `value`: the value that the store computes, see [Derived attributes](#Derived-attributes)",
      examples: ["quakes.@count", "quakes.magnitude.@max", "canonical:(title)"]),
    FormatKey(
      "where", .text,
      "with `derived`: selects the objects of an aggregate, by an SQL scalar expression over their "
        + "attributes",
      examples: ["magnitude >= 5"]),
    was("attribute"),
    FormatKey("required", .boolean, "null is rejected"),
    FormatKey("default", .scalar, "the value of a new row whose record has none"),
    FormatKey("transient", .boolean, "available to expressions during the import, and not stored"),
    FormatKey(
      "volatile", .boolean,
      "a row that differs only in volatile attributes counts as unchanged, and is not written"),
    FormatKey(
      "missing", .list(.text), "a text, or a list of texts, that is read as null", examples: ["[\"\", NA]"]),
    FormatKey("one-of", .list(.text), "the values allowed", examples: ["[\"N\", S]"]),
    FormatKey("min", .text, "the minimum value"),
    FormatKey("max", .text, "the maximum value"),
    FormatKey("max-length", .number(1...Int.max), "the maximum number of characters or bytes"),
    FormatKey(
      "pattern", .text, "a regular expression that the whole text must match, see [Rules](#Rules)",
      examples: ["\"[A-Z]{2}[0-9]+\""]),
    FormatKey("scale", .number(0...18), "a decimal's places", examples: ["2"]),
    FormatKey(
      "precision", .words(DatePrecision.allCases.map(\.rawValue)),
      "the precision of a date: `seconds`, `ms` or `us`; finer fractions are cut off. Without it, a "
        + "date with a fraction of a second is rejected"
    ),
    FormatKey(
      "epoch", .words(AttributeFile.epochs.map(\.word)),
      "\(words(AttributeFile.epochs.map(\.word))): a date as a number since 1970"),
    FormatKey(
      "format", .text,
      "how a date is written: \(words(AttributeFile.formats.map(\.word))) for a date such as 11/12/2009, or a pattern, see "
        + "[Dates](#Dates)",
      examples: AttributeFile.formats.map(\.word) + ["dd.MM.yyyy HH:mm"]),
    FormatKey(
      "zone", .text,
      "the time zone of times that are written without one: `UTC` or a name such as `Europe/Berlin`, see "
        + "[Dates](#Dates). Without this key they are read as UTC, and `bolide check` lists them",
      examples: ["UTC", "Europe/Berlin"]),
    FormatKey("description", .text, "a description, with the unit", examples: ["km/s"]),
  ]

  /// What a relationship is.
  package static let relationship = [
    FormatKey(
      "to-many", .text,
      "the destination entity of a to-many relationship; with a to-many inverse, the relationship is "
        + "many-to-many, see [Many to many](#Many-to-many)"
    ),
    FormatKey(
      "has-one", .text,
      "the destination entity of a one-to-one relationship whose column is at the destination, see "
        + "[One to one](#One-to-one)"),
    FormatKey("to-one", .text, "the destination entity of a to-one relationship"),
    FormatKey("inverse", .text, "the relationship back"),
    was("relationship"),
    FormatKey(
      "on-delete", .words(EntityFile.deleteRules.map(\.word)),
      "the delete rule for the related objects: \(words(EntityFile.deleteRules.map(\.word))); for a "
        + "many-to-many relationship, `nullify` deletes the links, and `cascade` is not supported"),
  ]

  /// What a fetched property is.
  package static let fetched = [
    FormatKey("entity", .text, "the entity of the fetched objects", examples: ["Comment"]),
    FormatKey(
      "where", .text,
      "the predicate of the fetched objects, as for `bolide fetch`, see <doc:Fetching>; "
        + "`$FETCH_SOURCE.PATH` is the owner's property, `$FETCH_SOURCE` its object id, "
        + "`$FETCHED_PROPERTY.NAME` a value of `info`; default: all objects",
      examples: ["recipe = $FETCH_SOURCE.slug"]),
    FormatKey(
      "sort", .list(.text), "sort keys: names or paths; prefix with `-` for descending order",
      examples: ["[-at]"]),
    FormatKey(
      "limit", .number(1...Int(Int32.max)), "the maximum number of objects per owner", examples: ["20"]),
    FormatKey(
      "finds", .words(FetchedFile.cardinalities.map(\.word)),
      "how many objects there may be: \(words(FetchedFile.cardinalities.map(\.word))); default: "
        + "`many`. A read fails if `one` finds none, or if `one` or `optional` finds several"),
    FormatKey(
      "info", .names(.text),
      "values for the predicate, by name; `true`, `false` and numbers without quotes are not texts",
      examples: ["{ minStars: 3 }"]),
    FormatKey(
      "store", .text, "the path of another store, relative to the file; default: the same store",
      examples: ["comments.sqlite"]),
  ]

  /// How an owner is found.
  package static let link = [
    FormatKey("to", .names(.text), "for each attribute of the owner's key, an expression for its value"),
    FormatKey(
      "when", .words(LinkFile.timings.map(\.word)),
      "which rows are linked: `insert`, new rows only, or `always`, existing rows too; default: `insert`"),
  ]

  /// How a nested array becomes rows of another entity.
  package static let children = [
    FormatKey("entity", .text, "the entity of the rows", examples: ["Approach"]),
    entityWas,
    FormatKey(
      "inverse", .text,
      "the relationship back to the record's object; a part of the key, except with `many-to-many`",
      examples: ["asteroid"]),
    FormatKey(
      "many-to-many", .boolean,
      "whether several records may contain the same object: it is found or inserted by a key without "
        + "`inverse`, and linked, see [Many to many](#Many-to-many); default: `false`"),
    FormatKey(
      "when", .words(LinkFile.timings.map(\.word)),
      "with `many-to-many`, which records are linked: \(words(LinkFile.timings.map(\.word))); default: "
        + "`insert`"
    ),
    FormatKey(
      "records", .text, "the path of the array in what holds it; default: the relationship's name",
      examples: ["close_approach_data"]),
    FormatKey(
      "key", .list(.text),
      "what identifies a row: `inverse` and at least one attribute; with `many-to-many`, attributes only",
      examples: ["[asteroid, at]"]),
    index, attributes, fetchedProperties, check,
    FormatKey(
      "on-delete", .words(EntityFile.deleteRules.map(\.word)),
      "the delete rule for the rows when the record's object is deleted: "
        + "\(words(ChildrenFile.deleteRules.map(\.word))); default: `cascade`. With `many-to-many`: "
        + "`nullify` (the default: deletes the links) or `deny`"),
    FormatKey(
      "children", .names(.keys(.children)),
      "arrays within each element, which become rows of further entities, with these keys again"),
  ]

  /// How `merge` compares.
  package static let merge = [
    FormatKey("update-if-newer", .text, "the attribute that is compared", examples: ["modified"])
  ]

  /// How `gone` marks a row.
  package static let gone = [
    FormatKey(
      "mark", .text,
      "the attribute that is set, a date or a boolean that no record brings; it is cleared if the row returns",
      examples: ["goneAt"])
  ]

  /// How long history is kept.
  package static let retention = [
    FormatKey(
      "keep", .form(timeOrForever),
      "the minimum age of pruned transactions: a number and `s`, `m`, `h`, `d`, `w` or `y`, or `forever`",
      examples: ["90d"]),
    FormatKey(
      "transactions", .number(0...Int(Int32.max)),
      "the number of newest transactions that are kept; with `keep`, a transaction is pruned only if "
        + "both allow it",
      examples: ["1000"]),
    FormatKey(
      "hold-for-readers", .form(timeOrForever),
      "the maximum age of unread history that is kept for a named reader; default: `forever`",
      examples: ["1y"]),
    FormatKey(
      "cap", .form(size), "the history size, such as `256 MB`, above which readers no longer delay pruning",
      examples: ["256 MB"]),
  ]

  private static let entityWas = was("entity")
  private static func was(_ what: String) -> FormatKey {
    FormatKey(
      "was", .text, "the previous name of the \(what), see [Other names](#Other-names)",
      examples: ["\(what == "entity" ? "Shake" : "mag")"])
  }
  private static let key = FormatKey(
    "key", .list(.text), "the attribute, or list of attributes, that identifies an object in imports",
    examples: ["[asteroid, at]"])
  private static let unique = FormatKey(
    "unique", .list(.list(.text)),
    "further unique constraints, see [Constraints besides the key](#Constraints-besides-the-key)",
    examples: ["[name, [network, code]]"])
  private static let index = FormatKey(
    "index", .list(.list(.text)),
    "indexes that make fetches faster, see [Indexes](#Indexes)",
    examples: ["[magnitude, [region, time]]"])
  private static let attributes = FormatKey(
    "attributes",
    .names(.either([.words(AttributeType.names.filter { $0 != "decimal" }), .keys(.attribute)])),
    "the entity's attributes by name: a type, or a mapping such as `{ type: double, min: 0 }`")
  private static let check = FormatKey(
    "check", .list(.text),
    "an SQL expression, or a list of them; a record for which one is false is rejected",
    examples: ["magnitude < 11"])
  private static let relationships = FormatKey(
    "relationships", .names(.keys(.relationship)),
    "the entity's relationships by name, as in `quakes: { to-many: Quake, inverse: region }`")
  private static let fetchedProperties = FormatKey(
    "fetched", .names(.keys(.fetched)),
    "the entity's fetched properties, see [A fetched property](#A-fetched-property)",
    examples: ["{ comments: { entity: Comment, where: recipe = $FETCH_SOURCE.slug } }"])

  static let age = #"^[0-9]+(\.[0-9]+)?[smhdwy]$"#

  private static let timeOrForever = #"^([0-9]+(\.[0-9]+)?[smhdwy]|forever)$"#
  static let size = "^[0-9]+ ?([kMG]B|[KMG]iB)?$"

  static func words(_ words: [String]) -> String {
    words.map { "`\($0)`" }.joined(separator: ", ")
  }
}
