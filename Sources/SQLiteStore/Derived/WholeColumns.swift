internal import GRDB
internal import ImportModel
internal import SQLiteAccess

/// Derived attributes that are computed for all objects of their entities at once, with the triggers off.
///
/// Marks would have each object read, written and told to history by itself, which takes twenty times as long.
package final class WholeColumns {
  private let db: Database
  private let numbers: PropertyNumbers
  private let nodes: [DerivedNode]
  /// The attributes whose columns have just been added.
  private let new: Set<Int64>
  /// What is still to be computed, the lowest rank first.
  private var parts: [(rank: Int, compute: () throws -> Void)] = []

  /// - Parameters:
  ///   - properties: the attributes' numbers. What reads one of them is computed too.
  ///   - new: those of them whose columns have just been added.
  init(
    _ db: Database, _ plan: DerivedPlan, _ numbers: PropertyNumbers, computing properties: Set<Int64>,
    new: Set<Int64> = []
  ) throws {
    (self.db, self.numbers, self.new) = (db, numbers, new)
    var nodes: [DerivedNode] = []
    // What comes from the clock comes with the next change.
    for node in plan.nodes where !node.isFromClock {
      if properties.contains(node.property) || nodes.contains(where: node.reads) { nodes.append(node) }
    }
    self.nodes = nodes
    try keepOldValues()
    var scalars: [[DerivedNode]] = []
    for node in nodes where node.isScalar {
      if let index = scalars.firstIndex(where: {
        $0[0].entity.name == node.entity.name && $0[0].rank == node.rank
      }) {
        scalars[index].append(node)
      } else {
        scalars.append([node])
      }
    }
    parts = scalars.map { nodes in (nodes[0].rank, { [unowned self] in try compute(nodes) }) }
    parts += DerivedGroup.all(in: DerivedPlan(nodes: nodes)).map { group in
      (group.rank, { [unowned self] in try compute(group) })
    }
    parts.sort { $0.rank < $1.rank }
  }

  var isEmpty: Bool { nodes.isEmpty }

  /// Computes what has at most a rank and is not computed yet.
  func compute(through rank: Int) throws {
    while let part = parts.first, part.rank <= rank {
      parts.removeFirst()
      try Triggers.silenced(db, part.compute)
    }
  }

  /// Tells history of the objects whose values have changed, of each once.
  func noteHistory() throws {
    for nodes in entities {
      let entity = numbers.entity(nodes[0].entity.name)
      let kept = isKept(nodes) ? Self.oldValues(entity) : nil
      let objects = "\(quoted(nodes[0].entity.name)) AS bolide_object"
      let old =
        kept.map { " JOIN \($0) AS bolide_old ON bolide_old.bolide_id = bolide_object.bolide_id" } ?? ""
      func now(_ node: DerivedNode) -> String { "bolide_object.\(quoted(node.attribute.name))" }
      let last = try db.integer("SELECT \(ChangeNumbers.made)")
      try db.run(
        """
        INSERT INTO bolide_change(entity, kind, first, last)
        SELECT \(entity), 1, bolide_object.bolide_id, bolide_object.bolide_id FROM \(objects)\(old)
        WHERE \(nodes.map { "\(now($0)) IS NOT \(before($0))" }.joined(separator: " OR "))
        ORDER BY bolide_object.bolide_id
        """)
      try db.run(
        """
        WITH bolide_which(property) AS (VALUES \(nodes.map { "(\($0.property))" }.joined(separator: ", ")))
        INSERT INTO bolide_previous(change, property, value)
        SELECT bolide_changed.change, bolide_which.property, \(value(of: nodes, before))
        FROM bolide_change AS bolide_changed
        CROSS JOIN \(objects) ON bolide_object.bolide_id = bolide_changed.first\(old) CROSS JOIN bolide_which
        WHERE bolide_changed.change > \(last) AND \(value(of: nodes, now)) IS NOT \(value(of: nodes, before))
        """)
      if let kept { try db.run("DROP TABLE \(kept)") }
    }
  }

  /// The attributes, by entity.
  private var entities: [[DerivedNode]] {
    Dictionary(grouping: nodes.sorted { $0.property < $1.property }) { numbers.entity($0.entity.name) }
      .sorted { $0.key < $1.key }.map(\.value)
  }

  // MARK: Old values

  private func isKept(_ nodes: [DerivedNode]) -> Bool { !nodes.allSatisfy { new.contains($0.property) } }

  private static func oldValues(_ entity: Int64) -> String { "temp.bolide_old_\(entity)" }

  private func keepOldValues() throws {
    for nodes in entities where isKept(nodes) {
      let table = Self.oldValues(numbers.entity(nodes[0].entity.name))
      let kept = nodes.filter { !new.contains($0.property) }
      let columns = kept.map { "value_\($0.property)" }.joined(separator: ", ")
      try db.run("CREATE TABLE \(table)(bolide_id INTEGER PRIMARY KEY, \(columns))")
      try db.run(
        """
        INSERT INTO \(table) SELECT bolide_id, \(kept.map { quoted($0.attribute.name) }.joined(separator: ", "))
        FROM \(quoted(nodes[0].entity.name))
        """)
    }
  }

  /// A value before, as SQL.
  private func before(_ node: DerivedNode) -> String {
    if !new.contains(node.property) { return "bolide_old.value_\(node.property)" }
    guard node.attribute.isCount || node.attribute.isTotal else { return "NULL" }
    return node.attribute.type.storage == .real ? "0.0" : "0"
  }

  /// The value of the attribute that `property` is the number of, as SQL.
  private func value(of nodes: [DerivedNode], _ value: (DerivedNode) -> String) -> String {
    if nodes.count == 1 { return value(nodes[0]) }
    return
      "CASE bolide_which.property \(nodes.map { "WHEN \($0.property) THEN \(value($0))" }.joined(separator: " ")) END"
  }

  // MARK: Values

  /// Attributes of the objects' own.
  private func compute(_ nodes: [DerivedNode]) throws {
    let values = nodes.compactMap { node in
      node.path.map { (quoted(node.attribute.name), $0.value { "bolide_object.\(quoted($0))" }) }
    }
    let assignments = values.map { "\($0) = \($1)" }.joined(separator: ", ")
    var update = "UPDATE \(quoted(nodes[0].entity.name)) AS bolide_object SET \(assignments)"
    // A row that is written anew costs more than to compute its value twice.
    if isKept(nodes) {
      update += " WHERE " + values.map { "\($0) IS NOT \($1)" }.joined(separator: " OR ")
    }
    try db.run(update)
  }

  /// Aggregates over a relationship: owners and their objects go by side by side.
  private func compute(_ group: DerivedGroup) throws {
    let columns = group.columns
    let owners = try RawStatement(
      db,
      "SELECT bolide_id, \(columns.joined(separator: ", ")) FROM \(quoted(group.owner.name)) ORDER BY bolide_id"
    )
    let values = try AggregateValues(db, group, ofAll: true)
    let write = try RawStatement(db, group.update)
    while try owners.step() {
      let owner = owners.integer(0)
      let computed = try values.next(owner)
      guard columns.indices.contains(where: { owners.value(Int32($0 + 1)) != computed[$0] }) else { continue }
      write.bind(computed)
      write.bind(owner, at: Int32(columns.count + 1))
      try write.run()
    }
  }
}
