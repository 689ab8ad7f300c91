import Bolide
import Testing

/// What becomes of a pipeline that a store knows.
struct ModelChange: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// Names to be dropped.
  let drops: [String]
  /// The texts that are replaced in the pipeline before, and with what.
  let edits: [(String, String)]
  /// The same of the pipeline that the store is made by.
  let before: [(String, String)]

  init(
    _ description: String, _ edits: [(String, String)], drops: [String] = [], before: [(String, String)] = []
  ) {
    (testDescription, self.edits, self.drops, self.before) = (description, edits, drops, before)
  }

  private static let aggregates = """
          number:  { derived: quakes.@count }
          total:   { derived: quakes.count.@sum }
          mean:    { derived: quakes.felt.@average }
          deepest: { derived: quakes.depth.@max }
          first:   { derived: quakes.seen.@min }
          strong:  { derived: quakes.@count, where: "felt > 2" }

    """

  private static let tags = """
      tags:
        entity: Tag
        inverse: quakes
        many-to-many: true
        key: word
        attributes:
          word:    { type: string, from: . }
          uses:    { derived: quakes.@count }

    """

  private static let parts = """
      parts:
        entity: Part
        inverse: quake
        key: [quake, number]
        attributes:
          number:  integer16
          note:    string

    """

  /// Each text is in the model once.
  private static let model = """
    bolide: 1
    name: law
    author: keeper
    store: law.sqlite
    entity: Quake
    key: id
    attributes:
      id:        integer32
      code:      string
      felt:      integer16
      count:     integer64
      size:      float
      depth:     { type: decimal, scale: 2 }
      seen:      date
      kind:      { type: string, default: quake }
      place:     { type: string, transient: true }
      region:    { derived: in.name }
      loud:      { derived: uppercase:(code) }
    link:
      in: { to: { name: place }, when: always }
    relationships:
      in: { to-one: Region, inverse: quakes }
    entities:
      Region:
        key: name
        attributes:
          name:    string
    \(aggregates)    relationships: { quakes: { to-many: Quake, inverse: in } }
    children:
    \(tags)\(parts)feed: full

    """

  private func text(_ edits: [(String, String)], of model: String) -> String {
    edits.reduce(model) { text, edit in
      #expect(text.contains(edit.0), "\(edit.0)")
      return text.replacing(edit.0, with: edit.1)
    }
  }

  /// The pipelines before and after.
  func pipelines() throws -> (Pipeline, Pipeline) {
    let old = text(before, of: Self.model)
    return (
      try Pipeline(yaml: old, file: "law.yaml", directory: "."),
      try Pipeline(yaml: text(edits, of: old), file: "law.yaml", directory: ".")
    )
  }

  private static let isRequired = (
    "{ type: string, default: quake }", "{ type: string, default: quake, required: true }"
  )
  private static let withoutSum = [
    ("  count:     integer64\n", ""), ("      total:   { derived: quakes.count.@sum }\n", ""),
  ]
  private static let withoutCode = [
    ("  code:      string\n", ""), ("  loud:      { derived: uppercase:(code) }\n", ""),
  ]
  private static let sensed = [
    ("  felt:      integer16", "  sensed: { type: integer16, was: felt, from: felt }"),
    ("quakes.felt.@average", "quakes.sensed.@average"), ("felt > 2", "sensed > 2"),
  ]

  private static let codeBecomesRelationship = [
    ("  code:      string\n", "  codeName: { type: string, transient: true, from: code }\n"),
    ("  loud:      { derived: uppercase:(code) }\n", ""),
    ("link:\n", "link:\n  code: { to: { name: codeName }, when: always }\n"),
    ("relationships:\n  in:", "relationships:\n  code: { to-one: Code, inverse: quakes }\n  in:"),
    (
      "entities:\n",
      "entities:\n  Code:\n    key: name\n    attributes: { name: string }\n    relationships: { quakes: { to-many: Quake, inverse: code } }\n"
    ),
  ]
  private static let linkBecomesAttribute = [
    ("link:\n  in: { to: { name: place }, when: always }\n", ""),
    ("relationships:\n  in: { to-one: Region, inverse: quakes }\n", ""),
    ("  region:    { derived: in.name }\n", "  in: { type: string, from: place }\n"), (aggregates, ""),
    ("    relationships: { quakes: { to-many: Quake, inverse: in } }\n", ""),
  ]
  /// An attribute gets the name of a relationship that the pipeline leaves alone, or of its column.
  private static func nameOfLink(_ name: String) -> [(String, String)] {
    linkBecomesAttribute.map { ($0.0, $0.1.contains("from: place") ? "" : $0.1) } + [
      ("  code:      string\n", "  \(name): { type: string, was: code, from: code }\n"),
      ("uppercase:(code)", "uppercase:(\(name))"),
    ]
  }
  private static let linkInAnotherCase = [
    ("  in: { to: { name: place }, when: always }", "  In: { to: { name: place }, when: always }"),
    ("  in: { to-one: Region, inverse: quakes }", "  In: { to-one: Region, inverse: shocks }"),
    ("quakes: { to-many: Quake, inverse: in }", "shocks: { to-many: Quake, inverse: In }"),
    ("in.name", "In.name"), (aggregates, ""),
  ]

  /// What a store takes, of whatever kind the change is.
  static let taken: [ModelChange] = [
    ModelChange(
      "new attributes, an entity and a link to it",
      [
        (
          "  code:      string\n",
          "  code: string\n  title: string\n  grade: { type: integer16, required: true, default: 3 }\n  flag: { type: boolean, default: true }\n"
        ),
        (
          "      total:",
          "      most: { derived: quakes.felt.@max }\n      sizes: { derived: quakes.size.@sum }\n      total:"
        ),
        ("  loud:", "  quiet: { derived: lowercase:(code) }\n  loud:"),
        ("{ type: string, transient: true }", "string"),
        ("relationships:\n", "relationships:\n  net: { to-one: Network, inverse: members }\n"),
        (
          "entities:\n",
          "entities:\n  Network:\n    key: name\n    attributes: { name: string, size: { derived: members.@count } }\n    relationships: { members: { to-many: Quake, inverse: net } }\n"
        ), ("link:\n", "link:\n  net: { to: { name: kind }, when: always }\n"),
      ]),
    ModelChange(
      "wider types",
      [
        ("integer32\n", "integer64\n"), ("  felt:      integer16", "  felt: integer32"),
        ("number:  integer16", "number: integer64"), ("float", "double"), ("scale: 2", "scale: 4"),
        ("  seen:      date", "  seen: { type: date, precision: ms }"),
      ]),
    ModelChange(
      "whole numbers become real",
      [
        ("  felt:      integer16", "  felt: double"), ("  count:     integer64", "  count: double"),
        ("  id:        integer32", "  id: double"),
      ]),
    ModelChange(
      "a date with the finest precision",
      [("{ type: date, precision: ms }", "{ type: date, precision: us }")],
      before: [("  seen:      date", "  seen: { type: date, precision: ms }")]),
    ModelChange(
      "other rules, constraints and indexes",
      [
        isRequired, ("key: id\n", "key: id\nunique: [[id, kind]]\nindex: [felt, [in, seen], region]\n"),
        ("{ to-many: Quake, inverse: in }", "{ to-many: Quake, inverse: in, on-delete: cascade }"),
      ]),
    ModelChange(
      "looser rules, and fewer indexes",
      [
        ("{ type: string, default: quake, required: true }", "{ type: string, default: blast }"),
        ("index: [felt, [in, seen]]\n", "index: seen\n"), (", on-delete: deny", ""),
      ],
      before: [
        isRequired, ("key: id\n", "key: id\nindex: [felt, [in, seen]]\n"),
        ("{ to-many: Quake, inverse: in }", "{ to-many: Quake, inverse: in, on-delete: deny }"),
      ]),
    ModelChange(
      "other derivations of the same form",
      [
        ("quakes.depth.@max", "quakes.depth.@min"), ("uppercase:(code)", "lowercase:(code)"),
        ("felt > 2", "felt > 1"),
      ]),
    ModelChange(
      "other derivations of another form",
      [
        ("quakes.@count }\n      total", "quakes.count.@sum }\n      total"),
        ("quakes.felt.@average", "quakes.felt.@max"), ("{ derived: in.name }", "{ derived: in.number }"),
      ]),
    ModelChange("an attribute with another name", sensed),
    ModelChange(
      "renamed and widened at once",
      sensed + [("integer16, was: felt", "double, was: felt"), ("scale: 2", "scale: 3")]),
    ModelChange(
      "a relationship with other names",
      [
        ("  in: { to: { name: place }, when: always }", "  within: { to: { name: place }, when: always }"),
        (
          "  in: { to-one: Region, inverse: quakes }",
          "  within: { to-one: Region, inverse: shocks, was: in }"
        ),
        (
          "quakes: { to-many: Quake, inverse: in }",
          "shocks: { to-many: Quake, inverse: within, was: quakes }"
        ), ("in.name", "within.name"), (aggregates, aggregates.replacing("quakes.", with: "shocks.")),
      ]),
    ModelChange(
      "entities with other names",
      [
        ("entity: Quake\n", "entity: Zshock\nwas: Quake\n"), ("to-many: Quake", "to-many: Zshock"),
        ("entity: Tag\n", "entity: Word\n    was: Tag\n"),
      ]),
    ModelChange(
      "a sum and a key with other names",
      [
        ("      total:   { derived", "      whole: { was: total, derived"),
        ("      name:    string", "      title: { type: string, was: name }"),
        ("    key: name\n", "    key: title\n"), ("{ name: place }", "{ title: place }"),
        ("in.name", "in.title"),
      ]),
    ModelChange("less is named", withoutSum),
    ModelChange("attributes are dropped", withoutSum, drops: ["Quake.count", "Region.total"]),
    ModelChange(
      "dropped, and begun anew as another type",
      [("  code:      string", "  code: integer16"), ("  loud:      { derived: uppercase:(code) }\n", "")],
      drops: ["Quake.code", "Quake.loud"]),
    ModelChange(
      "dropped, and begun anew as a relationship", codeBecomesRelationship,
      drops: ["Quake.code", "Quake.loud"]),
    ModelChange("an entity and the links to it are dropped", [(parts, "")], drops: ["Part", "Quake.parts"]),
    ModelChange("links between many are dropped", [(tags, "")], drops: ["Tag", "Quake.tags"]),
    ModelChange(
      "an index is dropped", [("index: felt\n", "")], drops: ["bolide_index_Quake.felt"],
      before: [("key: id\n", "key: id\nindex: felt\n")]),
  ]

  /// What no store takes.
  static let refused: [ModelChange] = [
    ModelChange(
      "a new attribute that is required",
      [("  code:      string\n", "  code: string\n  must: { type: string, required: true }\n")]),
    ModelChange(
      "transient from now on",
      [
        ("  code:      string", "  code: { type: string, transient: true }"),
        ("  loud:      { derived: uppercase:(code) }\n", ""),
      ]),
    ModelChange("a narrower type", [("  count:     integer64", "  count: integer32")]),
    ModelChange(
      "another type",
      [("  code:      string", "  code: integer16"), ("  loud:      { derived: uppercase:(code) }\n", "")]),
    ModelChange("too many digits for what is there", [("scale: 2", "scale: 18")]),
    ModelChange(
      "required, and some have it not", [("  code:      string", "  code: { type: string, required: true }")]),
    ModelChange("another key", [isRequired, ("key: id\n", "key: [id, kind]\n")]),
    ModelChange("unique, and so they are not", [("key: id\n", "key: id\nunique: kind\n"), isRequired]),
    ModelChange("an attribute becomes a relationship", codeBecomesRelationship),
    ModelChange("a relationship becomes an attribute", linkBecomesAttribute),
    ModelChange("a relationship in another case", linkInAnotherCase),
    ModelChange("renamed to what a relationship is called", nameOfLink("in")),
    ModelChange("renamed to what a relationship is called in another case", nameOfLink("In")),
    ModelChange("renamed to what a relationship's column is called", nameOfLink("in_id")),
    ModelChange("derived becomes stored", [("{ derived: in.name }", "string")]),
    ModelChange(
      "stored becomes derived",
      [("  kind:      { type: string, default: quake }", "  kind: { derived: canonical:(code) }")]),
    ModelChange(
      "one-to-one, and so they are not",
      [(aggregates, ""), ("{ to-many: Quake, inverse: in }", "{ has-one: Quake, inverse: in }")],
      drops: [
        "Region.number", "Region.total", "Region.mean", "Region.deepest", "Region.first", "Region.strong",
      ]),
    ModelChange(
      "a name that never was",
      [("  code:      string\n", "  code: string\n  title: { type: string, was: caption }\n")]),
    ModelChange(
      "another case", [("  code:      string", "  Code: string"), ("uppercase:(code)", "uppercase:(Code)")]),
    ModelChange("dropped, and something needs it", withoutSum, drops: ["Quake.count"]),
    ModelChange("dropped, and the pipeline names it", [], drops: ["Quake.kind"]),
    ModelChange("dropped, and never there", withoutCode, drops: ["Quake.cod"]),
    ModelChange(
      "the key is dropped",
      [("  id:        integer32", "  ident: integer32"), ("key: id\n", "key: ident\n")], drops: ["Quake.id"]),
  ]
}
