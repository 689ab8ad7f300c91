import ImportModel

@testable import SQLiteStore
@testable import TypedRows

/// The model that most tests use: quakes in regions, which count and sum them.
enum Quakes {
  static let attributes = [
    Attribute(name: "id", type: .string, isRequired: true),
    Attribute(name: "place", type: .string),
    Attribute(name: "magnitude", type: .double),
    Attribute(name: "depth", type: .integer64),
    Attribute(name: "cost", type: .decimal(scale: 2)),
    Attribute(name: "kind", type: .string, defaultValue: "quake"),
    Attribute(name: "seen", type: .integer64, isVolatile: true),
  ]

  static let regionAttributes = [
    Attribute(name: "code", type: .string, isRequired: true),
    Attribute(name: "quakeCount", type: .integer64, derivation: .count(relationship: "quakes")),
    Attribute(
      name: "magnitudes", type: .double, derivation: .sum(relationship: "quakes", attribute: "magnitude")),
    Attribute(name: "depths", type: .integer64, derivation: .sum(relationship: "quakes", attribute: "depth")),
    Attribute(
      name: "costs", type: .decimal(scale: 2), derivation: .sum(relationship: "quakes", attribute: "cost")),
  ]

  /// The pipeline; `change` alters it before use.
  static func pipeline(
    when timing: Link.Timing = .insert, rule: Relationship.DeleteRule = .nullify,
    change: (inout Pipeline) -> Void = { _ in }
  ) -> Pipeline {
    let quake = Entity(
      name: "Quake", key: ["id"], attributes: attributes,
      relationships: [Relationship(name: "region", kind: .toOne, destination: "Region", inverse: "quakes")])
    let region = Entity(
      name: "Region", key: ["code"], attributes: regionAttributes,
      relationships: [
        Relationship(
          name: "quakes", kind: .toMany, destination: "Quake", inverse: "region", deleteRule: rule)
      ])
    var pipeline = Pipeline(
      name: "quakes", entity: "Quake", model: Model(entities: [quake, region]),
      fields: attributes.map { Field($0.name) },
      links: [Link("region", ownerKey: [Link.KeyPart("code", "place")], when: timing)])
    change(&pipeline)
    return pipeline
  }

  /// The derived columns of the regions that differ from what their quakes give; none when all is true.
  ///
  /// Real sums are compared within rounding here; see the tests of exact sums.
  static let untrue = """
    SELECT r.code FROM Region AS r LEFT JOIN Quake AS q ON q.region_id = r.bolide_id GROUP BY r.bolide_id
    HAVING r.quakeCount IS NOT count(q.bolide_id) OR r.depths IS NOT ifnull(sum(q.depth), 0)
      OR r.costs IS NOT ifnull(sum(q.cost), 0) OR abs(r.magnitudes - total(q.magnitude)) > 1e-6
    """
}

/// A pipeline of one entity without links, keyed by its first attribute unless said otherwise.
func plainPipeline(_ attributes: [Attribute], key: [String] = []) -> Pipeline {
  let names = key.isEmpty ? attributes.prefix(1).map(\.name) : key
  let entity = Entity(name: "Thing", key: names, attributes: attributes)
  return Pipeline(
    name: "things", entity: "Thing", model: Model(entities: [entity]),
    fields: attributes.map { Field($0.name) })
}

/// An empty chunk of a pipeline.
func chunk(_ pipeline: Pipeline) -> Chunk {
  Chunk(layout: ChunkLayout(pipeline, model: pipeline.model))
}

extension Pipeline {
  /// The entity of that name, to be altered.
  subscript(entity name: String) -> Entity {
    get { model.entities.first { $0.name == name } ?? Entity(name: "", key: [], attributes: []) }
    set {
      for index in model.entities.indices where model.entities[index].name == name {
        model.entities[index] = newValue
      }
    }
  }
}

extension Entity {
  /// The attribute of that name, to be altered.
  subscript(name: String) -> Attribute {
    get { attributes.first { $0.name == name } ?? Attribute(name: "", type: .string) }
    set {
      for index in attributes.indices where attributes[index].name == name { attributes[index] = newValue }
    }
  }
}

/// Writes derived attributes as only Bolide's own triggers do; what another program writes is put right.
func derivedly(_ sql: String) -> String {
  "INSERT INTO bolide_deriving(entity, object) VALUES (0, 0); \(sql); DELETE FROM bolide_deriving;"
}
