import ImportModel

@testable import SQLiteStore

/// Quakes in groups in countries: two to-one hops, and names that are words of SQL.
enum Geography {
  static let pipeline: Pipeline = {
    let quake = Entity(
      name: "Quake", key: ["id"],
      attributes: [
        Attribute(name: "id", type: .string, isRequired: true),
        Attribute(name: "magnitude", type: .double),
        Attribute(name: "depth", type: .integer64),
        Attribute(name: "order", type: .string),
        Attribute(name: "end", type: .integer64),
        Attribute(name: "cost", type: .decimal(scale: 2)),
        Attribute(name: "felt", type: .boolean),
        Attribute(name: "raw", type: .binary),
        Attribute(name: "lat", type: .double, isTransient: true),
      ],
      relationships: [
        Relationship(name: "group", kind: .toOne, destination: "Group", inverse: "quakes"),
        Relationship(name: "previous", kind: .toOne, destination: "Quake"),
      ])
    let group = Entity(
      name: "Group", key: ["code"],
      attributes: [
        Attribute(name: "code", type: .string, isRequired: true),
        Attribute(name: "size", type: .integer64),
        Attribute(name: "quakeCount", type: .integer64, derivation: .count(relationship: "quakes")),
      ],
      relationships: [
        Relationship(name: "country", kind: .toOne, destination: "Country"),
        Relationship(name: "quakes", kind: .toMany, destination: "Quake", inverse: "group"),
      ])
    let country = Entity(
      name: "Country", key: ["name"],
      attributes: [
        Attribute(name: "name", type: .string, isRequired: true),
        Attribute(name: "from", type: .integer64),
      ])
    return Pipeline(
      name: "geography", entity: "Quake", model: Model(entities: [quake, group, country]),
      fields: quake.attributes.map { Field($0.name) })
  }()

  /// A small world, as another program would write it.
  static let rows = """
    INSERT INTO Country(bolide_id, name, "from") VALUES (1, 'Chile', 1818), (2, 'Japan', -660);
    INSERT INTO "Group"(bolide_id, code, size, country_id) VALUES (1, 'a', 10, 1), (2, 'b', 20, 2), (3, 'c', NULL, NULL);
    INSERT INTO Quake(bolide_id, id, magnitude, depth, "order", "end", cost, felt, raw, group_id, previous_id) VALUES
      (1, 'one', 5.5, 10, 'x', 1, 1250, 1, x'0001', 1, NULL), (2, 'two', 6.5, 20, 'y', 2, -5, 0, NULL, 2, 1),
      (3, 'three', NULL, 30, NULL, 3, NULL, NULL, NULL, 3, 2), (4, 'four', 7.25, NULL, 'x', NULL, 0, 1, x'', NULL, 2);
    """

  /// A store with the small world in it.
  static func store(_ temporary: TemporaryStore) throws -> SQLiteEngine {
    let store = try temporary.open(pipeline)
    try temporary.shell(rows)
    return store
  }
}
