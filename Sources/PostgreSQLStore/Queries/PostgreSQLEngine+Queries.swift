internal import ImportModel
internal import PostgreSQLAccess
package import StoreInterface

extension PostgreSQLEngine {
  package func readRows(
    _ request: ObjectQuery, at token: HistoryToken?, _ body: (Snapshot.Row) throws -> Void
  ) throws {
    try reading { connection, stored in
      let entity = try entity(request, stored)
      if let token {
        let number = try Positions(connection, stored, path).number(.token(token))
        guard request.sort.isEmpty, request.predicate == nil else {
          throw lacks("sorted and filtered past states")
        }
        let rows = try PastRows(connection, stored, entity, at: number, ids: nil).all
        for (id, values) in rows.dropFirst(request.offset).prefix(request.limit ?? .max) {
          try body(entity.row(id, values))
        }
        return
      }
      try connection.each(try select(request, entity), []) { result in
        try body(entity.row(result.integer(0, 0), entity.values(result, 0, from: 1)))
      }
    }
  }

  private func select(_ request: ObjectQuery, _ entity: Entity) throws -> String {
    if request.predicate != nil { throw lacks("predicates") }
    guard request.groups.isEmpty, request.aggregates.isEmpty, request.properties.isEmpty,
      request.related.isEmpty,
      !request.isDistinct, request.dangling == nil, request.section == nil
    else { throw lacks("groups, chosen properties, sections and related objects") }
    let order = try request.sort.map { sort in
      guard let property = entity.properties.first(where: { $0.name == sort.name }) else {
        throw lacks("sorting by the path \(sort.name)")
      }
      return "t.\(quoted(property.column))" + (sort.isAscending ? " ASC NULLS FIRST" : " DESC NULLS LAST")
    }
    return "SELECT t.bolide_id, \(entity.results("t")) FROM \(quoted(entity.name)) AS t "
      + "ORDER BY \((order + ["t.bolide_id"]).joined(separator: ", ")) LIMIT \(request.limit.map(String.init) ?? "ALL") "
      + "OFFSET \(request.offset)"
  }

  private func entity(_ request: ObjectQuery, _ stored: StoredModel) throws -> Entity {
    guard let entity = stored.model.entity(named: request.entity) else {
      throw StoreError.noEntity(request.entity, in: stored.model).about(path)
    }
    return entity
  }

  private func lacks(_ what: String) -> StoreError { .unsupported(what, by: Self.engineName, path) }

  package func readCount(_ request: ObjectQuery, at token: HistoryToken?) throws -> Int {
    if token != nil || request.limit != nil || request.offset > 0 {
      var count = 0
      try readRows(request, at: token) { _ in count += 1 }
      return count
    }
    return try reading { connection, stored in
      if request.predicate != nil { throw lacks("predicates") }
      let table = quoted(try entity(request, stored).name)
      return Int(try connection.run("SELECT count(*) FROM \(table)").integer(0, 0))
    }
  }

  package func readSnapshot(
    of entities: [String], begin: (Snapshot) throws -> Void, row: (Snapshot.Row) throws -> Void
  ) throws {
    try session { connection in
      let stored = try StoredModel(connection, address)
      for name in entities where stored.model.entity(named: name) == nil {
        throw StoreError.noEntity(name, in: stored.model).about(path)
      }
      let wanted = stored.model.entities.filter { entities.isEmpty || entities.contains($0.name) }
      try connection.inTransaction("ISOLATION LEVEL REPEATABLE READ READ ONLY") {
        // Before the state is taken: a table that is emptied later would be empty in an older state too.
        try connection.run(
          "LOCK TABLE \((wanted.map { quoted($0.name) } + ["bolide_transaction"]).joined(separator: ", ")) IN ACCESS SHARE MODE"
        )
        let pending = try connection.run(
          """
          SELECT count(*) FROM bolide_change AS c JOIN bolide_transaction AS t ON t.id = c.transaction
          WHERE t.number IS NULL
          """)
        let counts = try wanted.map { entity in
          Snapshot.Count(
            entity: entity.name,
            rows: Int(try connection.run("SELECT count(*) FROM \(quoted(entity.name))").integer(0, 0)))
        }
        try begin(
          Snapshot(
            token: try Positions(connection, stored, path).newest, at: timestamp(),
            pendingChanges: Int(pending.integer(0, 0)), counts: counts))
        for entity in wanted {
          try connection.each(
            "SELECT t.bolide_id, \(entity.results("t")) FROM \(quoted(entity.name)) AS t ORDER BY t.bolide_id"
          ) { result in
            try row(entity.row(result.integer(0, 0), entity.values(result, 0, from: 1)))
          }
        }
      }
    }
  }
}

extension Entity {
  /// A row as a fetch has it.
  func row(_ id: Int64, _ values: [HistoryChange.Property]) -> Snapshot.Row {
    Snapshot.Row(entity: name, id: id, key: keyProperties(values), values: values)
  }
}
