internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface

extension NullTotals {
  /// Finds them. What waits to be computed anew is left out: nobody knows yet.
  ///
  /// - Parameter most: so many are named.
  /// - Complexity: O(owners).
  init(_ connection: PostgreSQLConnection, _ stored: StoredModel, naming most: Int = 10) throws {
    self.init()
    for entity in stored.model.entities {
      for attribute in entity.derivedAttributes where attribute.isTotal {
        // A sum of nothing is 0.
        let owners = try connection.run(
          """
          SELECT bolide_id, count(*) OVER () FROM \(quoted(entity.name)) AS o WHERE \(quoted(attribute.name)) IS NULL
            AND NOT EXISTS (SELECT FROM bolide_mark WHERE entity = \(stored.number(of: entity)) AND id = o.bolide_id)
          ORDER BY bolide_id LIMIT \(most)
          """)
        guard owners.count > 0 else { continue }
        count += Int(owners.integer(0, 1))
        for row in 0..<owners.count where named.count < most {
          named.append(.nullTotal(attribute, of: entity, owners.integer(row, 0)))
        }
      }
    }
  }
}
