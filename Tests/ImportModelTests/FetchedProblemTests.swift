import Foundation
import PipelineFile
import ImportModel
import Testing

/// Fetched properties in a pipeline: what is read, and what is wrong, word for word.
struct FetchedProblemTests {
  @Test(arguments: [
    Mistake("a fetched property of Fireball has no name") { twins(&$0) { $0.name = "" } },
    Mistake("the name of a fetched property contains the character U+0000") {
      twins(&$0) { $0.name = "a\0" }
    },
    Mistake("the fetched property 'twins' is declared twice") {
      twins(&$0) { _ in }
      twins(&$0) { _ in }
    },
    Mistake("the fetched properties 'twins' and 'Twins' differ by case only: rename one") {
      twins(&$0) { _ in }
      twins(&$0) { $0.name = "Twins" }
    },
    Mistake("'Energy' is a fetched property and an attribute of Fireball: rename one") {
      twins(&$0) { $0.name = "Energy" }
    },
    Mistake("'lat' is a fetched property and an attribute of Fireball: rename one") {
      twins(&$0) { $0.name = "lat" }
    },
    Mistake("'GROUP' is a fetched property and a relationship of Fireball: rename one") {
      twins(&$0) { $0.name = "GROUP" }
    },
    Mistake("'group_ID' is a fetched property and the column of 'group' of Fireball: rename one") {
      twins(&$0) { $0.name = "group_ID" }
    },
    Mistake("'bolide_id' is a fetched property and the object id of Fireball: rename one") {
      twins(&$0) { $0.name = "bolide_id" }
    },
    Mistake("the limit of the fetched property 'twins' is at least 1") { twins(&$0) { $0.limit = 0 } },
    Mistake("the store of a fetched property contains the character U+0000") {
      twins(&$0) { $0.store = "a\0b" }
    },
    Mistake(
      "the entity 'Firebal' of the fetched property 'twins' is not declared; did you mean 'Fireball'?"
    ) {
      twins(&$0) { $0.destination = "Firebal" }
    },
    // What another store has is asked of it.
    Mistake("") {
      twins(&$0) {
        $0.destination = "Comment"
        $0.store = "other.sqlite"
      }
    },
  ])
  func `Mistakes in fetched properties have their sentences`(mistake: Mistake) {
    mistake.check()
  }

  private static let head =
    "bolide: 1\nentity: A\nkey: id\nattributes: { id: string, n: integer16 }\nfetched:\n"

  private func read(_ text: String) throws -> Pipeline {
    try Pipeline(yaml: text, file: "p.yaml", directory: "")
  }

  @Test func `a fetched property is read as it says`() throws {
    let pipeline = try read(
      Self.head + """
          rest: { entity: A }
          near:
            entity: A
            where: n = $FETCH_SOURCE.n + $FETCHED_PROPERTY.step
            sort: [-n, id]
            limit: 20
            finds: optional
            store: ../other.sqlite
            info:
              { step: 3, less: -7, real: 0.5, power: 1e3, flag: true, off: false, quoted: "3", day: 2026-01-02, zero: 012,
                plus: +1, empty: "", no: no, huge: 9223372036854775808, "null": null }
        entities:
          B: { key: id, attributes: { id: string }, fetched: { all: { entity: A, finds: one } } }
        """)
    let main = try #require(pipeline.model.entity(named: "A"))
    #expect(main.fetchedProperties.count == 2)
    #expect(main.fetchedProperties.first == FetchedProperty(name: "rest", destination: "A"))
    #expect(
      main.fetchedProperty(named: "NEAR")
        == FetchedProperty(
          name: "near", destination: "A", predicate: "n = $FETCH_SOURCE.n + $FETCHED_PROPERTY.step",
          sort: ["-n", "id"], limit: 20, cardinality: .optional,
          userInfo: [
            "step": .integer(3), "less": .integer(-7), "real": .real(0.5), "power": .real(1000),
            "flag": .integer(1), "off": .integer(0), "quoted": .text("3"), "day": .text("2026-01-02"),
            "zero": .text("012"), "plus": .text("+1"), "empty": .text(""), "no": .text("no"),
            "huge": .real(9_223_372_036_854_775_808), "null": .text("null"),
          ], store: "../other.sqlite"))
    #expect(
      pipeline.model.entity(named: "B")?.fetchedProperties == [
        FetchedProperty(name: "all", destination: "A", cardinality: .one)
      ])
  }

  @Test(arguments: [
    ("  f: {}", "6:3: the fetched property 'f' needs 'entity', the entity of its objects"),
    (
      "  f: { entiti: A }",
      "6:8: unknown key 'entiti'; did you mean 'entity'?\np.yaml:6:3: the fetched property 'f' needs 'entity', the entity of its objects"
    ),
    ("  f: { entity: A, wehre: n }", "6:19: unknown key 'wehre'; did you mean 'where'?"),
    (
      "  f: { entity: Comment }",
      "6:16: the entity 'Comment' of the fetched property 'f' is not declared; the entities are A"
    ),
    ("  f: { entity: A, limit: 0 }", "6:26: 'limit' is a whole number from 1 to 2147483647, not '0'"),
    ("  f: { entity: A, finds: all }", "6:26: 'finds' is one, optional or many, not 'all'"),
    ("  n: { entity: A }", "6:3: 'n' is a fetched property and an attribute of A: rename one"),
    ("  f: A", "6:3: 'f' is a mapping: names, each with a colon and a value"),
    (
      "  f: { entity: A, info: 3 }",
      "6:25: 'info' is a mapping: names, each with a colon and a value"
    ),
    ("  f: { entity: A, info: { a: [1] } }", "6:27: 'a' is one text, not a list or a mapping"),
    ("  f: { entity: A, where: [n] }", "6:19: 'where' is one text, not a list or a mapping"),
    ("  f: { entity: A }\n  f: { entity: A }", "7:3: the key 'f' is duplicated; the first is on line 6"),
    ("  f: { entity: A }\nfetchd: {}", "7:1: unknown key 'fetchd'; did you mean 'fetched'?"),
  ])
  func `what the file says wrongly has its place`(text: String, sentences: String) throws {
    let error = try #require(throws: PipelineError.self) { _ = try read(Self.head + text) }
    #expect(Set("\(error)".split(separator: "\n")) == Set("p.yaml:\(sentences)".split(separator: "\n")))
  }

  @Test func `a model without fetched properties is written as before, and one of before is read`() throws {
    var entity = Entity(name: "A", key: ["id"], attributes: [Attribute(name: "id", type: .string)])
    let before = try JSONEncoder().encode(entity)
    #expect(!String(decoding: before, as: UTF8.self).contains("fetched"))
    #expect(try JSONDecoder().decode(Entity.self, from: before) == entity)
    entity.fetchedProperties = [
      FetchedProperty(
        name: "b", destination: "B", predicate: "1", sort: ["-x"], limit: 2, cardinality: .one,
        userInfo: ["a": .blob([1]), "b": .real(0.1), "c": .null], store: "b.sqlite")
    ]
    #expect(try JSONDecoder().decode(Entity.self, from: JSONEncoder().encode(entity)) == entity)
    entity.fetchedProperties = []
    #expect(try JSONDecoder().decode(Entity.self, from: before) == entity)
  }
}

/// Gives Fireball a fetched property, with something changed.
private func twins(_ pipeline: inout Pipeline, _ change: (inout FetchedProperty) -> Void) {
  var property = FetchedProperty(name: "twins", destination: "Fireball")
  change(&property)
  pipeline.fireball.fetchedProperties.append(property)
}
