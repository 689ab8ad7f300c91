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
  /// What can be left to the end, by entity.
  private let indexes: [String: [EntitySchema.Index]]
  private let leastRows: Int
  /// Whether some have been taken away, as far as no transaction was rolled back.
  private var isWaiting = false
  /// Whether some have been taken away at all.
  private var wasTaken = false

  /// - Parameters:
  ///   - leastRows: fewer rows in a load's first chunk are not worth it.
  init(_ db: Database, model: Model, plan: DerivedPlan, leastRows: Int) {
    (self.db, self.model, self.leastRows) = (db, model, leastRows)
    var indexes: [String: [EntitySchema.Index]] = [:]
    for entity in model.entities {
      let schema = EntitySchema(entity: entity, model: model)
      let relationships = entity.toOneRelationships.filter {
        schema.hasIndex($0) && !model.isOneToOne($0) && !plan.searches($0, of: entity)
      }
      indexes[entity.name] = relationships.map(schema.index) + entity.indexes.map(schema.declaredIndex)
    }
    self.indexes = indexes
  }

  /// Takes an entity's indexes away if it has no row yet and so many come now, inside the caller's transaction.
  func takeAway(of entity: Entity, before rows: Int) throws {
    guard rows >= leastRows, let indexes = indexes[entity.name], !indexes.isEmpty,
      try db.value("SELECT 1 FROM \(quoted(entity.name)) LIMIT 1") == .null
    else { return }
    for index in indexes { try db.run("DROP INDEX IF EXISTS \(quoted(index.name))") }
    (isWaiting, wasTaken) = (true, true)
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
