internal import Foundation
package import GRDB
package import ImportModel
internal import ModelMerging
internal import SQLiteAccess
internal import StoreInterface

/// Where history has copies of some objects' values: as earlier values of derived attributes of objects that are, or ever
/// were, linked to them.
///
/// A sum, an average or an extreme is such a copy where it is the value of one object.
package struct DerivedCopies {
  /// One value that history keeps.
  package struct Copy {
    /// `bolide_change`
    package let change: Int64
    /// `bolide_property`
    package let property: Int64
  }

  /// What an attribute may have copied: from which objects, or into which, and what.
  private struct Spread {
    var objects: Set<Int64> = []
    var values: Set<Value> = []
  }

  private let db: Database
  private let numbers: PropertyNumbers
  private let plan: DerivedPlan
  /// Derived attributes that were dropped: nobody knows any more what they were computed from.
  private let dropped: [Int64]

  package init(_ db: Database, _ model: Model, _ numbers: PropertyNumbers) throws {
    (self.db, self.numbers) = (db, numbers)
    plan = try DerivedPlan(model, numbers)
    dropped = try ModelRecord(db).dropped.filter(\.isDerived).map(\.property)
  }

  /// Finds the copies.
  ///
  /// - Parameters:
  ///   - objects: the ids of the objects, by entity.
  ///   - values: what they ever had, by property.
  /// - Complexity: O(history) for each derived attribute that reads an attribute of theirs.
  package func find(_ objects: [String: Set<Int64>], _ values: [Int64: Set<Value>]) throws -> [Copy] {
    var copies: [Copy] = []
    var spreads: [Int64: Spread] = [:]
    // What is read comes before what reads it.
    for node in plan.nodes {
      guard let (entity, attribute) = node.read,
        let property = numbers.columns(of: entity).first(where: { $0.name == attribute.name })?.number
      else { continue }
      let spread = spreads[property] ?? Spread()
      let own = values[property] ?? []
      let taken = Set(own.union(spread.values).compactMap { node.copied($0, of: attribute) })
      let sources = own.isEmpty ? spread.objects : spread.objects.union(objects[entity.name] ?? [])
      guard !taken.isEmpty, !sources.isEmpty else { continue }
      let owners = try owners(node, of: sources).subtracting(objects[node.entity.name] ?? [])
      spreads[node.property, default: Spread()].objects.formUnion(owners)
      spreads[node.property, default: Spread()].values.formUnion(taken)
      copies += try find(node, owners, taken)
    }
    guard !dropped.isEmpty else { return copies }
    let all = values.values.reduce(into: Set<Value>()) { all, values in
      for value in values where value != .null { all.formUnion(value.spellings) }
    }
    return try copies + dropped.flatMap { try find($0, all) }
  }

  private func find(_ node: DerivedNode, _ owners: Set<Int64>, _ taken: Set<Value>) throws -> [Copy] {
    let rows = try RawStatement(
      db,
      """
      SELECT change, value FROM bolide_change JOIN bolide_previous USING (change)
      WHERE entity = ? AND property = ? AND first IN (SELECT value FROM json_each(?))
      """)
    rows.bind(numbers.entity(node.entity.name), at: 1)
    rows.bind(node.property, at: 2)
    rows.bind(owners.json, at: 3)
    return try copies(rows, taken, of: node.property)
  }

  private func find(_ property: Int64, _ taken: Set<Value>) throws -> [Copy] {
    let rows = try RawStatement(db, "SELECT change, value FROM bolide_previous WHERE property = ?")
    rows.bind(property, at: 1)
    return try copies(rows, taken, of: property)
  }

  private func copies(_ rows: RawStatement, _ taken: Set<Value>, of property: Int64) throws -> [Copy] {
    var copies: [Copy] = []
    while try rows.step() {
      guard taken.contains(rows.value(1).comparable) else { continue }
      copies.append(Copy(change: rows.integer(0), property: property))
    }
    return copies
  }

  /// The objects that have, or ever had, a derived attribute of some of the objects that it reads.
  private func owners(_ node: DerivedNode, of sources: Set<Int64>) throws -> Set<Int64> {
    switch node.source {
    case .clock: return []
    case .path(let path):
      var objects = sources
      for (index, hop) in path.hops.enumerated().reversed() {
        objects = try holders(path.entity(after: index, from: node.entity), hop.relationship, of: objects)
      }
      return objects
    case .children(let children):
      var rows = sources
      if let (relationship, _) = children.onward {
        rows = try holders(children.entity, relationship, of: sources)
      }
      return try targets(children.entity, children.toOne, of: rows)
    }
  }

  /// The objects that a to-one relationship leads, or ever led, to some objects.
  private func holders(
    _ entity: Entity, _ relationship: Relationship, of objects: Set<Int64>
  ) throws -> Set<Int64> {
    try ids(
      """
      SELECT bolide_id FROM \(quoted(entity.name))
      WHERE \(quoted(relationship.column)) IN (SELECT value FROM json_each(?1))
      UNION SELECT first FROM bolide_change JOIN bolide_previous USING (change)
      WHERE property = \(number(relationship, entity)) AND value IN (SELECT value FROM json_each(?1))
      """, objects)
  }

  /// The objects that a to-one relationship of some rows leads, or ever led, to.
  private func targets(
    _ entity: Entity, _ relationship: Relationship, of rows: Set<Int64>
  ) throws -> Set<Int64> {
    try ids(
      """
      SELECT \(quoted(relationship.column)) FROM \(quoted(entity.name))
      WHERE bolide_id IN (SELECT value FROM json_each(?1)) AND \(quoted(relationship.column)) IS NOT NULL
      UNION SELECT value FROM bolide_change JOIN bolide_previous USING (change)
      WHERE entity = \(numbers.entity(entity.name)) AND first IN (SELECT value FROM json_each(?1))
      AND property = \(number(relationship, entity)) AND value IS NOT NULL
      """, rows)
  }

  private func number(_ relationship: Relationship, _ entity: Entity) -> Int64 {
    numbers.columns(of: entity).first { $0.name == relationship.name }?.number ?? 0
  }

  private func ids(_ query: String, _ of: Set<Int64>) throws -> Set<Int64> {
    let rows = try RawStatement(db, query)
    rows.bind(of.json, at: 1)
    var ids: Set<Int64> = []
    while try rows.step() { ids.insert(rows.integer(0)) }
    return ids
  }
}

