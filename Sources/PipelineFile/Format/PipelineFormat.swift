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
    case .retention: retention
    }
  }

  /// What the pipeline is.
  package static let pipeline = [
    FormatKey("bolide", .words(["1"]), "the format's version: 1", examples: ["1"]),
    FormatKey(
      "name", .text, "how runs and history know the pipeline; the file's name without its ending, unless said"
    ),
    FormatKey("store", .text, "the store's path, relative to the file", examples: ["../quakes.sqlite"]),
    FormatKey("entity", .text, "what a record becomes", examples: ["Quake"]),
    entityWas, key, unique, attributes, relationships, fetchedProperties,
    FormatKey(
      "entities", .names(.keys(.entity)),
      "further entities by name, each with `was`, `key`, `unique`, `attributes`, `relationships` and `fetched`"
    ),
    check,
    FormatKey(
      "link", .names(.keys(.link)),
      "`RELATIONSHIP: { to: { OWNER-KEY: EXPRESSION }, when: insert }`: finds or makes the owner; `when: always` also "
        + "moves rows that are there"),
    FormatKey(
      "children", .names(.keys(.children)),
      "`RELATIONSHIP: { entity: …, inverse: …, records: …, key: …, attributes: … }`: a nested array becomes rows of another "
        + "entity, see [Children](#Children)"),
    FormatKey(
      "records", .text,
      "the path to the records, as in `near_earth_objects/<day>`; found from the bytes unless said",
      examples: ["features"]),
    FormatKey("shape", .words(PipelineFile.shapes.map(\.word)), words(PipelineFile.shapes.map(\.word))),
    FormatKey(
      "columns", .list(.text), "the names of rows that have none, at the path `records`",
      examples: ["[id, time, magnitude]"]),
    FormatKey(
      "feed", .words(PipelineFile.feeds.map(\.word)),
      "what an input is: \(words(PipelineFile.feeds.map(\.word))), the last part of a catalogue or the whole of it; of a "
        + "whole one Bolide knows which rows are missing, see <doc:MissingRows>; `window` unless said"),
    FormatKey(
      "count", .words(PipelineFile.counts.map(\.word)),
      "what the member `count` beside the records counts: \(words(PipelineFile.counts.map(\.word))), the records of all "
        + "pages, those of this input, or neither, see [Pages](#Pages); told by the members beside it unless said"
    ),
    FormatKey(
      "merge", .either([.words(MergeFile.policies.map(\.word)), .keys(.merge)]),
      "what a record does to a row that is there: \(words(MergeFile.policies.map(\.word))), `{ update-if-newer: ATTRIBUTE }`, "
        + "see [Rows that are there](#Rows-that-are-there)", examples: ["{ update-if-newer: modified }"]),
    FormatKey(
      "repeated-key", .words(MergeFile.repeatedKeys.map(\.word)),
      "which record counts when a key comes again in one input: \(words(MergeFile.repeatedKeys.map(\.word))), see "
        + "[The same key again](#The-same-key-again)"),
    FormatKey("author", .text, "who the history says has written; the pipeline's name unless said"),
    FormatKey(
      "max-age", .form(age),
      "how old the last good import may be, such as `26h` or `2d`: past it `bolide status` exits 79; no limit unless said",
      examples: ["26h"]),
    FormatKey(
      "history", .keys(.retention),
      "how long history is kept, see [How long history is kept](#How-long-history-is-kept)",
      examples: ["{ keep: 90d }"]),
    FormatKey("keep-text", .boolean, "whether a refused record's text is kept: `true` unless said"),
  ]

  /// How its imports run.
  package static let settings = [
    FormatKey(
      "atomic", .boolean, "one transaction: the whole input lands, or nothing of it: `false` unless said"),
    FormatKey(
      "max-rejects", .form(#"^([0-9]+|[0-9]+(\.[0-9]+)?%)$"#),
      "how many records may be refused, such as `5` or `2%`: 0 unless said", examples: ["2%"]),
    FormatKey(
      "max-records", .number(1...Int.max),
      "how many records an input may have, see [Bounds of an input](#Bounds-of-an-input); no limit unless said",
      examples: ["1000000"]),
    FormatKey(
      "max-bytes", .form(size),
      "how large an input may be, such as `2GiB`, and what a compressed one expands to; no limit unless said",
      examples: ["2GiB"]),
    FormatKey(
      "max-time", .form(#"^[0-9]+(\.[0-9]+)?[smhdwy]?$"#),
      "how long an import may take, such as `30m`, also while nothing comes; no limit unless said",
      examples: ["30m"]),
    FormatKey("stop-on-reject", .boolean, "the import ends at the first refused record: `false` unless said"),
    FormatKey(
      "chunk-rows", .number(1...Int(Int32.max)),
      "commits after so many records; found from the load unless said",
      examples: ["10000"]),
    FormatKey(
      "lock-wait", .form(#"^[0-9]+(\.[0-9]+)?[smhdwy]?$"#),
      "how long to wait for another import or program, such as `30s`: `10m` unless said", examples: ["30s"]),
    FormatKey(
      "wal-limit", .form(size),
      "how large the write-ahead log may grow while somebody reads, such as `256MiB`: `1GiB` unless said",
      examples: ["256MiB"]),
    FormatKey(
      "reject-rows", .number(0...Int(Int32.max)),
      "how many refused records of a run are kept, the first ones; the others are counted: `10000` unless said",
      examples: ["1000"]),
    FormatKey(
      "reject-text", .form(size),
      "how much of each refused record is kept: `64KiB` unless said", examples: ["8KiB"]),
    FormatKey(
      "reject-total", .form(size),
      "how much is kept of all that a run refuses: `64MiB` unless said", examples: ["8MiB"]),
    FormatKey(
      "on-new-field", .words(SettingsFile.newFields.map(\.word)),
      "when the feed has a field it did not have before: \(words(SettingsFile.newFields.map(\.word))), see <doc:Runs>; "
        + "`warn` unless said"),
    FormatKey(
      "show-values", .boolean,
      "messages show what a refused record or a new field holds, cut where it is long: `false` unless said"),
    FormatKey("force", .boolean, "imports also a file that is known again: `false` unless said"),
    FormatKey(
      "create", .words(SettingsFile.creations.map(\.word)),
      "whether a store that is not there is made: \(words(SettingsFile.creations.map(\.word))), see <doc:Operations>; "
        + "`if-new` unless said"),
  ]

  /// What an entity is that no record becomes.
  package static let entity = [entityWas, key, unique, attributes, relationships, fetchedProperties]

  /// What an attribute is.
  package static let attribute = [
    FormatKey("type", .words(AttributeType.names), AttributeType.names.joined(separator: ", ")),
    FormatKey(
      "from", .text,
      "the key or path in the record, as in `miss_distance/kilometers`; the attribute's name unless said. In `children`, `.` "
        + "is the element itself",
      examples: ["impact-e"]),
    FormatKey(
      "value", .text, "instead of `from`: an SQL scalar expression over the entity's attributes",
      examples: ["\"CASE latDir WHEN 'N' THEN lat WHEN 'S' THEN -lat END\""]),
    FormatKey(
      "derived", .text,
      "instead of both: what the store computes, see [Derived attributes](#Derived-attributes)",
      examples: ["quakes.@count", "quakes.magnitude.@max", "canonical:(title)"]),
    FormatKey(
      "where", .text,
      "beside `derived`: which objects an aggregate takes, an SQL scalar expression over their attributes",
      examples: ["magnitude >= 5"]),
    was("attribute"),
    FormatKey("required", .boolean, "null is refused"),
    FormatKey("default", .scalar, "what a new row gets when its record says nothing"),
    FormatKey("transient", .boolean, "lives during the import only"),
    FormatKey("volatile", .boolean, "a difference in it alone leaves the row unchanged"),
    FormatKey("missing", .list(.text), "a text, or a list, that means null", examples: ["[\"\", NA]"]),
    FormatKey("one-of", .list(.text), "the values allowed", examples: ["[\"N\", S]"]),
    FormatKey("min", .text, "the smallest value allowed"),
    FormatKey("max", .text, "the greatest value allowed"),
    FormatKey("max-length", .number(1...Int.max), "how many characters or bytes a value may have"),
    FormatKey(
      "pattern", .text, "a regular expression that the whole text must match, see [Rules](#Rules)",
      examples: ["\"[A-Z]{2}[0-9]+\""]),
    FormatKey("scale", .number(0...18), "a decimal's places", examples: ["2"]),
    FormatKey(
      "precision", .words(DatePrecision.allCases.map(\.rawValue)),
      "what a date keeps of a second, and that the rest is cut off: `seconds` nothing, `ms` thousandths, `us` millionths; where it does not stand, a date with a fraction of a second is refused"
    ),
    FormatKey(
      "epoch", .words(AttributeFile.epochs.map(\.word)),
      "\(words(AttributeFile.epochs.map(\.word))): a date as a number since 1970"),
    FormatKey(
      "format", .words(AttributeFile.formats.map(\.word)),
      "\(words(AttributeFile.formats.map(\.word))): a date such as 11/12/2009"),
    FormatKey(
      "zone", .words(AttributeFile.zones.map(\.0)),
      "`UTC`: times without a zone are meant to be UTC, as which they are read anyway; `bolide check` names what does not say it"
    ),
    FormatKey("description", .text, "what it means, its unit above all", examples: ["km/s"]),
  ]

  /// What a relationship is.
  package static let relationship = [
    FormatKey(
      "to-many", .text,
      "the entity of which many belong to each object; where the inverse is to-many too, see [Many to many](#Many-to-many)"
    ),
    FormatKey(
      "has-one", .text,
      "the entity of which at most one belongs to each object, and names it, see [One to one](#One-to-one)"),
    FormatKey("to-one", .text, "the entity of which each object names one"),
    FormatKey("inverse", .text, "the relationship back"),
    was("relationship"),
    FormatKey(
      "on-delete", .words(EntityFile.deleteRules.map(\.word)),
      "what becomes of them when the object is deleted: \(words(EntityFile.deleteRules.map(\.word))); of a many-to-many "
        + "relationship `nullify` means that the links go, and `cascade` is not supported"),
  ]

  /// What a fetched property is.
  package static let fetched = [
    FormatKey("entity", .text, "the entity of the objects that are found", examples: ["Comment"]),
    FormatKey(
      "where", .text,
      "what holds for them: a predicate as `bolide fetch` takes it, see <doc:Fetching>; `$FETCH_SOURCE.PATH` is the owner's "
        + "property, `$FETCH_SOURCE` its object id, `$FETCHED_PROPERTY.NAME` a value of `info`; all of them unless said",
      examples: ["recipe = $FETCH_SOURCE.slug"]),
    FormatKey(
      "sort", .list(.text), "names or paths to sort them by, with `-` for the largest first",
      examples: ["[-at]"]),
    FormatKey("limit", .number(1...Int(Int32.max)), "at most so many for each owner", examples: ["20"]),
    FormatKey(
      "finds", .words(FetchedFile.cardinalities.map(\.word)),
      "how many there may be: \(words(FetchedFile.cardinalities.map(\.word))); `many` unless said. `one` that finds none, and "
        + "`one` and `optional` that find two, are errors of the read"),
    FormatKey(
      "info", .names(.text),
      "values for the predicate by name; numbers, `true` and `false` count as such unless in quotes",
      examples: ["{ minStars: 3 }"]),
    FormatKey(
      "store", .text, "another store's path, relative to the file; the same store unless said",
      examples: ["comments.sqlite"]),
  ]

  /// How an owner is found.
  package static let link = [
    FormatKey("to", .names(.text), "each attribute of the owner's key, with the expression that gives it"),
    FormatKey(
      "when", .words(LinkFile.timings.map(\.word)),
      "which rows are linked: \(words(LinkFile.timings.map(\.word)))"),
  ]

  /// How a nested array becomes rows of another entity.
  package static let children = [
    FormatKey("entity", .text, "what each of them becomes", examples: ["Approach"]),
    entityWas,
    FormatKey(
      "inverse", .text,
      "the relationship back to the record's object, a part of the key unless `many-to-many`",
      examples: ["asteroid"]),
    FormatKey(
      "many-to-many", .boolean,
      "whether several records may hold the same object: it is found or made by a key without `inverse`, and linked, see "
        + "[Many to many](#Many-to-many); `false` unless said"),
    FormatKey(
      "when", .words(LinkFile.timings.map(\.word)),
      "with `many-to-many`, which records are linked: \(words(LinkFile.timings.map(\.word))); `insert` unless said"
    ),
    FormatKey(
      "records", .text, "the array's path in the record; the relationship's name unless said",
      examples: ["close_approach_data"]),
    FormatKey(
      "key", .list(.text),
      "`inverse` and at least one attribute of their own; with `many-to-many`, attributes alone",
      examples: ["[asteroid, at]"]),
    attributes, fetchedProperties, check,
    FormatKey(
      "on-delete", .words(EntityFile.deleteRules.map(\.word)),
      "what becomes of them when the record's object is deleted: "
        + "\(words(ChildrenFile.deleteRules.map(\.word))); `cascade` unless said. With `many-to-many`: `nullify`, "
        + "the links go, unless said, or `deny`"),
  ]

  /// How `merge` compares.
  package static let merge = [
    FormatKey("update-if-newer", .text, "the attribute that decides", examples: ["modified"])
  ]

  /// How long history is kept.
  package static let retention = [
    FormatKey(
      "keep", .form(timeOrForever),
      "younger transactions are kept: a number and `s`, `m`, `h`, `d`, `w` or `y`, or `forever`",
      examples: ["90d"]),
    FormatKey(
      "transactions", .number(0...Int(Int32.max)),
      "so many of the newest are kept; beside `keep`, a transaction goes when both allow it",
      examples: ["1000"]),
    FormatKey(
      "hold-for-readers", .form(timeOrForever),
      "a named reader that left a transaction unread for so long is not waited for; `forever` unless said",
      examples: ["1y"]),
    FormatKey(
      "cap", .form(size), "nor is any reader while history is larger than about this: `256 MB`",
      examples: ["256 MB"]),
  ]

  private static let entityWas = was("entity")
  private static func was(_ what: String) -> FormatKey {
    FormatKey(
      "was", .text, "the \(what)'s name before, see [Other names](#Other-names)",
      examples: ["\(what == "entity" ? "Shake" : "mag")"])
  }
  private static let key = FormatKey(
    "key", .list(.text), "the attribute, or the list of attributes, that the import upserts on",
    examples: ["[asteroid, at]"])
  private static let unique = FormatKey(
    "unique", .list(.list(.text)),
    "further constraints, see [Constraints besides the key](#Constraints-besides-the-key)",
    examples: ["[name, [network, code]]"])
  private static let attributes = FormatKey(
    "attributes",
    .names(.either([.words(AttributeType.names.filter { $0 != "decimal" }), .keys(.attribute)])),
    "the entity's attributes, see below")
  private static let check = FormatKey(
    "check", .list(.text), "one expression or a list: each holds for every record",
    examples: ["magnitude < 11"])
  private static let relationships = FormatKey(
    "relationships", .names(.keys(.relationship)), "the entity's relationships, see below")
  private static let fetchedProperties = FormatKey(
    "fetched", .names(.keys(.fetched)),
    "the entity's fetched properties, see [A fetched property](#A-fetched-property)",
    examples: ["{ comments: { entity: Comment, where: recipe = $FETCH_SOURCE.slug } }"])

  private static let age = #"^[0-9]+(\.[0-9]+)?[smhdwy]$"#

  private static let timeOrForever = #"^([0-9]+(\.[0-9]+)?[smhdwy]|forever)$"#
  private static let size = "^[0-9]+ ?([kMG]B|[KMG]iB)?$"

  private static func words(_ words: [String]) -> String {
    words.map { "`\($0)`" }.joined(separator: ", ")
  }
}
