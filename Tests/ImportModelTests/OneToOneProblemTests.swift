import PipelineFile
import ImportModel
import Testing

/// One-to-one relationships in pipeline files, and what they can be wrong in, word for word.
struct OneToOneProblemTests {
  private static func file(_ passport: String, _ person: String, _ attributes: String = "") -> String {
    """
    bolide: 1
    entity: Passport
    key: number
    attributes: { number: string, pages: integer32, held: { type: string, transient: true } }
    relationships: { \(passport) }
    entities:
      Person:
        key: name
        attributes: { name: string\(attributes) }
        relationships: { \(person) }

    """
  }

  private func problems(_ text: String) -> [String] {
    do {
      _ = try Pipeline(yaml: text, file: "p.yaml", directory: "")
      return []
    } catch {
      return error.problems.map { "\($0.location.map { "\($0.line):\($0.column): " } ?? "")\($0.message)" }
    }
  }

  @Test func `A has-one relationship implies its inverse, and may be declared at both ends`() throws {
    let person = "passport: { has-one: Passport, inverse: owner, on-delete: cascade }"
    let implied = try Pipeline(yaml: Self.file("", person), file: "p.yaml", directory: "")
    let declared = try Pipeline(
      yaml: Self.file("owner: { to-one: Person, inverse: passport }", person), file: "p.yaml", directory: "")
    #expect(implied.model == declared.model)
    let owner = Relationship(name: "owner", kind: .toOne, destination: "Person", inverse: "passport")
    #expect(implied.model.entities[0].relationships == [owner])
    #expect(
      implied.model.entities[1].relationships == [
        Relationship(
          name: "passport", kind: .hasOne, destination: "Passport", inverse: "owner", deleteRule: .cascade)
      ])
  }

  private static let mistakes: [(text: String, sentences: String)] = [
    (
      file("owner: { to-one: Person, inverse: passport }", "passport: { to-one: Passport, inverse: owner }"),
      "5:52: 'owner' and its inverse 'passport' are both to-one: make one end `has-one` for one "
        + "object, or `to-many` for several"
    ),
    (
      file(
        "owner: { has-one: Person, inverse: passport }", "passport: { has-one: Passport, inverse: owner }"),
      "5:53: 'owner' and its inverse 'passport' are both has-one: make the end that has the column "
        + "`to-one`"
    ),
    (
      file(
        "owner: { to-many: Person, inverse: passport }", "passport: { has-one: Passport, inverse: owner }"),
      "10:62: 'passport' is has-one and its inverse 'owner' is to-many: "
        + "the inverse of a has-one relationship is to-one"
    ),
    (
      file("", "passport: { has-one: Passport }"),
      "10:22: the has-one relationship 'passport' needs 'inverse', the relationship back"
    ),
    (
      file("", "passport: { has-one: Pasport, inverse: owner }"),
      "10:43: the destination 'Pasport' of the relationship 'passport' is not declared; did you mean 'Passport'?"
    ),
    (
      file("", "passport: { has-one: Passport, to-one: Passport, inverse: owner }"),
      "10:22: the relationship 'passport' needs one of 'to-many', 'has-one' and 'to-one', with its "
        + "destination entity"
    ),
    (
      file(
        "", "passport: { has-one: Passport, inverse: owner }",
        ", id: { derived: \"canonical:(passport.number)\" }"),
      "9:48: 'id' is derived along 'passport', which is has-one: only a plain copy over it alone is supported, "
        + "as in passport.name, and another attribute may be derived from that copy"
    ),
    (
      file("", "passport: { has-one: Passport, inverse: owner }", ", id: { derived: passport.owner.name }"),
      "9:48: 'id' is derived along 'passport', which is has-one: only a plain copy over it alone is supported, "
        + "as in passport.name, and another attribute may be derived from that copy"
    ),
    (
      file("", "passport: { has-one: Passport, inverse: owner }", ", id: { derived: passport.nummer }"),
      "9:48: Passport has no attribute 'nummer' to derive 'id' from; did you mean 'number'?"
    ),
    (
      file("", "passport: { has-one: Passport, inverse: owner }", ", id: { derived: passport.held }"),
      "9:48: 'id' cannot be derived from 'held': it is transient, and not stored"
    ),
    (
      file("", "passport: { has-one: Passport, inverse: owner }") + "link: { owner: { to: { nam: held } } }",
      "11:18: the link to Person does not set its key attribute 'name'\n11:29: a link sets the "
        + "owner's key, and 'nam' is not in the key of Person; did you mean 'name'?"
    ),
    (
      """
      bolide: 1
      entity: Person
      key: name
      attributes: { name: string, number: string }
      relationships: { passport: { has-one: Passport, inverse: owner } }
      entities: { Passport: { key: number, attributes: { number: string } } }
      link: { passport: { to: { number: number } } }
      """,
      "7:9: only a to-one relationship can be linked, and 'passport' is has-one"
    ),
  ]

  @Test(arguments: mistakes)
  func `Mistakes in one-to-one relationships have their sentences and places`(text: String, sentences: String)
  {
    #expect(problems(text).joined(separator: "\n") == sentences)
  }

  @Test func `A copy over a has-one relationship has its attribute's type, and takes part in the order`()
    throws
  {
    let pipeline = try Pipeline(
      yaml: Self.file(
        "", "passport: { has-one: Passport, inverse: owner }",
        ", pages: { derived: passport.pages }, again: { derived: pages }, "
          + "count: { derived: passport.@count }, most: { derived: passport.pages.@sum }"),
      file: "p.yaml", directory: "")
    let person = pipeline.model.entities[1]
    #expect(person.attributes.map(\.type) == [.string, .integer32, .integer32, .integer64, .integer64])
    #expect(pipeline.model.rank(of: DerivedName(entity: "Person", attribute: "pages")) == 0)
    #expect(pipeline.model.rank(of: DerivedName(entity: "Person", attribute: "again")) == 1)
  }
}
