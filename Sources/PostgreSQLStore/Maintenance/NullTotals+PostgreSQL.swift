internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface

extension NullTotals {
  /// Finds them. What waits to be computed anew is left out: nobody knows yet.
  ///
  /// - Parameters:
  ///   - most: so many are named.
  ///   - run: only those that a run has changed; nil for all.
  /// - Complexity: O(owners).
  init(
    _ connection: PostgreSQLConnection, _ stored: StoredModel, naming most: Int = 10,
    changedBy run: Int64? = nil
  ) throws {
    self.init()
    let isChanged = run.map { run in
      let changes = "SELECT FROM bolide_change AS c JOIN bolide_transaction AS t ON t.id = c.transaction"
      let own = "t.run = \(run) AND c.entity = $1 AND (c.kind = 1 OR $2 = ANY (c.properties))"
      return """
        AND (EXISTS (\(changes) WHERE \(own) AND c.id = o.bolide_id)
          OR EXISTS (\(changes) WHERE \(own) AND c.last_id IS NOT NULL AND o.bolide_id BETWEEN c.id AND c.last_id))
        """
    }
    for entity in stored.model.entities {
      for attribute in entity.derivedAttributes where attribute.isTotal {
        // A sum of nothing is 0.
        let owners = try connection.run(
          """
          SELECT bolide_id, count(*) OVER () FROM \(quoted(entity.name)) AS o WHERE \(quoted(attribute.name)) IS NULL
            AND NOT EXISTS (SELECT FROM bolide_mark WHERE entity = $1 AND id = o.bolide_id)
            \(isChanged ?? "")
          ORDER BY bolide_id LIMIT \(most)
          """,
          [.integer(stored.number(of: entity))]
            + (run == nil ? [] : [.integer(stored.number(of: attribute.name, in: entity))]))
        guard owners.count > 0 else { continue }
        count += Int(owners.integer(0, 1))
        for row in 0..<owners.count where named.count < most {
          named.append(.nullTotal(attribute, of: entity, owners.integer(row, 0)))
        }
      }
    }
  }
}
