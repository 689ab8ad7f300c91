@testable import PipelineFile
import ImportModel
import Testing

/// What a pipeline says that things were called before.
struct RenameTests {
  private static let text = """
    bolide: 1
    entity: Shake
    was: Quake
    key: id
    attributes:
      id:        string
      magnitude: { type: double, was: mag }
      place:     string
    relationships:
      zone: { to-one: Zone, inverse: shakes, was: region }
    entities:
      Zone:
        was: Region
        key: code
        attributes:
          code:  string
          total: { derived: shakes.magnitude.@sum, was: sum }
        relationships:
          shakes: { to-many: Shake, inverse: zone, was: quakes }
    """

  private static func read(_ change: (String, String)...) throws -> Pipeline {
    let text = change.reduce(text) { $0.replacing($1.0, with: $1.1) }
    return try Pipeline(yaml: text, file: "p.yaml", directory: "")
  }

  @Test func `'was' is read of entities, attributes and relationships`() throws {
    #expect(
      Set(try Self.read().renames) == [
        Rename("Shake", was: "Quake"), Rename("Shake", "magnitude", was: "mag"),
        Rename("Shake", "zone", was: "region"), Rename("Zone", was: "Region"),
        Rename("Zone", "total", was: "sum"),
        Rename("Zone", "shakes", was: "quakes"),
      ])
    let with = try Self.read().model
    #expect(try Self.read((", was: mag", ""), ("was: Quake\n", "")).model == with)
  }

  @Test func `'was' is read of children`() throws {
    let children = """
      bolide: 1
      entity: A
      key: id
      attributes: { id: string }
      children:
        parts: { entity: Part, was: Piece, inverse: a, key: [a, n], attributes: { n: { type: day, was: m } } }
      """
    let pipeline = try Pipeline(yaml: children, file: "p.yaml", directory: "")
    #expect(pipeline.renames == [Rename("Part", was: "Piece"), Rename("Part", "n", was: "m")])
  }

  @Test(arguments: [
    (
      "was: mag", "was: place",
      "p.yaml:7:35: 'magnitude' cannot have been 'place', which Shake still declares: a name has one meaning"
    ),
    (
      "was: mag", "was: magnitude",
      "p.yaml:7:35: 'magnitude' cannot have been 'magnitude', which Shake still declares: a name has one meaning"
    ),
    (
      "was: region", "was: place",
      "p.yaml:10:47: 'zone' cannot have been 'place', which Shake still declares: a name has one meaning"
    ),
    (
      "was: Region", "was: Shake",
      "p.yaml:13:10: 'Zone' cannot have been 'Shake', which is still declared: a name has one meaning"
    ),
    (
      "place:     string", "place:     { type: string, was: mag }",
      "p.yaml:8:35: two declarations have `was: mag`: remove one"
    ),
    (
      "was: Region", "was: Quake",
      "p.yaml:13:10: two declarations have `was: Quake`: remove one"
    ),
    ("was: mag", "was: \"\"", "p.yaml:7:35: 'was' is empty"),
  ])
  func `a name before is nobody's now`(old: String, new: String, sentence: String) throws {
    let error = #expect(throws: PipelineError.self) { try Self.read((old, new)) }
    #expect(error?.description == sentence)
  }

  @Test func `in code`() throws {
    var pipeline = try Self.read()
    pipeline.renames = [
      Rename("Shake", "magnitude", was: ""), Rename("Gone", was: "x"), Rename("Shake", "gone", was: "y"),
    ]
    #expect(
      Set(pipeline.problems().map(\.message)) == [
        "the name in 'was' is empty", "'was' is set for 'Gone', which is not declared",
        "'was' is set for 'Shake.gone', which is not declared",
      ])
  }

  @Test func `all that names a renamed property names it anew`() {
    func model(_ mag: String, _ region: String, _ quakes: String) -> Model {
      Model(entities: [
        Entity(
          name: "Quake", key: ["id", region],
          attributes: [
            Attribute(name: "id", type: .string), Attribute(name: mag, type: .double),
            Attribute(name: "name", type: .string, derivation: .copy(path: [region, "mag"])),
          ],
          relationships: [Relationship(name: region, kind: .toOne, destination: "Region", inverse: quakes)],
          uniquenessConstraints: [[mag, "id"]]),
        Entity(
          name: "Region", key: ["mag"],
          attributes: [
            Attribute(name: "mag", type: .string),
            Attribute(
              name: "sum", type: .double,
              derivation: .sum(relationship: quakes, attribute: mag, where: "\(mag) > 1")),
          ],
          relationships: [Relationship(name: quakes, kind: .toMany, destination: "Quake", inverse: region)]),
      ])
    }
    var renamed = model("mag", "region", "quakes")
    renamed.renameProperty("mag", of: "Quake", to: "m") { filter, _ in filter.replacing("mag", with: "m") }
    renamed.renameProperty("region", of: "Quake", to: "r") { filter, _ in filter }
    renamed.renameProperty("quakes", of: "Region", to: "qs") { filter, _ in filter }
    #expect(renamed == model("m", "r", "qs"))
  }
}
