import ImportModel

@testable import SQLiteStore

/// Nodes that lead to each other in circles, with parts of their own, children, mates, tags and an owner.
enum Graph {
  static let pipeline: Pipeline = {
    let node = Entity(
      name: "Node", key: ["code"],
      attributes: [
        Attribute(name: "code", type: .string, isRequired: true),
        Attribute(name: "size", type: .integer64),
        Attribute(name: "price", type: .decimal(scale: 2)),
        Attribute(name: "partCount", type: .integer64, derivation: .count(relationship: "parts")),
      ],
      relationships: [
        Relationship(name: "next", kind: .toOne, destination: "Node"),
        Relationship(name: "parent", kind: .toOne, destination: "Node", inverse: "children"),
        Relationship(
          name: "children", kind: .toMany, destination: "Node", inverse: "parent", deleteRule: .cascade),
        Relationship(name: "mate", kind: .toOne, destination: "Node", inverse: "mateOf"),
        Relationship(name: "mateOf", kind: .hasOne, destination: "Node", inverse: "mate"),
        Relationship(name: "owner", kind: .toOne, destination: "Owner", inverse: "nodes"),
        Relationship(
          name: "parts", kind: .toMany, destination: "Part", inverse: "node", deleteRule: .cascade),
        Relationship(name: "tags", kind: .toMany, destination: "Tag", inverse: "nodes"),
      ])
    let part = Entity(
      name: "Part", key: ["node", "number"],
      attributes: [
        Attribute(name: "number", type: .integer64, isRequired: true), Attribute(name: "text", type: .string),
      ],
      relationships: [Relationship(name: "node", kind: .toOne, destination: "Node", inverse: "parts")])
    let owner = Entity(
      name: "Owner", key: ["name"],
      attributes: [
        Attribute(name: "name", type: .string, isRequired: true),
        Attribute(
          name: "total", type: .integer64, derivation: .sum(relationship: "nodes", attribute: "size")),
      ],
      relationships: [Relationship(name: "nodes", kind: .toMany, destination: "Node", inverse: "owner")])
    let tag = Entity(
      name: "Tag", key: ["word"], attributes: [Attribute(name: "word", type: .string, isRequired: true)],
      relationships: [Relationship(name: "nodes", kind: .toMany, destination: "Node", inverse: "tags")])
    var pipeline = Pipeline(
      name: "graph", entity: "Node", model: Model(entities: [node, part, owner, tag]),
      fields: ["code", "size", "price"].map { Field($0) })
    pipeline.children = [Children("parts", records: "parts", fields: [Field("number"), Field("text")])]
    return pipeline
  }()

  /// Fills a store by another program: with some of twelve nodes, so that two stores have some in common.
  static func fill(_ temporary: TemporaryStore, _ dice: inout Dice) throws {
    var sql = "BEGIN; PRAGMA foreign_keys = OFF;"
    var codes = Array(1...12).shuffled(using: &dice).prefix(dice.int(3...9)).map { "n\($0)" }
    let (owners, tags) = (["o1", "o2", "o3"], ["t1", "t2", "t3"])
    for name in owners.shuffled(using: &dice) { sql += "INSERT INTO Owner(name) VALUES ('\(name)');" }
    for word in tags.shuffled(using: &dice) { sql += "INSERT INTO Tag(word) VALUES ('\(word)');" }
    for code in codes {
      sql += "INSERT INTO Node(code, size, price) VALUES ('\(code)', \(dice.int(0...3)), \(dice.int(0...3)));"
    }
    func id(_ code: String) -> String { "(SELECT bolide_id FROM Node WHERE code = '\(code)')" }
    for code in codes {
      for link in ["next", "parent"] where dice.once(in: 2) {
        sql += "UPDATE Node SET \(link)_id = \(id(dice.pick(codes))) WHERE code = '\(code)';"
      }
      let owner = dice.pick(owners)
      sql +=
        "UPDATE Node SET owner_id = (SELECT bolide_id FROM Owner WHERE name = '\(owner)') WHERE code = '\(code)';"
      for number in 0..<dice.int(0...2) {
        sql +=
          "INSERT INTO Part(node_id, number, text) VALUES (\(id(code)), \(number), '\(dice.int(0...2))');"
      }
      for word in tags where dice.once(in: 3) {
        sql +=
          "INSERT INTO Node_tags(nodes_id, tags_id) SELECT \(id(code)), bolide_id FROM Tag WHERE word = '\(word)';"
      }
    }
    codes.shuffle(using: &dice)
    for (code, mate) in zip(codes, codes.shuffled(using: &dice)) where dice.once(in: 2) {
      sql += "UPDATE Node SET mate_id = \(id(mate)) WHERE code = '\(code)';"
    }
    try temporary.shell(sql + "COMMIT;")
  }

  /// A store's objects by their keys, with their values, and links as the others' keys.
  struct State: Equatable {
    var objects: [String: [String: Value]] = [:]
    var tags: Set<[String]> = []
  }

  static func state(_ store: SQLiteEngine) throws -> State {
    var state = State()
    func key(_ value: Value) -> String {
      switch value {
      case .text(let text): text
      case .integer(let number): "\(number)"
      default: ""
      }
    }
    for row in try store.rows(
      """
      SELECT n.code, n.size, n.price, x.code, p.code, m.code, o.name FROM Node AS n
      LEFT JOIN Node AS x ON x.bolide_id = n.next_id LEFT JOIN Node AS p ON p.bolide_id = n.parent_id
      LEFT JOIN Node AS m ON m.bolide_id = n.mate_id LEFT JOIN Owner AS o ON o.bolide_id = n.owner_id
      """)
    {
      state.objects["Node " + key(row[0])] = [
        "size": row[1], "price": row[2], "next": row[3], "parent": row[4], "mate": row[5], "owner": row[6],
      ]
    }
    for row in try store.rows("SELECT n.code, number, text FROM Part JOIN Node AS n ON n.bolide_id = node_id")
    {
      state.objects["Part \(key(row[0]))/\(key(row[1]))"] = ["node": row[0], "text": row[2]]
    }
    for row in try store.rows("SELECT name FROM Owner") { state.objects["Owner " + key(row[0])] = [:] }
    for row in try store.rows("SELECT word FROM Tag") { state.objects["Tag " + key(row[0])] = [:] }
    state.tags = Set(
      try store.rows(
        """
        SELECT code, word FROM Node_tags JOIN Node AS n ON n.bolide_id = nodes_id
        JOIN Tag AS t ON t.bolide_id = tags_id
        """
      ).map { $0.map(key) })
    return state
  }
}
