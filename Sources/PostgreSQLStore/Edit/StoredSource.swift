internal import ImportModel
internal import ObjectEdits
internal import PostgreSQLAccess
internal import StoreInterface

/// A store on a server from which objects are copied, in one read transaction.
struct StoredSource: CopySource {
  let connection: PostgreSQLConnection
  let stored: StoredModel
  let address: PostgreSQLAddress

  var model: Model { stored.model }

  func ids(_ request: ObjectQuery) throws -> [Int64] {
    try address.telling {
      try FetchReading(connection, stored, address.shown).list(request, at: nil).ids
    }
  }

  private static let objects = "SELECT unnest($1::bigint[])"

  func ids(_ step: CopyStep, from ids: [Int64], behind last: Int64, limit: Int) throws -> [Int64] {
    try address.telling {
      let found = try connection.run(
        step.ids(in: "", from: Self.objects, behind: "$2", limit: limit), [.integers(ids), .integer(last)])
      return (0..<found.count).map { found.integer($0, 0) }
    }
  }

  func rows(_ ids: [Int64], of entity: Entity) throws -> [[Value]] {
    try address.telling {
      let columns = entity.copiedColumns.map { $0.type.stored.result(ofColumn: quoted($0.name)) }
      let found = try connection.run(
        """
        SELECT \((["bolide_id"] + columns).joined(separator: ", ")) FROM \(quoted(entity.name))
        WHERE bolide_id IN (\(Self.objects))
        """, [.integers(ids)])
      let types = [.integer64] + entity.copiedColumns.map(\.type.stored)
      return (0..<found.count).map { row in types.enumerated().map { $1.value(found, row, $0) } }
    }
  }
}
