internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface

/// Objects whose derived attributes somebody has left to the next Bolide command.
struct MarkedObjects {
  let connection: PostgreSQLConnection
  let stored: StoredModel

  /// Computes them, in the caller's transaction, until none is left; also what follows from what other programs' triggers have made of
  /// the transaction's own rows.
  ///
  /// What one round computes may mark what follows from it, which the next one computes: each has at least one attribute more.
  ///
  /// - Throws: `StoreError.neverComputed` where another program's trigger marks the same objects with each round.
  func refresh() throws {
    try markRewritten()
    let derived = stored.model.entities.reduce(0) { $0 + $1.derivedAttributes.count }
    // Beside what follows from what, writers of the same moment may mark more.
    var last: Entity?
    for _ in 0..<derived + 100 {
      guard let entity = try refreshRound() else { return }
      last = entity
    }
    if let last { throw StoreError.neverComputed(last) }
  }

  /// Marks the rows that the transaction has written where another program's trigger may have changed what copies in them follow.
  private func markRewritten() throws {
    let copying = stored.model.entities.filter { !Copy.all($0, stored.model).isEmpty }
    if copying.isEmpty { return }
    let tables = copying.map { "(\(stored.number(of: $0)), \(literal(quoted($0.name)))::regclass)" }
    let others = try connection.run(
      "SELECT number FROM (VALUES \(tables.joined(separator: ", "))) AS t(number, name) WHERE bolide_has_others(name)"
    )
    for row in 0..<others.count {
      guard let entity = stored.entity(others.integer(row, 0)) else { continue }
      let number = stored.number(of: entity)
      try connection.run(
        """
        INSERT INTO bolide_mark SELECT \(number), t.bolide_id FROM bolide_change AS c
          JOIN \(quoted(entity.name)) AS t ON t.bolide_id BETWEEN c.id AND coalesce(c.last_id, c.id)
        WHERE c.transaction = \(SystemTables.ownTransaction(stored.schema)) AND c.entity = \(number) AND c.kind <> 3
        """)
    }
  }

  /// Computes what is marked now.
  ///
  /// - Returns: the last entity with such objects; nil for none.
  private func refreshRound() throws -> Entity? {
    var found: Entity?
    var (entity, id) = (Int64.min, Int64.min)
    while true {
      let marked = try connection.run(
        """
        DELETE FROM bolide_mark WHERE ctid = ANY (ARRAY(SELECT ctid FROM bolide_mark WHERE (entity, id) >= ($1, $2)
          ORDER BY entity, id LIMIT \(Self.atOnce) FOR UPDATE SKIP LOCKED)) RETURNING entity, id
        """, [.integer(entity), .integer(id)])
      var ids: [Int64: Set<Int64>] = [:]
      for row in 0..<marked.count { ids[marked.integer(row, 0), default: []].insert(marked.integer(row, 1)) }
      for (number, ids) in ids.mapValues({ $0.sorted() }).sorted(by: { $0.key < $1.key }) {
        (entity, id) = (number, ids.last ?? 0)
        guard let entity = stored.entity(abs(number)) else { continue }
        try number < 0 ? markDependents(on: entity, ids) : refresh(entity, ids)
        found = entity
      }
      if marked.count < Self.atOnce { return found }
    }
  }

  private static let atOnce = 10000

  /// The objects whose derived attributes may not be true yet, as the caller's transaction sees them, by entity.
  ///
  /// - Complexity: O(marks) memory.
  func waiting() throws -> [String: Set<Int64>] {
    var waiting: [String: Set<Int64>] = [:]
    for entity in stored.model.entities {
      let number = stored.number(of: entity)
      func ids(_ query: String, _ parameters: [Parameter] = []) throws -> [Int64] {
        let rows = try connection.run(query, parameters)
        return (0..<rows.count).map { rows.integer($0, 0) }
      }
      func marked(_ number: Int64) throws -> [Int64] {
        try ids("SELECT id FROM bolide_mark WHERE entity = \(number)")
      }
      waiting[entity.name, default: []].formUnion(try marked(number))
      let followed = try marked(-number)
      for (other, found) in try dependents(on: entity, followed) {
        let dependents = try ids("SELECT m.id FROM (\(found)) AS m(id)", [.integers(followed)])
        waiting[other.name, default: []].formUnion(dependents)
      }
    }
    return waiting
  }

