import ImportModel
import Testing

/// A change that makes a sound pipeline wrong, and the sentences about it.
struct Mistake: Sendable {
  private let sentences: String
  private let make: @Sendable (inout Pipeline) -> Void

  init(_ sentences: String, make: @escaping @Sendable (inout Pipeline) -> Void) {
    self.sentences = sentences
    self.make = make
  }

  func check() {
    var pipeline = Self.soundPipeline
    make(&pipeline)
    #expect(pipeline.problems().map(\.message).joined(separator: "\n") == sentences)
    #expect(pipeline.problems().allSatisfy { $0.location == nil && $0.file == pipeline.name })
  }

  static let soundPipeline = Pipeline(
    name: "fireballs", entity: "Fireball",
    model: Model(entities: [
      Entity(
        name: "Fireball", key: ["date"],
        attributes: [
          Attribute(name: "date", type: .date(precision: .seconds), isRequired: true),
          Attribute(name: "energy", type: .double),
          Attribute(name: "note", type: .string),
          Attribute(name: "lat", type: .double, isTransient: true),
        ],
        relationships: [
          Relationship(name: "group", kind: .toOne, destination: "Group", inverse: "fireballs")
        ]),
      Entity(
        name: "Group", key: ["year"],
        attributes: [
          Attribute(name: "year", type: .integer16, isRequired: true),
          Attribute(name: "count", type: .integer64, derivation: .count(relationship: "fireballs")),
          Attribute(
            name: "total", type: .double,
            derivation: .sum(relationship: "fireballs", attribute: "energy")),
        ],
        relationships: [
          Relationship(
            name: "fireballs", kind: .toMany, destination: "Fireball", inverse: "group", deleteRule: .cascade)
        ]),
    ]),
    fields: [Field("date"), Field("energy"), Field("note"), Field("lat")],
    links: [Link("group", ownerKey: [Link.KeyPart("year", "strftime('%Y', date)")])])
}

extension Pipeline {
  var fireball: Entity {
    get { model.entities[0] }
    set { model.entities[0] = newValue }
  }

  var group: Entity {
    get { model.entities[1] }
    set { model.entities[1] = newValue }
  }
}

extension Entity {
  subscript(attribute index: Int) -> Attribute {
    get { attributes[index] }
    set { attributes[index] = newValue }
  }
}

func entity(_ name: String) -> Entity {
  Entity(name: name, key: ["id"], attributes: [Attribute(name: "id", type: .string, isRequired: true)])
}

func derived(_ name: String, _ type: AttributeType, _ derivation: Derivation) -> Attribute {
  Attribute(name: name, type: type, derivation: derivation)
}

func toOne(_ name: String, _ destination: String) -> Relationship {
  Relationship(name: name, kind: .toOne, destination: destination)
}
