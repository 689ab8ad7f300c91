import ImportModel
import PipelineFile
import Testing

/// What a pipeline says of indexes: read, and what can be wrong, word for word.
struct IndexProblemTests {
  private static let head = """
    bolide: 1
    entity: A
    key: [id, at]
    unique: code
    attributes:
      id: string
      code: string
      at: date
      size: { type: decimal, scale: 2 }
      note: { type: string, transient: true }
    relationships:
      group: { to-one: B, inverse: members }
    entities:
      B:
        key: id
        attributes: { id: string, count: { derived: members.@count } }
        relationships: { members: { to-many: A, inverse: group } }

    """

  private func read(_ settings: String) throws -> Pipeline {
    try Pipeline(yaml: Self.head + settings, file: "a.yaml", directory: ".")
  }

  @Test(arguments: [
    ("", []), ("index: size", [["size"]]), ("index: [size, at]", [["size"], ["at"]]),
    ("index: [[size, at], [at, size]]", [["size", "at"], ["at", "size"]]),
    ("index: [id, [group, at]]", [["id"], ["group", "at"]]),
    // Of a constraint and of the key the order counts.
    ("index: [[at, id], [code, id]]", [["at", "id"], ["code", "id"]]),
  ])
  func `Each element is an index, and its order is kept`(settings: String, indexes: [[String]]) throws {
    let entity = try #require(try read(settings).model.entities.first)
    #expect(entity.indexes == indexes)
    #expect(entity.attribute(named: "size")?.isRequired == false)
  }

  @Test func `Other entities and children have indexes, and what is derived has one`() throws {
    let pipeline = try Pipeline(
      yaml: """
        bolide: 1
        entity: A
        key: id
        attributes: { id: string, parts: { derived: lines.@count } }
        index: parts
        children:
          lines: { entity: L, inverse: a, key: [a, n], index: [[price, a]], attributes: { n: integer16, price: double } }
        entities:
          C: { key: id, index: name, attributes: { id: string, name: string } }
        """, file: "a.yaml", directory: ".")
    let indexes = pipeline.model.entities.map { ($0.name, $0.indexes) }.sorted { $0.0 < $1.0 }
    #expect(indexes.map(\.1) == [[["parts"]], [["name"]], [["price", "a"]]])
  }

  @Test(arguments: [
    (
      "index: [siz]",
      "18:9: 'siz', in an index, is not declared in A; did you mean 'size'?"
    ),
    (
      "index: group_id",
      "18:8: 'group_id', in an index, is not declared in A; did you mean 'group'?"
    ),
    (
      "index: [[at, xyzzy]]",
      "18:14: 'xyzzy', in an index, is not declared in A; an index can name id, code, at, size, group"
    ),
    ("index: [[at, at]]", "18:14: 'at' is in the index twice"),
    ("index: [[at, at, at, at]]", "18:14: 'at' is in the index twice"),
    ("index: [at, at, at, at]", "18:13: the index on at is declared twice"),
    ("index: [[at, size], size, [at, size]]", "18:27: the index on at and size is declared twice"),
    ("index: [[]]", "18:9: an index of A names no attribute"),
    (
      "index: [[id, at]]",
      "18:9: the index on id and at exists already, as that of the key: remove it from 'index'"
    ),
    (
      "index: code",
      "18:8: the index on code exists already, as that of a unique constraint: remove it from 'index'"
    ),
    (
      "index: [size, group]",
      "18:15: the index on group exists already, as that of the relationship: remove it from 'index'"
    ),
    ("index: note", "18:8: 'note' cannot be in an index: it is transient, and not stored"),
    ("index: [[{ a: b }]]", "18:10: 'index' is one text, not a list or a mapping"),
    ("index: { a: b }", "18:1: 'index' is one text, not a list or a mapping"),
  ])
  func `Mistakes in a file have their places and sentences`(settings: String, sentence: String) {
    let error = #expect(throws: PipelineError.self) { try read(settings) }
    #expect(error?.problems.map(\.description) == ["a.yaml:\(sentence)"])
  }

  @Test(arguments: [
    Mistake(
      "'fireballs' cannot be in an index: it is a to-many relationship, and only a to-one relationship has a column"
    ) { $0.group.indexes = [["year", "fireballs"]] },
    Mistake("'late' cannot be in an index: it is a fetched property, which has no column") {
      $0.group.fetchedProperties = [FetchedProperty(name: "late", destination: "Fireball")]
      $0.group.indexes = [["late"]]
    },
  ])
  func `Mistakes in a pipeline built in code have their sentences`(mistake: Mistake) {
    mistake.check()
  }
}
