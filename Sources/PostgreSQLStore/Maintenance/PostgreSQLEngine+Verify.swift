internal import ImportModel
internal import PostgreSQLAccess
package import StoreInterface

extension PostgreSQLEngine {
  /// Derived attributes are held against what they are derived from, links against the tables; while its constraints are there, the server
  /// vouches for keys and most values.
  package func verify(_ found: @escaping (Finding) throws -> Void) throws {
    try assignPendingChanges()
    try reading { connection, stored in
      try TableDrift(connection).check(stored.model)
      try connection.checkHistory(found)
      let lost = try LostTriggers(connection, stored).entities
      let parts = try LostParts(connection, stored.model)
      for problem in parts.added(to: RepairReport()).problems { try found(Finding(message: problem)) }
      try parts.check(connection, found)
      let derived = try DerivedCheck(connection, stored)
      let nullTotals = try NullTotals(connection, stored, naming: .max)
      for entity in stored.model.entities {
        try connection.checkValues(of: entity, found)
        try connection.checkLinks(of: entity, found)
        let left = try derived.run(entity, found)
        for total in nullTotals.named where total.entity == entity.name { try found(total) }
        if left > 0 { try found(.waiting(entity, left)) }
        if lost.contains(entity.name) {
          try found(Finding(entity: entity.name, message: "a trigger of Bolide's is missing or disabled"))
        }
      }
    }
  }

  package func rebuild(_ found: (Finding) throws -> Void) throws {
    try reading { connection, stored in try TableDrift(connection).check(stored.model) }
    for problem in try restoreTriggers().problems { try found(Finding(message: problem)) }
    try assignPendingChanges(readsHistory: false)
    try reading { connection, stored in
      let derived = try DerivedCheck(connection, stored)
      for entity in stored.model.entities { _ = try derived.run(entity, found) }
    }
    try writing { connection, stored in
      try connection.limitLockWait(lockWait)
      for entity in stored.model.entities { try connection.mark(entity, stored) }
    }
  }
}

extension PostgreSQLConnection {
  /// Tells transactions that have other changes than when they got their numbers, and changes that will never have one: whoever writes may
  /// set the id of the session's transaction.
  fileprivate func checkHistory(_ found: (Finding) throws -> Void) throws {
    let others = try run(
      """
      SELECT t.number, t.changes, coalesce(c.changes, 0) FROM bolide_transaction AS t LEFT JOIN (
        SELECT transaction, sum(coalesce(last_id, id) - id + 1)::bigint AS changes FROM bolide_change GROUP BY transaction) AS c
        ON c.transaction = t.id
      WHERE t.changes <> coalesce(c.changes, 0) ORDER BY t.number LIMIT 100
      """)
    for row in 0..<others.count {
      try found(
        Finding(
          entity: "bolide_transaction", id: others.integer(row, 0), attribute: "changes",
          stored: .integer(others.integer(row, 1)), expected: .integer(others.integer(row, 2))))
    }
    let lost = try run(
      """
      SELECT count(*) FROM bolide_change AS c WHERE NOT EXISTS (SELECT FROM bolide_transaction WHERE id = c.transaction)
        AND NOT EXISTS (SELECT FROM bolide_pending AS p WHERE p.id = c.transaction)
      """
    ).integer(0, 0)
    if lost > 0 { try found(.changesOfNone(lost)) }
  }

  /// Tells links to what is not there: a foreign key may have been dropped, and does not see what a session in the role of a replica writes.
  fileprivate func checkLinks(of entity: Entity, _ found: (Finding) throws -> Void) throws {
    for link in entity.toOneRelationships {
      let wrong = try run(
        """
        SELECT t.bolide_id FROM \(quoted(entity.name)) AS t
        LEFT JOIN \(quoted(link.destination)) AS d ON d.bolide_id = t.\(quoted(link.column))
        WHERE t.\(quoted(link.column)) IS NOT NULL AND d.bolide_id IS NULL ORDER BY 1 LIMIT 100
        """)
      for row in 0..<wrong.count {
        try found(.leadsNowhere(entity.name, wrong.integer(row, 0), to: link.destination))
      }
    }
  }

