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
  /// Makes lost triggers anew, keys, constraints and indexes. Where triggers were lost, all derived attributes are computed, and history
  /// has a gap.
  ///
  /// - Throws: `StoreError` where what is lost lets false rows come and the user may not make it, or where rows are against it.
  @discardableResult
  package func restoreTriggers() throws -> RepairReport {
    try session(repeats: true) { connection in
      let stored = try StoredModel(connection, address)
      let (triggers, parts) = try (LostTriggers(connection, stored), LostParts(connection, stored.model))
      // A trial takes nobody's triggers away: that would keep all others waiting.
      if triggers.isEmpty && parts.isEmpty || connection.isTrial { return RepairReport() }
      let fit = SchemaFit(connection: connection, address: address)
      guard try fit.isByOwner else {
        if let entity = triggers.entities.sorted().first { throw StoreError.triggersLost(entity, path) }
        if let rule = parts.firstRule { throw StoreError.ruleLost(rule, path) }
        return RepairReport()
      }
      try assignPendingChanges(readsHistory: false)
      return try fit.restoreTriggers(lockWait: lockWait)
    }
  }
}

extension SchemaFit {
  /// Makes what is lost anew.
  ///
  /// - Parameter lockWait: how long to wait for those who use the tables, in seconds.
  func restoreTriggers(lockWait: Double) throws -> RepairReport {
    try changing {
      try connection.limitLockWait(lockWait)
      // Another process may have been here in between.
      let stored = try StoredModel(connection, address)
      let (triggers, parts) = try (LostTriggers(connection, stored), LostParts(connection, stored.model))
      // They need columns that may be gone, too.
      try TableDrift(connection).check(stored.model)
      try connection.lockTables(of: stored.model, parts.isEmpty ? "SHARE ROW EXCLUSIVE" : "ACCESS EXCLUSIVE")
      try parts.restore(connection)
      if !triggers.isEmpty { try makeTriggers(of: stored) }
      return parts.added(to: triggers.report)
    }
  }

  private func makeTriggers(of stored: StoredModel) throws {
    try connection.makeTriggers(stored)
    let transaction = WriteTransaction(connection: connection, stored: stored)
    try transaction.begin()
    for entity in stored.model.entities where !entity.derivedAttributes.isEmpty {
      try connection.mark(entity, stored)
    }
    try connection.run(
      "INSERT INTO bolide_gap(transaction, reason) VALUES (bolide_transaction_id(), 'triggers were missing')")
    _ = try transaction.end(author: nil, pipeline: nil, run: nil)
  }
}

extension PostgreSQLConnection {
  /// Has the next command compute all derived attributes of an entity's objects.
  func mark(_ entity: Entity, _ stored: StoredModel) throws {
    try run(
      """
      INSERT INTO bolide_mark SELECT \(stored.number(of: entity)), bolide_id FROM \(quoted(entity.name))
      """)
  }
}
