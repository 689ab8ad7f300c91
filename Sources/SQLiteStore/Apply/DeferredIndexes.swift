internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import StoreInterface

/// The indexes that a first load leaves to its end: built from all rows at once they take half the time that they take
/// row by row in an order of their own, and are written to the log once.
///
/// An index that keeps values unique is kept row by row, and so is one that derived attributes search while rows come in. Those
/// of a load that was killed are built by the next command that writes; see `TriggerMaintenance`.
final class DeferredIndexes {
  private let db: Database
  private let model: Model
  /// What can be left to the end, by entity, each with the index of its relationship among the to-one ones.
  private let indexes: [String: [(relationship: Int?, index: EntitySchema.Index)]]
  private let leastRows: Int
  /// Whether some have been taken away, as far as no transaction was rolled back.
  private var isWaiting = false
  /// Whether some have been taken away at all.
  private var wasTaken = false

  /// - Parameters:
  ///   - leastRows: fewer rows in a load's first chunk are not worth it.
  init(_ db: Database, model: Model, plan: DerivedPlan, leastRows: Int) {
    (self.db, self.model, self.leastRows) = (db, model, leastRows)
    var indexes: [String: [(relationship: Int?, index: EntitySchema.Index)]] = [:]
    for entity in model.entities {
      let schema = EntitySchema(entity: entity, model: model)
      let relationships = entity.toOneRelationships.enumerated().filter { _, relationship in
        schema.hasIndex(relationship) && !model.isOneToOne(relationship)
          && !plan.searches(relationship, of: entity)
      }
      indexes[entity.name] =
        relationships.map { ($0, schema.index($1)) } + entity.indexes.map { (nil, schema.declaredIndex($0)) }
    }
    self.indexes = indexes
  }

  /// Takes an entity's indexes away if it has no row yet and so many come now, inside the caller's transaction.
  ///
  /// - Parameter owners: over one of the to-one relationships each row's owner, in the order in which the rows are written.
  func takeAway(
    of entity: Entity, before rows: Int, owners: (_ relationship: Int) -> (some Sequence<Int64>)?
  ) throws {
    guard rows >= leastRows, let indexes = indexes[entity.name], !indexes.isEmpty,
      try db.value("SELECT 1 FROM \(quoted(entity.name)) LIMIT 1") == .null
    else { return }
    for (relationship, index) in indexes {
      if let relationship, let owners = owners(relationship), isGrouped(owners, rows) { continue }
      try db.run("DROP INDEX IF EXISTS \(quoted(index.name))")
      (isWaiting, wasTaken) = (true, true)
    }
  }

  /// Whether the rows of one owner come together, and about fill a page of the index: to keep it writes no page twice.
  private func isGrouped(_ owners: some Sequence<Int64>, _ rows: Int) -> Bool {
    var (groups, last) = (0, Int64.min)
    for owner in owners where owner != last { (groups, last) = (groups + 1, owner) }
    return groups * 500 <= rows
  }

  /// Builds what was taken away, for who is about to search, inside the caller's transaction.
  func build() throws {
    if isWaiting { try buildMissing() }
    isWaiting = false
  }

  /// Builds at the load's end what was taken away, each index in a transaction of its own.
  func end() throws {
    if wasTaken { try buildMissing() }
  }

  private func buildMissing() throws {
    for index in try TriggerMaintenance.missingIndexes(db, model) { try db.run(index.sql) }
  }
}

extension DerivedPlan {
  /// Whether the upkeep of derived attributes may have to find, in any chunk, the rows that lead to an object.
  ///
  /// Aggregates of what the rows have themselves are kept by differences: they look at the rows only where a difference
  /// does not tell, and say so before.
  fileprivate func searches(_ relationship: Relationship, of entity: Entity) -> Bool {
    nodes.contains { node in
      if let children = node.children {
        return children.entity.name == entity.name && (node.rank > 0 || children.readsThroughLinks)
      }
      guard let path = node.path else { return false }
      var holder = node.entity
      for hop in path.hops {
        if holder.name == entity.name, hop.relationship.name == relationship.name { return true }
        holder = hop.destination
      }
      return false
    }
  }
}