  /// Marks what follows rows that a transaction above READ COMMITTED has changed: it may not have seen all of that.
  private func markDependents(on entity: Entity, _ ids: [Int64]) throws {
    for (other, found) in try dependents(on: entity, ids) {
      try connection.run(
        """
        INSERT INTO bolide_mark SELECT DISTINCT \(stored.number(of: other)), m.id FROM (\(found)) AS m(id)
        WHERE m.id IS NOT NULL
        """, [.integers(ids)])
    }
  }

  /// Queries of the ids of what follows an entity's rows, whose ids are the parameter; none without any.
  private func dependents(on entity: Entity, _ ids: [Int64]) throws -> [(entity: Entity, found: String)] {
    if ids.isEmpty { return [] }
    let rows = "SELECT * FROM \(quoted(entity.name)) WHERE bolide_id = ANY ($1)"
    return try stored.model.entities.flatMap { other in
      Copy.all(other, stored.model).flatMap { $0.dependents(on: entity, rows) }.map { (other, $0.query) }
    }
      + Aggregates.all(stored.model).compactMap { aggregates in
        guard let onward = aggregates.onward, aggregates.destination.name == entity.name else { return nil }
        return (
          aggregates.owner,
          """
          SELECT h.\(quoted(aggregates.toOne.column)) FROM \(quoted(aggregates.holder.name)) AS h
          WHERE h.\(quoted(onward.column)) = ANY ($1)
          """
        )
      }
  }

  private func refresh(_ entity: Entity, _ ids: [Int64]) throws {
    if ids.isEmpty { return }
    let table = quoted(entity.name)
    let parameter = [Parameter.integers(ids)]
    try connection.run(
      "SELECT FROM \(table) WHERE bolide_id = ANY ($1) ORDER BY bolide_id FOR NO KEY UPDATE", parameter)
    for aggregates in try Aggregates.all(stored.model) where aggregates.owner.name == entity.name {
      if let onward = aggregates.onward {
        let objects =
          "SELECT h.\(quoted(onward.column)) FROM \(quoted(aggregates.holder.name)) AS h "
          + "WHERE h.\(quoted(aggregates.toOne.column)) = ANY ($1)"
        if let lock = aggregates.lockObjects(objects) {
          try connection.run("SELECT \(lock)", parameter)
        }
      }
      try connection.change(entity, aggregates.refresh("SELECT unnest($1::bigint[])"), parameter)
    }
    for copy in Copy.all(entity, stored.model) {
      if let first = copy.firstColumn {
        let owners = "IN (SELECT t.\(quoted(first)) FROM \(table) AS t WHERE t.bolide_id = ANY ($1))"
        for lock in copy.locks(owners) { try connection.run("SELECT \(lock)", parameter) }
      }
      guard let folding = copy.folding else {
        try connection.change(entity, copy.update("= ANY ($1)"), parameter)
        continue
      }
      let value = copy.value { "t.\(quoted($0))" }
      let texts = try connection.run(
        "SELECT t.bolide_id, \(value) FROM \(table) AS t WHERE t.bolide_id = ANY ($1)", parameter)
      var spelt: [String?] = []
      var owners: [Int64] = []
      for row in 0..<texts.count {
        owners.append(texts.integer(row, 0))
        spelt.append(texts.optionalText(row, 1).map(folding.apply))
      }
      let update = RowUpdate(
        entity: entity, columns: [copy.attribute.name],
        rows: """
          SELECT t.bolide_id, s.text AS v0 FROM unnest($1::bigint[], $2::text[]) AS s(id, text)
          JOIN \(table) AS t ON t.bolide_id = s.id AND t.\(quoted(copy.attribute.name)) IS DISTINCT FROM s.text COLLATE "C"
          """)
      do {
        try connection.change(entity, update.statement, [.integers(owners), .texts(spelt)])
      } catch let error as PostgreSQLError where error.isOfIndexSize {
        // In capitals some letters take three times the bytes.
        let longest = zip(spelt, owners).max { ($0.0?.utf8.count ?? 0) < ($1.0?.utf8.count ?? 0) }
        throw StoreError.spellingTooLong(entity.name, copy.attribute.name, longest?.1 ?? 0)
      }
    }
  }
}
