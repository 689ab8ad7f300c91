internal import ImportModel
internal import ModelMerging
internal import PostgreSQLAccess
package import StoreInterface

/// Triggers that another program has dropped or disabled: what was written since is in no history, and derived attributes may be false.
struct LostTriggers {
  /// Each with its table.
  private let triggers: [(name: String, entity: String)]

  init(_ connection: PostgreSQLConnection, _ stored: StoredModel) throws {
    let all = try stored.model.entities.flatMap { entity in
      try EntityTriggers(entity, stored).names.map { (name: $0, entity: entity.name) }
    }
    let lost = try connection.run(
      """
      SELECT w.place FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS w(relation, name, place)
      WHERE NOT EXISTS (SELECT FROM pg_trigger AS t
        WHERE t.tgrelid = to_regclass(w.relation) AND t.tgname = w.name AND t.tgenabled IN ('O', 'A'))
      ORDER BY w.place
      """, [.texts(all.map { quoted($0.entity) }), .texts(all.map(\.name))])
    triggers = (0..<lost.count).map { all[Int(lost.integer($0, 0)) - 1] }
  }

  var isEmpty: Bool { triggers.isEmpty }
  var entities: Set<String> { Set(triggers.map(\.entity)) }
  var report: RepairReport {
    RepairReport(triggers: triggers.map { RepairReport.lost(trigger: $0.name, of: $0.entity) })
  }
}

extension PostgreSQLEngine {
  /// Makes lost triggers anew; then all derived attributes are computed, and history has a gap.
  ///
  /// - Throws: `StoreError` where triggers are lost and the user may not make any.
  @discardableResult
  package func restoreTriggers() throws -> RepairReport {
    try session(repeats: true) { connection in
      let stored = try StoredModel(connection, address)
      let lost = try LostTriggers(connection, stored)
      // A trial takes nobody's triggers away: that would keep all others waiting.
      if lost.isEmpty || connection.isTrial { return RepairReport() }
      guard try SchemaFit(connection: connection, address: address).isByOwner else {
        throw StoreError.triggersLost(lost.entities.sorted()[0], path)
      }
      try assignPendingChanges(readsHistory: false)
      return try SchemaFit(connection: connection, address: address).restoreTriggers(lockWait: lockWait)
    }
  }
}

extension SchemaFit {
  /// Makes lost triggers anew.
  ///
  /// - Parameter lockWait: how long to wait for those who use the tables, in seconds.
  func restoreTriggers(lockWait: Double) throws -> RepairReport {
    try changing {
      try connection.limitLockWait(lockWait)
      // Another process may have been here in between.
      let stored = try StoredModel(connection, address)
      let lost = try LostTriggers(connection, stored)
      if lost.isEmpty { return RepairReport() }
      try connection.makeTriggers(stored)
      let transaction = WriteTransaction(connection: connection, stored: stored)
      try transaction.begin()
      for entity in stored.model.entities where !entity.derivedAttributes.isEmpty {
        try connection.mark(entity, stored)
      }
      try connection.run(
        "INSERT INTO bolide_gap(transaction, reason) VALUES (bolide_transaction_id(), 'triggers were missing')"
      )
      _ = try transaction.end(author: nil, pipeline: nil, run: nil)
      return lost.report
    }
  }
}

extension PostgreSQLConnection {
  /// Has the next command compute all derived attributes of an entity's objects.
  func mark(_ entity: Entity, _ stored: StoredModel) throws {
    try run(
      """
      INSERT INTO bolide_mark SELECT \(stored.number(of: entity)), bolide_id FROM \(quoted(entity.name))
      ON CONFLICT DO NOTHING
      """)
  }
}
