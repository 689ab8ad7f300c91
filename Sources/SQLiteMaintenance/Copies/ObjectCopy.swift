internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import SQLiteStore
internal import StoreInterface
internal import TypedRows

/// Copies objects of an attached store, in the caller's transaction, with plain SQL as any other program may: the triggers do
/// the rest.
///
/// For each entity a temporary table has the ids of the objects, in the order in which they were found, and those that
/// they have here.
struct ObjectCopy {
  /// What SQL calls the attached file.
  static let source = "bolide_source"

  private let db: Database
  private let from: Model
  private let to: Model
  /// All entities of the source, those of links too: each behind those that its key leads to, and, as far as that goes, behind
  /// all that it leads to.
  private let entities: [Entity]
  private let places: [String: Int]

  /// - Parameters:
  ///   - from: the source's model, as it is stored: with the entities of many-to-many links.
  ///   - to: this store's.
  init(_ db: Database, from: Model, to: Model) {
    self.db = db
    (self.from, self.to) = (from, to)
    let byLinks = from.sorted(from.entities, behind: \.toOneRelationships)
    entities = from.sorted(byLinks, behind: \.keyRelationships)
    places = Dictionary(
      entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Copies objects with what they own, and what all these lead to.
  ///
  /// - Returns: what became of them, by entity in the model's order.
  /// - Throws: `StoreError` where this store has no place for them.
  func run(_ ids: [Int64], of entity: String) throws -> [CopyReport.Count] {
    try begin()
    try add(ids, of: entity)
    try spread(owning)
    try spread(leading)
    let used = try entities.indices.filter { try db.integer("SELECT max(place) FROM \(table($0))") > 0 }
    for index in used { try check(index) }
    for index in used { try insert(index) }
    for index in used { try update(index) }
    let counts = try used.map(count)
    for index in entities.indices { try db.run("DROP TABLE \(table(index))") }
    let order = from.entities.map(\.name)
    return order.compactMap { name in counts.first { $0.entity == name } }
  }

  private func table(_ index: Int) -> String { "temp.bolide_copy_\(index)" }

  private func sourceTable(_ entity: Entity) -> String { "\(Self.source).\(quoted(entity.name))" }

  private func begin() throws {
    for index in entities.indices {
      try db.run("DROP TABLE IF EXISTS \(table(index))")
      try db.run(
        """
        CREATE TABLE \(table(index))(place INTEGER PRIMARY KEY, id INTEGER NOT NULL UNIQUE, target INTEGER,
        is_new INTEGER NOT NULL DEFAULT 0, differs INTEGER NOT NULL DEFAULT 0)
        """)
    }
  }

  private func add(_ ids: [Int64], of entity: String) throws {
    guard let index = places[entity] else { throw StoreError.noEntity(entity, in: from) }
    let add = try RawStatement(db, "INSERT INTO \(table(index))(id) VALUES (?)")
    for id in ids {
      add.bind(id, at: 1)
      try add.run()
      add.reset()
    }
  }

  // MARK: What goes along

  /// A way from objects of one entity to those of another.
  private struct Step {
    let from: Int
    let to: Int
    /// The ids of the others, of the objects at the places behind ?1 up to ?2.
    let ids: String
  }

  /// From objects to those that would be deleted with them, and to their many-to-many links.
  private var owning: [Step] {
    entities.enumerated().flatMap { index, entity in
      entity.relationships.compactMap { relationship -> Step? in
        guard relationship.kind != .toOne, let many = from.toMany(relationship),
          let other = places[many.holder.name],
          many.onward != nil || from.deleteRule(of: many.toOne, in: many.holder) == .cascade
        else { return nil }
        return Step(
          from: index, to: other,
          ids: """
            SELECT o.bolide_id FROM \(table(index)) AS c
            JOIN \(sourceTable(many.holder)) AS o ON o.\(quoted(many.toOne.column)) = c.id
            """)
      }
    }
  }

  /// From objects to those that they lead to.
  private var leading: [Step] {
    entities.enumerated().flatMap { index, entity in
      entity.toOneRelationships.compactMap { relationship -> Step? in
        guard let other = places[relationship.destination] else { return nil }
        return Step(
          from: index, to: other,
          ids: """
            SELECT o.bolide_id FROM \(table(index)) AS c JOIN \(sourceTable(entity)) AS s ON s.bolide_id = c.id
            JOIN \(sourceTable(entities[other])) AS o ON o.bolide_id = s.\(quoted(relationship.column))
            """)
      }
    }
  }

  /// Goes all ways from all objects, each once: a circle ends where it began.
  private func spread(_ steps: [Step]) throws {
    let adds = try steps.map { step in
      try RawStatement(
        db, "INSERT OR IGNORE INTO \(table(step.to))(id) \(step.ids) WHERE c.place > ?1 AND c.place <= ?2")
    }
    let ends = try entities.indices.map {
      try RawStatement(db, "SELECT ifnull(max(place), 0) FROM \(table($0))")
    }
    var done = [Int64](repeating: 0, count: entities.count)
    while true {
      let reached = try ends.map { end in
        defer { end.reset() }
        return try end.step() ? end.integer(0) : 0
      }
      if reached == done { return }
      for (step, add) in zip(steps, adds) where reached[step.from] > done[step.from] {
        add.bind(done[step.from], at: 1)
        add.bind(reached[step.from], at: 2)
        try add.run()
        add.reset()
      }
      done = reached
    }
  }

  // MARK: What the store has a place for

  private func check(_ index: Int) throws {
    let entity = entities[index]
    guard let here = to.entity(named: entity.name) else { throw StoreError.copyLacks(entity) }
    guard here.key == entity.key else { throw StoreError.copyHasOtherKey(entity) }
    for attribute in entity.writableAttributes {
      guard let own = here.writableAttributes.first(where: { $0.name == attribute.name }) else {
        throw StoreError.copyLacks(attribute.name, of: entity)
      }
      guard own.type == attribute.type else {
        throw StoreError.copyHasOtherType(own, than: attribute.type, of: entity)
      }
      if own != attribute { try checkValues(index, of: own, in: here) }
    }
    for relationship in entity.toOneRelationships {
      let own = here.toOneRelationships.first { $0.name == relationship.name }
      guard own?.destination == relationship.destination else {
        throw StoreError.copyLacks(relationship.name, of: entity)
      }
    }
  }

  /// Sees that what is copied keeps the rules that this store has for an attribute.
  private func checkValues(_ index: Int, of attribute: Attribute, in here: Entity) throws {
    let conversion = ValueConversion(here, in: to)
    let values = try RawStatement(
      db,
      """
      SELECT DISTINCT s.\(quoted(attribute.name)) FROM \(table(index)) AS c
      JOIN \(sourceTable(entities[index])) AS s ON s.bolide_id = c.id
      """)
    do {
      while try values.step() {
        _ = try conversion.stored(values.value(0), of: attribute.name) {
          try db.value("SELECT json_valid(?)", .text($0)) == .integer(1)
        }
      }
    } catch let reason as RejectionReason {
      throw StoreError.copyBreaksRule(here, reason.message)
    }
  }

  // MARK: Rows

  /// An entity's columns as SQL: what they are here, of a row `s` of the source.
  private struct Columns {
    /// The attributes, each by its name in quotes.
    var attributes: [String] = []
    /// The relationships' columns, and what has the ids that they have here.
    var links: [(relationship: Relationship, column: String, value: String)] = []
    /// Joins what has these.
    var joins = ""
  }

  private func columns(_ entity: Entity) -> Columns {
    var columns = Columns()
    columns.attributes = entity.writableAttributes.map { quoted($0.name) }
    for (number, relationship) in entity.toOneRelationships.enumerated() {
      guard let other = places[relationship.destination] else { continue }
      let column = quoted(relationship.column)
      columns.links.append((relationship, column, "m\(number).target"))
      columns.joins += " LEFT JOIN \(table(other)) AS m\(number) ON m\(number).id = s.\(column)"
    }
    return columns
  }

  /// Finds the objects that are here by their keys, and inserts the others.
  private func insert(_ index: Int) throws {
    let (entity, columns) = (entities[index], columns(entities[index]))
    let (copies, source, own) = (table(index), sourceTable(entity), "main.\(quoted(entity.name))")
    let key: String = entity.keyColumns.map { name -> String in
      let link = columns.links.first { $0.relationship.column == name }
      return "t.\(quoted(name)) IS \(link?.value ?? "s.\(quoted(name))")"
    }.joined(separator: " AND ")
    let find = """
      UPDATE \(copies) AS c SET target = (SELECT t.bolide_id FROM \(source) AS s\(columns.joins)
      JOIN \(own) AS t ON \(key) WHERE s.bolide_id = c.id) WHERE target IS NULL
      """
    try db.run(find)
    try db.run("UPDATE \(copies) SET is_new = 1 WHERE target IS NULL")
    // Who leads to an object alone is made to do so when all others have let go.
    let links = columns.links.filter {
      entity.key.contains($0.relationship.name) || !to.isOneToOne($0.relationship)
    }
    let names = (columns.attributes + links.map(\.column)).joined(separator: ", ")
    let values = (columns.attributes.map { "s.\($0)" } + links.map(\.value)).joined(separator: ", ")
    try write(entity) {
      try db.run(
        """
        INSERT INTO \(own)(\(names)) SELECT \(values) FROM \(copies) AS c
        JOIN \(source) AS s ON s.bolide_id = c.id\(columns.joins) WHERE c.is_new ORDER BY c.place
        """)
    }
    try db.run(find)
  }

  /// Gives the objects the source's values and links, where they have others.
  private func update(_ index: Int) throws {
    let (entity, columns) = (entities[index], columns(entities[index]))
    let (copies, own) = (table(index), "main.\(quoted(entity.name))")
    let source = "\(sourceTable(entity)) AS s ON s.bolide_id = c.id\(columns.joins)"
    let pairs =
      columns.attributes.map { ($0, "s.\($0)") } + columns.links.map { ($0.column, $0.value) }
    let others = pairs.filter { pair in !entity.keyColumns.contains { quoted($0) == pair.0 } }
    guard !others.isEmpty else { return }
    let assignments: String = others.map { "\($0.0) = \($0.1)" }.joined(separator: ", ")
    let differs: String = others.map { "t.\($0.0) IS NOT \($0.1)" }.joined(separator: " OR ")
    try db.run(
      """
      UPDATE \(copies) SET differs = 1 WHERE place IN (SELECT c.place FROM \(copies) AS c
      JOIN \(own) AS t ON t.bolide_id = c.target JOIN \(source) WHERE \(differs))
      """)
    for link in columns.links
    where to.isOneToOne(link.relationship) && !entity.key.contains(link.relationship.name) {
      let ends =
        "FROM \(copies) AS c JOIN \(own) AS o ON o.bolide_id = c.target JOIN \(source) WHERE c.differs"
      try write(entity) {
        try db.run(
          """
          UPDATE \(own) AS t SET \(link.column) = NULL WHERE t.\(link.column) IS NOT NULL
          AND (t.bolide_id IN (SELECT o.bolide_id \(ends) AND o.\(link.column) IS NOT \(link.value))
          OR t.bolide_id NOT IN (SELECT target FROM \(copies)) AND t.\(link.column) IN (SELECT \(link.value) \(ends)))
          """)
      }
    }
    try write(entity) {
      try db.run(
        """
        UPDATE \(own) AS t SET \(assignments)
        FROM \(copies) AS c JOIN \(source) WHERE t.bolide_id = c.target AND c.differs
        """)
    }
  }

  /// Writes rows of an entity, under the rules of its columns.
  private func write(_ entity: Entity, _ body: () throws -> Void) throws {
    let result = Result {
      try db.run("PRAGMA ignore_check_constraints = OFF")
      try db.naming(fullIDsOf: entity.name, body)
    }
    try Connection.ignoreChecks(db)
    do {
      try result.get()
    } catch let error as StoreError where error.code == .constraint {
      throw StoreError.copyBreaksRule(entity, error.engineText ?? error.reason)
    }
  }

  private func count(_ index: Int) throws -> CopyReport.Count {
    func number(_ condition: String) throws -> Int {
      Int(try db.integer("SELECT count(*) FROM \(table(index)) WHERE \(condition)"))
    }
    return CopyReport.Count(
      entity: entities[index].name, inserted: try number("is_new"),
      updated: try number("differs AND NOT is_new"), unchanged: try number("NOT differs AND NOT is_new"))
  }
}

extension Model {
  /// Entities, each behind those that it leads to by some relationships, as far as these do not lead in a circle.
  fileprivate func sorted(_ entities: [Entity], behind links: (Entity) -> [Relationship]) -> [Entity] {
    var (order, seen): ([Entity], Set<String>) = ([], [])
    func visit(_ entity: Entity) {
      guard seen.insert(entity.name).inserted else { return }
      links(entity).compactMap { self.entity(named: $0.destination) }.forEach(visit)
      order.append(entity)
    }
    entities.forEach(visit)
    return order
  }
}