  /// Tells values that are not of their types, as far as the server does not see to that.
  fileprivate func checkValues(of entity: Entity, _ found: (Finding) throws -> Void) throws {
    for attribute in entity.writableAttributes {
      guard let condition = attribute.condition else { continue }
      let wrong = try run(
        "SELECT bolide_id FROM \(quoted(entity.name)) WHERE NOT (\(condition)) ORDER BY bolide_id LIMIT 100")
      for row in 0..<wrong.count { try found(.noValue(entity.name, wrong.integer(row, 0), attribute)) }
    }
  }
}

/// Computes derived attributes again, and tells what is stored otherwise.
///
/// Its transaction has one snapshot: what waits to be computed is in it too.
private struct DerivedCheck {
  private let connection: PostgreSQLConnection
  private let stored: StoredModel
  private let waiting: [String: Set<Int64>]

  init(_ connection: PostgreSQLConnection, _ stored: StoredModel) throws {
    (self.connection, self.stored) = (connection, stored)
    waiting = try MarkedObjects(connection: connection, stored: stored).waiting()
  }

  /// Other programs write meanwhile, and whoever may only read leaves to others what waits to be computed.
  ///
  /// - Returns: the number of objects with false values that wait, which are not told.
  func run(_ entity: Entity, _ found: (Finding) throws -> Void) throws -> Int {
    let waiting = waiting[entity.name] ?? []
    var left: Set<Int64> = []
    try check(entity) { finding in
      if let id = finding.id, waiting.contains(id) { left.insert(id) } else { try found(finding) }
    }
    return left.count
  }

  private func check(_ entity: Entity, _ found: (Finding) throws -> Void) throws {
    let table = quoted(entity.name)
    for aggregates in try Aggregates.all(stored.model) where aggregates.owner.name == entity.name {
      let totals = aggregates.totals("SELECT bolide_id FROM \(table)")
      for (attribute, value) in aggregates.truths {
        try tell(
          entity, attribute, "\(table) AS o JOIN \(totals) ON d.owner = o.bolide_id", "o", value, found)
      }
    }
    for copy in Copy.all(entity, stored.model) {
      let value = copy.value { "t.\(quoted($0))" }
      guard let folding = copy.folding else {
        try tell(entity, copy.attribute, "\(table) AS t", "t", value, found)
        continue
      }
      try connection.each(
        "SELECT t.bolide_id, t.\(quoted(copy.attribute.name)), \(value) FROM \(table) AS t ORDER BY 1"
      ) { row in
        let (known, truth) = (row.optionalText(0, 1), row.optionalText(0, 2).map(folding.apply))
        guard known?.utf8.elementsEqual((truth ?? "").utf8) ?? (truth == nil),
          (known == nil) == (truth == nil)
        else {
          return try found(
            Finding(
              entity: entity.name, id: row.integer(0, 0), attribute: copy.attribute.name,
              stored: known.map(Value.text) ?? .null, expected: truth.map(Value.text) ?? .null))
        }
      }
    }
  }

  private func tell(
    _ entity: Entity, _ attribute: Attribute, _ table: String, _ alias: String, _ value: String,
    _ found: (Finding) throws -> Void
  ) throws {
    let type = attribute.type
    let own = "\(alias).\(quoted(attribute.name))"
    let sql = """
      SELECT \(alias).bolide_id, \(type.result(ofColumn: own)), \(type.result(ofColumn: "(\(value))")) FROM \(table)
      WHERE \(type.differs(own, "(\(value))")) ORDER BY 1
      """
    try connection.each(sql) { row in
      try found(
        Finding(
          entity: entity.name, id: row.integer(0, 0), attribute: attribute.name,
          stored: type.value(row, 0, 1),
          expected: type.value(row, 0, 2), type: type))
    }
  }
}
