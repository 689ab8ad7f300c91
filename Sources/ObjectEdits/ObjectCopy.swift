internal import ImportModel
internal import SQLiteAccess
package import StoreInterface
internal import TypedRows

/// Copies objects of another store, in the caller's transaction, with plain SQL as any other program may: the triggers do
/// the rest.
///
/// For each entity a temporary table has the ids of the objects, in the order in which they were found, and those that
/// they have here. Another has their rows, where SQL cannot read them in the source.
package struct ObjectCopy<Target: CopyTarget> {
  private let source: any CopySource
  private let target: Target
  private let from: Model
  private let to: Model
  /// All entities of the source, those of links too: each behind those that its key leads to, and, as far as that goes, behind
  /// all that it leads to.
  private let entities: [Entity]
  private let places: [String: Int]

  package init(_ source: any CopySource, into target: Target) {
    (self.source, self.target) = (source, target)
    (from, to) = (source.model, target.model)
    let byLinks = from.sorted(from.entities, behind: \.toOneRelationships)
    entities = from.sorted(byLinks, behind: \.keyRelationships)
    places = Dictionary(
      entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Copies objects with what they own, and what all these lead to.
  ///
  /// - Returns: what became of them, by entity in the model's order.
  /// - Throws: `StoreError` where this store has no place for them.
  package func run(_ request: ObjectQuery) throws -> [CopyReport.Count] {
    let ids = try source.ids(request)
    guard let first = places[request.entity] else { throw StoreError.noEntity(request.entity, in: from) }
    for index in entities.indices { try begin(index) }
    _ = try target.add(ids, to: copies(first))
    try spread(owning)
    try spread(leading)
    let used = try entities.indices.filter { try count($0, "true") > 0 }
    for index in used { try check(index) }
    for index in used { try read(index) }
    for index in used { try checkValues(index) }
    for index in used { try insert(index) }
    for index in used { try update(index) }
    let counts = try used.map(count)
    for index in entities.indices { try drop(index) }
    let order = from.entities.map(\.name)
    return order.compactMap { name in counts.first { $0.entity == name } }
  }

  private func copies(_ index: Int) -> String { "\(Target.temporary).bolide_copy_\(index)" }

  /// The source's rows of an entity.
  private func rows(_ index: Int) -> String {
    target.source.map { $0 + quoted(entities[index].name) } ?? "\(Target.temporary).bolide_copy_rows_\(index)"
  }

  private func own(_ entity: Entity) -> String { Target.own + quoted(entity.name) }

  private func begin(_ index: Int) throws {
    try drop(index)
    try target.run(
      """
      CREATE TABLE \(copies(index))(place \(Target.places) PRIMARY KEY, id bigint NOT NULL UNIQUE,
      target bigint, is_new boolean NOT NULL DEFAULT false, differs boolean NOT NULL DEFAULT false)
      """)
  }

  private func drop(_ index: Int) throws {
    try target.run("DROP TABLE IF EXISTS \(copies(index))")
    if target.source == nil { try target.run("DROP TABLE IF EXISTS \(rows(index))") }
  }

  // MARK: What goes along

  /// From objects to those that would be deleted with them, and to their many-to-many links.
  private var owning: [CopyStep] {
    entities.flatMap { entity in
      entity.relationships.compactMap { relationship -> CopyStep? in
        guard relationship.kind != .toOne, let many = from.toMany(relationship),
          let holder = places[many.holder.name],
          many.onward != nil || from.deleteRule(of: many.toOne, in: many.holder) == .cascade
        else { return nil }
        return CopyStep(entities[holder], many.toOne, to: entity, isForward: false)
      }
    }
  }

  /// From objects to those that they lead to.
  private var leading: [CopyStep] {
    entities.flatMap { entity in
      entity.toOneRelationships.compactMap { link -> CopyStep? in
        guard let destination = places[link.destination] else { return nil }
        return CopyStep(entity, link, to: entities[destination], isForward: true)
      }
    }
  }

  /// Of so many objects it is asked at a time what they lead to, and so many of these are taken at a time.
  private static var batch: (from: Int, to: Int) { (8192, 65_536) }

  /// Goes all ways from all objects, each once: a circle ends where it began.
  private func spread(_ steps: [CopyStep]) throws {
    var ways: [Int: [(step: CopyStep, end: Int)]] = [:]
    for step in steps {
      let ends = step.isForward ? (step.holder, step.destination) : (step.destination, step.holder)
      guard let start = places[ends.0.name], let end = places[ends.1.name] else { continue }
      ways[start, default: []].append((step, end))
    }
    var done = [Int64](repeating: 0, count: entities.count)
    var waiting = Set(ways.keys)
    while let index = waiting.min() {
      let next = try target.ids(in: copies(index), behind: done[index], limit: Self.batch.from)
      if next.count < Self.batch.from { waiting.remove(index) }
      guard let last = next.last else { continue }
      done[index] = last.place
      for (step, end) in ways[index] ?? [] where try go(step, next.map(\.id), to: end) && ways[end] != nil {
        waiting.insert(end)
      }
    }
  }

  /// - Returns: whether a step leads to an object that was not found before.
  private func go(_ step: CopyStep, _ ids: [Int64], to end: Int) throws -> Bool {
    var (last, isNew) = (Int64.min, false)
    while true {
      let found = try source.ids(step, from: ids, behind: last, limit: Self.batch.to)
      if try target.add(found, to: copies(end)) { isNew = true }
      guard found.count == Self.batch.to, let id = found.last else { return isNew }
      last = id
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
    }
    for relationship in entity.toOneRelationships {
      let own = here.toOneRelationships.first { $0.name == relationship.name }
      guard own?.destination == relationship.destination else {
        throw StoreError.copyLacks(relationship.name, of: entity)
      }
    }
  }

  /// Sees that what is copied keeps the rules that this store has for attributes.
  private func checkValues(_ index: Int) throws {
    guard let here = to.entity(named: entities[index].name) else { return }
    let conversion = ValueConversion(here, in: to)
    for attribute in entities[index].writableAttributes {
      guard let own = here.attribute(named: attribute.name), own != attribute else { continue }
      do {
        try target.eachValue(
          of: own, "s.\(quoted(own.name))",
          in: "\(copies(index)) AS c JOIN \(rows(index)) AS s ON s.bolide_id = c.id"
        ) { value in
          _ = try conversion.stored(value, of: own.name, isJSON: target.isJSON)
        }
      } catch let reason as RejectionReason {
        throw StoreError.copyBreaksRule(here, reason.message)
      }
    }
  }

  // MARK: Rows

  /// Takes rows over from the source.
  private func read(_ index: Int) throws {
    guard target.source == nil else { return }
    let entity = entities[index]
    let columns = entity.copiedColumns.map { ", \(quoted($0.name)) \(target.column($0.type))" }
    try target.run(
      "CREATE TABLE \(rows(index))(bolide_id \(target.column(nil)) PRIMARY KEY\(columns.joined()))")
    var place: Int64 = 0
    while true {
      let next = try target.ids(in: copies(index), behind: place, limit: Self.rowBatch)
      guard let last = next.last else { break }
      try target.write(source.rows(next.map(\.id), of: entity), of: entity, to: rows(index))
      place = last.place
    }
    try target.analyze(copies(index))
    try target.analyze(rows(index))
  }

  /// So many rows are in memory at a time.
  private static var rowBatch: Int { 2048 }

  /// An entity's columns as SQL: what they are here, of a row `s` of the source.
  private struct Columns {
    /// The attributes, each by its name in quotes.
    var attributes: [(column: String, type: AttributeType?)] = []
    /// The relationships' columns, and what has the ids that they have here.
    var links: [(relationship: Relationship, column: String, value: String)] = []
    /// Joins what has these.
    var joins = ""
  }

  private func columns(_ entity: Entity) -> Columns {
    var columns = Columns()
    columns.attributes = entity.writableAttributes.map { (quoted($0.name), $0.type) }
    for (number, relationship) in entity.toOneRelationships.enumerated() {
      guard let other = places[relationship.destination] else { continue }
      let column = quoted(relationship.column)
      columns.links.append((relationship, column, "m\(number).target"))
      columns.joins += " LEFT JOIN \(copies(other)) AS m\(number) ON m\(number).id = s.\(column)"
    }
    return columns
  }

  /// Finds the objects that are here by their keys, and inserts the others.
  private func insert(_ index: Int) throws {
    let (entity, columns) = (entities[index], columns(entities[index]))
    let (copies, source, own) = (copies(index), rows(index), own(entity))
    // Nothing of a key is null.
    let key: String = entity.keyColumns.map { name -> String in
      let link = columns.links.first { $0.relationship.column == name }
      return "t.\(quoted(name)) = \(link?.value ?? "s.\(quoted(name))")"
    }.joined(separator: " AND ")
    let find = """
      UPDATE \(copies) AS c SET target = (SELECT t.bolide_id FROM \(source) AS s\(columns.joins)
      JOIN \(own) AS t ON \(key) WHERE s.bolide_id = c.id) WHERE c.target IS NULL
      """
    try target.run(find)
    try target.run("UPDATE \(copies) SET is_new = true WHERE target IS NULL")
    try target.analyze(copies)
    // Who leads to an object alone is made to do so when all others have let go.
    let links = columns.links.filter {
      entity.key.contains($0.relationship.name) || !to.isOneToOne($0.relationship)
    }
    let names = (columns.attributes.map(\.column) + links.map(\.column)).joined(separator: ", ")
    let values = (columns.attributes.map { "s.\($0.column)" } + links.map(\.value)).joined(separator: ", ")
    try target.writing(entity) {
      try target.run(
        """
        INSERT INTO \(own)(\(names)) SELECT \(values) FROM \(copies) AS c
        JOIN \(source) AS s ON s.bolide_id = c.id\(columns.joins) WHERE c.is_new ORDER BY c.place
        """)
    }
    try target.run(find)
    try target.analyze(copies)
  }

  /// Gives the objects the source's values and links, where they have others.
  private func update(_ index: Int) throws {
    let (entity, columns) = (entities[index], columns(entities[index]))
    let (copies, own) = (copies(index), own(entity))
    let source = "\(rows(index)) AS s ON s.bolide_id = c.id\(columns.joins)"
    let pairs: [(column: String, type: AttributeType?, value: String)] =
      columns.attributes.map { ($0.column, $0.type, "s.\($0.column)") }
      + columns.links.map { ($0.column, nil, $0.value) }
    let others = pairs.filter { pair in !entity.keyColumns.contains { quoted($0) == pair.column } }
    guard !others.isEmpty else { return }
    let assignments: String = others.map { "\($0.column) = \($0.value)" }.joined(separator: ", ")
    let differs: String = others.map { target.differs($0.type, "t.\($0.column)", $0.value) }
      .joined(separator: " OR ")
    try target.run(
      """
      UPDATE \(copies) SET differs = true WHERE place IN (SELECT c.place FROM \(copies) AS c
      JOIN \(own) AS t ON t.bolide_id = c.target JOIN \(source) WHERE \(differs))
      """)
    try target.analyze(copies)
    for link in columns.links
    where to.isOneToOne(link.relationship) && !entity.key.contains(link.relationship.name) {
      let ends =
        "FROM \(copies) AS c JOIN \(own) AS o ON o.bolide_id = c.target JOIN \(source) WHERE c.differs"
      let isOther = target.differs(nil, "o.\(link.column)", link.value)
      try target.writing(entity) {
        try target.run(
          """
          UPDATE \(own) AS t SET \(link.column) = NULL WHERE t.\(link.column) IS NOT NULL
          AND (t.bolide_id IN (SELECT o.bolide_id \(ends) AND \(isOther))
          OR t.bolide_id NOT IN (SELECT target FROM \(copies)) AND t.\(link.column) IN (SELECT \(link.value) \(ends)))
          """)
      }
    }
    try target.writing(entity) {
      try target.run(
        """
        UPDATE \(own) AS t SET \(assignments)
        FROM \(copies) AS c JOIN \(source) WHERE t.bolide_id = c.target AND c.differs
        """)
    }
  }

  private func count(_ index: Int, _ condition: String) throws -> Int {
    Int(try target.number("SELECT count(*) FROM \(copies(index)) WHERE \(condition)"))
  }

  private func count(_ index: Int) throws -> CopyReport.Count {
    CopyReport.Count(
      entity: entities[index].name, inserted: try count(index, "is_new"),
      updated: try count(index, "differs AND NOT is_new"),
      unchanged: try count(index, "NOT differs AND NOT is_new"))
  }
}
