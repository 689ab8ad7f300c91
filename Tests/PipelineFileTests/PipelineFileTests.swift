import Foundation
@testable import PipelineFile
import ImportModel
import Testing

struct PipelineFileTests {
  @Test func `The shipped pipeline reads as its comments say`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: "pipelines/fireballs.yaml"), encoding: .utf8)
    let pipeline = try Pipeline(yaml: text, file: "pipelines/fireballs.yaml", directory: "pipelines")

    #expect(pipeline.name == "fireballs")
    #expect(pipeline.store == "pipelines/../fireballs.sqlite")
    #expect(pipeline.entity == "Fireball")
    #expect(pipeline.feed == .full)
    #expect(pipeline.records == .automatic)
    #expect(pipeline.checks == ["(lat IS NULL) = (latDir IS NULL)", "(lon IS NULL) = (lonDir IS NULL)"])
    #expect(
      pipeline.links == [
        Link("group", ownerKey: [Link.KeyPart("year", "strftime('%Y', date)")], when: .insert)
      ])
    #expect(
      pipeline.fields.map(\.attribute) == [
        "date", "energy", "impactEnergy", "altitude", "velocity", "lat", "latDir", "lon", "lonDir",
        "latitude",
        "longitude",
      ])
    var date = Field("date")
    date.zone = "UTC"
    #expect(pipeline.fields[0] == date)
    #expect(pipeline.fields[2] == Field("impactEnergy", from: .path("impact-e")))
    #expect(
      pipeline.fields[9]
        == Field("latitude", from: .expression("CASE latDir WHEN 'N' THEN lat WHEN 'S' THEN -lat END")))

    let fireball = try #require(pipeline.model.entity(named: "Fireball"))
    #expect(fireball.key == ["date"])
    #expect(fireball.attribute(named: "date")?.isRequired == true)
    #expect(fireball.attribute(named: "energy")?.isRequired == false)
    #expect(fireball.attribute(named: "latDir")?.oneOf == [.text("N"), .text("S")])
    #expect(fireball.attribute(named: "latDir")?.isTransient == true)
    #expect(
      fireball.relationships == [
        Relationship(name: "group", kind: .toOne, destination: "FireballGroup", inverse: "fireballs")
      ])

    let group = try #require(pipeline.model.entity(named: "FireballGroup"))
    #expect(group.key == ["year"])
    #expect(group.attribute(named: "fireballCount")?.type == .integer64)
    #expect(group.attribute(named: "fireballCount")?.derivation == .count(relationship: "fireballs"))
    #expect(group.attribute(named: "totalImpactEnergy")?.type == .double)
    #expect(
      group.relationships == [
        Relationship(name: "fireballs", kind: .toMany, destination: "Fireball", inverse: "group")
      ])
    #expect(pipeline.problems().isEmpty)
  }

  @Test func `The smallest file is enough`() throws {
    let pipeline = try read(
      """
      bolide: 1
      store: quakes.sqlite
      entity: Quake
      key: id
      attributes:
        id:        string
        time:      date
        magnitude: double                            # optional, as in Core Data
        depthKm:   { type: double, from: depth_km }
        tags:      json
      """)
    let expected = Pipeline(
      name: "quakes", entity: "Quake",
      model: Model(entities: [
        Entity(
          name: "Quake", key: ["id"],
          attributes: [
            Attribute(name: "id", type: .string, isRequired: true),
            Attribute(name: "time", type: .date(precision: .seconds)),
            Attribute(name: "magnitude", type: .double),
            Attribute(name: "depthKm", type: .double),
            Attribute(name: "tags", type: .json),
          ])
      ]),
      fields: [
        Field("id"), Field("time"), Field("magnitude"), Field("depthKm", from: .path("depth_km")),
        Field("tags"),
      ],
      store: "data/quakes.sqlite")
    var withoutPlaces = pipeline
    withoutPlaces.sourceMap = SourceMap()
    #expect(withoutPlaces == expected)
  }

  @Test func `Every scalar is its text, whatever YAML takes it for`() throws {
    let pipeline = try read(
      """
      bolide: 1
      name: 007
      entity: no
      key: [on, 012]
      author: 1e3
      attributes:
        on: boolean
        012: integer16
        2015-03-01: day
        null: string
        ~: string
        y: { type: string, from: yes, missing: [no, ~, 0x1F, 99999, ""], one-of: [on, off, 1.0] }
        z: { type: string, default: null }
        a: { type: string, default: "null" }
        b: { type: integer16, default: 012 }
      """)
    #expect(pipeline.name == "007")
    #expect(pipeline.author == "1e3")
    #expect(pipeline.entity == "no")
    let entity = try #require(pipeline.model.entity(named: "no"))
    #expect(entity.key == ["on", "012"])
    #expect(entity.attributes.map(\.name) == ["on", "012", "2015-03-01", "null", "~", "y", "z", "a", "b"])
    #expect(pipeline.fields[5].source == .path("yes"))
    #expect(pipeline.fields[5].missing == ["no", "~", "0x1F", "99999", ""])
    #expect(entity.attributes[5].oneOf == [.text("on"), .text("off"), .text("1.0")])
    #expect(entity.attributes[6].defaultValue == .null)
    #expect(entity.attributes[7].defaultValue == .text("null"))
    #expect(entity.attributes[8].defaultValue == .integer(12))
  }

  @Test func `All settings of attributes arrive`() throws {
    let pipeline = try read(
      """
      bolide: 1
      entity: A
      key: id
      merge: update
      keep-text: false
      attributes:
        id: integer64
        price: { type: decimal, scale: 2, min: -0.5, max: +99, default: -.50, description: EUR }
        seen: { type: date, precision: ms, epoch: milliseconds, volatile: true }
        born: { type: day, format: day-first, min: 1900-01-01 }
        at: { type: date, format: month-first }
        since: { type: date, epoch: seconds, default: 2026-05-12T03:14:07Z }
        note: { type: string, max-length: 80, pattern: "[^ ]+", required: true, missing: NA }
        size: { type: integer32, one-of: [1, 2, -3] }
        real: { type: float, default: 0.1 }
        flag: { type: boolean, default: true }
        guid: { type: uuid, default: 6f1c2f0e-8d0b-4f43-9a55-0f2d8f6f7a01 }
        blob: { type: binary, max-length: 10 }
      """)
    let entity = try #require(pipeline.model.entity(named: "A"))
    #expect(!pipeline.keepsText)
    #expect(
      entity.attributes == [
        Attribute(name: "id", type: .integer64, isRequired: true),
        Attribute(
          name: "price", type: .decimal(scale: 2), defaultValue: .integer(-50), minimum: .integer(-50),
          maximum: .integer(9900), description: "EUR"),
        Attribute(
          name: "seen", type: .date(precision: .milliseconds), isVolatile: true, cutsFractions: true),
        Attribute(name: "born", type: .day, minimum: .text("1900-01-01")),
        Attribute(name: "at", type: .date(precision: .seconds)),
        Attribute(
          name: "since", type: .date(precision: .seconds), defaultValue: .text("2026-05-12T03:14:07Z")),
        Attribute(name: "note", type: .string, isRequired: true, maximumLength: 80, pattern: "[^ ]+"),
        Attribute(name: "size", type: .integer32, oneOf: [.integer(1), .integer(2), .integer(-3)]),
        Attribute(name: "real", type: .float, defaultValue: .real(Double(Float(0.1)))),
        Attribute(name: "flag", type: .boolean, defaultValue: .integer(1)),
        Attribute(name: "guid", type: .uuid, defaultValue: .text("6f1c2f0e-8d0b-4f43-9a55-0f2d8f6f7a01")),
        Attribute(name: "blob", type: .binary, maximumLength: 10),
      ])
    let forms: [DateForm?] = [.epochMilliseconds, .dayFirst, .monthFirst, .epochSeconds]
    #expect(pipeline.fields[2...5].map(\.dateForm) == forms)
    #expect(pipeline.fields[6].missing == ["NA"])
  }

  @Test(arguments: [
    ("", RecordLocation.automatic), ("shape: automatic", .automatic), ("shape: columnar", .columnar),
    ("shape: lines", .lines), ("shape: array", .path("")),
    ("records: near_earth_objects/<day>", .path("near_earth_objects/<day>")),
    ("records: photos\nshape: array", .path("photos")),
    ("columns: [id, name]", .rows(names: ["id", "name"])),
    ("shape: rows\ncolumns: id", .rows(names: ["id"])),
  ])
  func `The place of the records`(setting: String, place: RecordLocation) throws {
    let pipeline = try read("bolide: 1\nentity: A\nkey: id\nattributes: { id: string }\n\(setting)")
    #expect(pipeline.records == place)
  }

  @Test(arguments: [
    ("x.sqlite", "data", "data/x.sqlite"), ("../x.sqlite", "/srv/pipelines/", "/srv/pipelines/../x.sqlite"),
    ("../../x.sqlite", "data", "data/../../x.sqlite"),
    ("/var/x.sqlite", "data", "/var/x.sqlite"), ("x.sqlite", "", "x.sqlite"), ("x.sqlite", ".", "x.sqlite"),
  ])
  func `A relative store starts from the file's directory`(store: String, directory: String, path: String)
    throws
  {
    let text = "bolide: 1\nstore: \(store)\nentity: A\nkey: id\nattributes: { id: string }"
    #expect(try Pipeline(yaml: text, file: "p.yaml", directory: directory).store == path)
  }

  @Test(arguments: [
    ("pipelines/quakes.yaml", "quakes"), ("a.b.yml", "a.b"), ("quakes", "quakes"), (".yaml", ".yaml"),
  ])
  func `A pipeline without a name has its file's`(file: String, name: String) throws {
    let text = "bolide: 1\nentity: A\nkey: id\nattributes: { id: string }"
    #expect(try Pipeline(yaml: text, file: file, directory: "").name == name)
  }

  @Test func `An alias stands for what it names`() throws {
    let pipeline = try read(
      """
      bolide: 1
      entity: A
      key: id
      attributes:
        id: string
        lat: &degrees { type: double, min: -180, max: 180 }
        lon: *degrees
      """)
    let entity = try #require(pipeline.model.entity(named: "A"))
    #expect(entity.attribute(named: "lon")?.maximum == .real(180))
  }

  @Test func `Both ends of a relationship may be declared`() throws {
    let pipeline = try read(
      """
      bolide: 1
      entity: A
      key: id
      attributes: { id: string, n: integer16, d: { type: decimal, scale: 3 } }
      relationships:
        owner: { to-one: B, inverse: parts }
        friend: { to-one: A }
      link: { owner: { to: { id: "substr(id, 1, 2)" }, when: always } }
      entities:
        B:
          key: id
          attributes: { id: string, n: { derived: parts.n.@sum }, d: { derived: parts.d.@sum } }
          relationships: { parts: { to-many: A, inverse: owner, on-delete: cascade } }
      """)
    #expect(pipeline.links.first?.timing == .always)
    let (a, b) = (pipeline.model.entities[0], pipeline.model.entities[1])
    #expect(a.relationships.map(\.name) == ["owner", "friend"])
    #expect(a.relationships.map(\.inverse) == ["parts", nil])
    #expect(b.relationships.first?.deleteRule == .cascade)
    #expect(b.attributes.map(\.type) == [.string, .integer64, .decimal(scale: 3)])
  }

  @Test func `Places lead back into the file`() throws {
    let pipeline = try read(
      """
      bolide: 1
      entity: A
      key: id
      attributes:
        id: string
        x: { type: double, value: "a + b" }
      check:
        - x > 1
        - x < 2
      """)
    #expect(pipeline.sourceMap.file == "quakes.yaml")
    #expect(
      pipeline.sourceMap.location(of: ["attributes", "x"]) == PipelineProblem.Location(line: 6, column: 3))
    #expect(
      pipeline.sourceMap.location(of: ["attributes", "x", "value"])
        == PipelineProblem.Location(line: 6, column: 29))
    #expect(
      pipeline.sourceMap.location(of: ["attributes", "x", "min"])
        == PipelineProblem.Location(line: 6, column: 3))
    #expect(pipeline.sourceMap.location(of: ["check", "1"]) == PipelineProblem.Location(line: 9, column: 5))
    #expect(pipeline.sourceMap.location(of: ["author"]) == PipelineProblem.Location(line: 1, column: 1))
  }

  private func read(_ text: String) throws -> Pipeline {
    try Pipeline(yaml: text, file: "quakes.yaml", directory: "data")
  }
}
