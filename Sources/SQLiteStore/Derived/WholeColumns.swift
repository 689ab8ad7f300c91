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
  ///   - new: those of them that the model has not had before.
  ///   - filled: those of these whose columns have the values of all objects but the marked ones.
  convenience init(
    _ db: Database, _ plan: DerivedPlan, _ numbers: PropertyNumbers, computing properties: Set<Int64>,
    new: Set<Int64>, filled: Set<Int64>
  ) throws {
    var nodes: [DerivedNode] = []
    // What comes from the clock comes with the next change.
    for node in plan.nodes where !node.isFromClock {
      if properties.contains(node.property) || nodes.contains(where: node.reads) { nodes.append(node) }
    }
    try self.init(db, nodes, numbers, new: new, filled: filled)
  }

  /// - Parameter ids: the objects that are computed; nil for all.
  init(
    _ db: Database, _ nodes: [DerivedNode], _ numbers: PropertyNumbers, new: Set<Int64>,
    filled: Set<Int64> = [], in ids: ClosedRange<Int64>? = nil
  ) throws {
    (self.db, self.nodes, self.numbers, self.new) = (db, nodes, numbers, new)
    try keepOldValues()
    let range = ids ?? .min ... .max
    let isInRange: Selection = { "\($0) BETWEEN \(range.lowerBound) AND \(range.upperBound)" }
    add(nodes.filter { !filled.contains($0.property) }) { _ in isInRange }
    add(nodes.filter { filled.contains($0.property) }) { nodes in
      { "\($0) IN (\(DerivedStep.marked(nodes)))" }
    }
    parts.sort { $0.rank < $1.rank }
  }

  /// Which objects are computed, as SQL over the column of their ids.
  private typealias Selection = (_ column: String) -> String

  private func add(_ nodes: [DerivedNode], _ selection: ([DerivedNode]) -> Selection) {
    var scalars: [[DerivedNode]] = []
    for node in nodes where node.wholeValue != nil {
      if let index = scalars.firstIndex(where: {
        $0[0].entity.name == node.entity.name && $0[0].rank == node.rank
      }) {
        scalars[index].append(node)
      } else {
        scalars.append([node])
      }
    }
    for nodes in scalars {
      let isSelected = selection(nodes)
      parts.append((nodes[0].rank, { [unowned self] in try compute(nodes, isSelected) }))
    }
    for group in DerivedGroup.all(in: DerivedPlan(nodes: nodes.filter { $0.wholeValue == nil })) {
      let isSelected = selection(group.members.map(\.node))
      parts.append((group.rank, { [unowned self] in try compute(group, isSelected) }))
    }
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
      if nodes.count == 1 && kept == nil {
        // Each of these changes is of this attribute.
        try db.run(
          """
          INSERT INTO bolide_previous(change, property, value)
          SELECT change, \(nodes[0].property), \(before(nodes[0])) FROM bolide_change WHERE change > \(last)
          """)
        continue
      }
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

  /// Attributes that one statement computes.
  private func compute(_ nodes: [DerivedNode], _ isSelected: Selection) throws {
    let values = nodes.compactMap { node in
      node.wholeValue.map { (quoted(node.attribute.name), $0) }
    }
    let assignments = values.map { "\($0) = \($1)" }.joined(separator: ", ")
    var update = "UPDATE \(quoted(nodes[0].entity.name)) AS bolide_object SET \(assignments) WHERE "
    update += isSelected("bolide_object.bolide_id")
    // A row that is written anew costs more than to compute its value twice.
    if isKept(nodes) {
      update += " AND (\(values.map { "\($0) IS NOT \($1)" }.joined(separator: " OR ")))"
    }
    try db.run(update)
  }

  /// Other aggregates over a relationship.
  private func compute(_ group: DerivedGroup, _ isSelected: Selection) throws {
    let write = try RawStatement(db, group.update)
    try Self.changes(of: group, isSelected, db) { owner, values in
      try write.run(values, owner)
    }
  }

  /// Owners and their objects go by side by side.
  private static func changes(
    of group: DerivedGroup, _ isSelected: Selection, _ db: Database,
    _ body: (_ owner: Int64, _ values: [Value]) throws -> Void
  ) throws {
    let columns = group.columns
    let owners = try RawStatement(
      db,
      """
      SELECT bolide_id, \(columns.joined(separator: ", ")) FROM \(quoted(group.owner.name))
      WHERE \(isSelected("bolide_id")) ORDER BY bolide_id
      """)
    let values = try AggregateValues(db, group, ofOwnersWhere: isSelected("bolide_owner"))
    while try owners.step() {
      let owner = owners.integer(0)
      let computed = try values.next(owner)
      if columns.indices.contains(where: { owners.value(Int32($0 + 1)) != computed[$0] }) {
        try body(owner, computed)
      }
    }
  }
}

extension WholeColumns {
  /// Aggregates of all their owners that are computed and not written yet.
  struct Gathered {
    fileprivate let group: DerivedGroup
    fileprivate var owners: [(id: Int64, values: [Value])] = []
  }

  /// Computes aggregates, and writes nothing.
  /// - Complexity: O(objects); what is given has the size of the owners.
  static func gather(_ nodes: [DerivedNode], _ db: Database) throws -> [Gathered] {
    try DerivedGroup.all(in: DerivedPlan(nodes: nodes)).map { group in
      var gathered = Gathered(group: group)
      try changes(of: group, { "\($0) IS NOT NULL" }, db) { gathered.owners.append(($0, $1)) }
      return gathered
    }
  }

  /// Writes what was computed, with the triggers off.
  static func write(_ gathered: [Gathered], _ db: Database) throws {
    try Triggers.silenced(db) {
      for gathered in gathered {
        let write = try RawStatement(db, gathered.group.update)
        for (id, values) in gathered.owners { try write.run(values, id) }
      }
    }
  }
}

extension DerivedNode {
  /// The value of `bolide_object`, as SQL; nil for what is computed of objects that have to be read.
  ///
  /// To count objects, the index is enough.
  var wholeValue: String? {
    if let path { return path.value { "bolide_object.\(quoted($0))" } }
    guard let children, children.function == .count, children.filter == nil else { return nil }
    return
      "(SELECT count(*) FROM \(quoted(children.entity.name)) WHERE \(quoted(children.toOne.column)) = bolide_object.bolide_id)"
  }
}

extension RawStatement {
  /// Writes values to an object.
  fileprivate func run(_ values: [Value], _ object: Int64) throws {
    bind(values)
    bind(object, at: Int32(values.count + 1))
    try run()
  }
}