extension DerivedNode {
  /// The attribute whose values it may copy; nil for a count and a time.
  fileprivate var read: (entity: Entity, attribute: Attribute)? {
    switch source {
    case .clock: nil
    case .path(let path): (path.entity(after: path.hops.count, from: entity), path.attribute)
    case .children(let children): children.attribute.map { (children.objects, $0) }
    }
  }

  /// What it makes of one value; nil for null.
  fileprivate func copied(_ value: Value, of attribute: Attribute) -> Value? {
    switch value {
    case .null: return nil
    case .text(let text): return .text(path?.folding?.apply(text) ?? text)
    case .integer(let units):
      guard children?.function == .average, case .decimal(let scale) = attribute.type else {
        return value.comparable
      }
      return Value.real(Double(units) / pow(10, Double(scale))).comparable
    case .real, .blob: return value.comparable
    }
  }
}

extension Value {
  /// Equal numbers are one value.
  fileprivate var comparable: Value {
    if case .real(let number) = self, let whole = Int64(exactly: number) { .integer(whole) } else { self }
  }
}

extension Value {
  /// What a copy of it may be.
  fileprivate var spellings: [Value] {
    guard case .text(let text) = self else { return [comparable] }
    return [self] + TextFolding.allCases.map { .text($0.apply(text)) }
  }
}

extension Set<Int64> {
  /// `[1,2]`, for SQLite's `json_each`.
  package var json: String { "[\(map(String.init).joined(separator: ","))]" }
}
