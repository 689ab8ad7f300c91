internal import ImportModel
internal import ModelMerging
internal import PostgreSQLAccess
package import StoreInterface
internal import Synchronization

/// Triggers that another program has dropped or disabled: what was written since is in no history, and derived attributes may be false.
struct LostTriggers {
  /// Each with its table.
  private let triggers: [(name: String, entity: String)]

  /// - Parameter isEarlier: whether the store is of an earlier format: those before a row had other names, or were not there.
  init(_ connection: PostgreSQLConnection, _ stored: StoredModel, isEarlier: Bool = false) throws {
    let all = try stored.model.entities.flatMap { entity in
      try EntityTriggers(entity, stored).names.filter { !isEarlier || $0.hasPrefix("bolide_after_") }
        .map { (name: $0, entity: entity.name) }
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
  /// - Returns: what was lost, with what was found since the engine opened the store for a pipeline.
  /// - Throws: `StoreError` where what is lost lets false rows come and the user may not make it, or where rows are against it.
  @discardableResult
  package func restoreTriggers() throws -> RepairReport {
    try restoring { try $0.restoreLost(lockWait: lockWait) }
    return restored.withLock { report in
      defer { report = RepairReport() }
      return report
    }
  }

  /// Runs what may make something anew that was lost, and keeps what is to be told.
  func restoring(_ body: (SchemaFit) throws -> RepairReport) throws {
    let report = try session(repeats: true) { try body(SchemaFit(connection: $0, address: address)) }
    restored.withLock { $0.add(report) }
  }
}

extension SchemaFit {
  /// Makes what is lost anew, as the engine's `restoreTriggers`.
  ///
  /// - Parameter lockWait: how long to wait for those who use the tables, in seconds.
  func restoreLost(lockWait: Double) throws -> RepairReport {
    let stored = try StoredModel(connection, address)
    let (triggers, parts) = try (LostTriggers(connection, stored), LostParts(connection, stored.model))
    // A trial takes nobody's triggers away: that would keep all others waiting.
    if triggers.isEmpty && parts.isEmpty || connection.isTrial { return RepairReport() }
    guard try isByOwner else {
      if let entity = triggers.entities.sorted().first {
        throw StoreError.triggersLost(entity, address.shown)
      }
      if let rule = parts.firstRule { throw StoreError.ruleLost(rule, address.shown) }
      return RepairReport()
    }
    try numberPending()
    return try changing {
      try connection.limitLockWait(lockWait)
      // Another process may have been here in between.
      let stored = try StoredModel(connection, address)
      let (triggers, parts) = try (LostTriggers(connection, stored), LostParts(connection, stored.model))
      // They need columns that may be gone, too.
      try TableDrift(connection).check(stored.model)
      try connection.lockTables(of: stored.model, parts.isEmpty ? "SHARE ROW EXCLUSIVE" : "ACCESS EXCLUSIVE")
      try parts.restore(connection)
      if !triggers.isEmpty {
        try connection.makeTriggers(stored)
        try tellLoss(of: stored)
      }
      return parts.added(to: triggers.report)
    }
  }

  /// Has all derived attributes computed, and notes a gap in history: triggers were lost.
  func tellLoss(of stored: StoredModel) throws {
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
