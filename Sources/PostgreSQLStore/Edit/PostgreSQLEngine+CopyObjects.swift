package import ImportModel
internal import ModelMerging
internal import ObjectEdits
package import PostgreSQLAccess
package import StoreInterface

extension PostgreSQLEngine {
  /// Makes an empty store with another one's model.
  ///
  /// - Parameter isTrial: as of an import's.
  package convenience init(emptyAt address: PostgreSQLAddress, _ model: Model, isTrial: Bool) throws {
    try self.init(address, for: Pipeline(keeping: model), isTrial: isTrial)
  }

  package func readCopies<Result>(_ body: (any CopySource) throws -> Result) throws -> Result {
    // A predicate may ask for what is derived.
    try refresh()
    return try session { connection in
      defer { connection.rollBack() }
      let stored = try beginReading(connection)
      return try body(StoredSource(connection: connection, stored: stored, address: address))
    }
  }

  /// Nobody else writes meanwhile, as into a file: whether an object is there is asked before it is inserted.
  package func copyObjects(
    _ request: ObjectQuery, from source: any StoreEngine, _ options: EditOptions
  ) throws -> CopyReport {
    if let other = source as? PostgreSQLEngine, try other.whereabouts == whereabouts {
      throw StoreError.copyOntoItself(path)
    }
    return try source.readCopies { state in
      let (counts, edit) = try editing(options) { objects in
        try objects.keepOthersAway(address.schema)
        try objects.connection.run("SELECT \(WriteTransaction.memory)")
        let tables = CopyTables(connection: objects.connection, model: objects.stored.model)
        return try ObjectCopy(state, into: tables).run(request)
      }
      return CopyReport(counts: counts, token: edit.token)
    }
  }

  /// Which store it is, whatever its address. A restored dump of it, and another database made from its own, are others.
  private var whereabouts: String {
    get throws {
      try session {
        try $0.run(
          """
          SELECT concat_ws('/', id, current_database(), 'bolide_store'::regclass::oid, bolide_origin())
          FROM bolide_store
          """
        ).text(0, 0)
      }
    }
  }
}
