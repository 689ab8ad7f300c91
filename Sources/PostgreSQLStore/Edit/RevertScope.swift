internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface

/// Which changes a revert takes back, and which objects somebody else has changed since the first of them.
struct RevertScope {
  /// The number of the last transaction before them.
  let start: Int64
  private let target: RevertTarget
  private let connection: PostgreSQLConnection
  private let stored: StoredModel

  /// - Throws: `StoreError` when there is no such run, it is at work, or history does not go back to the state before it.
  init(_ objects: StoredObjects, _ target: RevertTarget, schema: String) throws {
    (connection, stored, self.target) = (objects.connection, objects.stored, target)
    let positions = try Positions(connection, stored, objects.path)
    switch target {
    case .token(let token):
      try positions.check(token)
      guard token.inside == nil else { throw StoreError.insideTransaction(token) }
      start = token.number
      let open = try connection.run(
        """
        SELECT run FROM bolide_run WHERE ended IS NULL AND last_number > \(token.number) ORDER BY run
        """)
      for row in 0..<open.count {
        try Self.checkEnded(open.integer(row, 0), objects, schema)
      }
    case .run(let run):
      let row = try connection.run("SELECT before, last_number FROM bolide_run WHERE run = \(run)")
      guard row.count == 1 else { throw StoreError.noRun(run, objects.path) }
      try Self.checkEnded(run, objects, schema)
      start = row.integer(0, 0)
      if row.isNull(0, 1) { return }
      if positions.floor > start {
        throw StoreError.prunedRun(run, through: positions.floor, objects.path)
      }
      if positions.gap > start { throw StoreError.gapSince(run: run, positions.gap, objects.path) }
    }
  }

  private static func checkEnded(_ run: Int64, _ objects: StoredObjects, _ schema: String) throws {
    guard try PipelineRuns(objects.connection, objects.stored, schema).isAtWork(run) else { return }
    throw StoreError.runAtWork(run, objects.path)
  }

  /// The objects that the reverted changes touched, and those that others touched among these changes, or have left otherwise
  /// after the last one; by entity. What only follows from other rows is no change here.
  ///
  /// - Complexity: O(changes since then) memory.
  func objects() throws -> (own: [String: Set<Int64>], other: [String: Set<Int64>]) {
    var (own, other): ([String: Set<Int64>], [String: Set<Int64>]) = ([:], [:])
    let newest = try connection.run(
      "SELECT max(number) FROM bolide_transaction AS t WHERE number > \(start) AND \(isOwn)")
    guard let end = newest.optionalInteger(0, 0) else { return (own, other) }
    let derived = stored.model.entities.flatMap { entity in
      entity.derivedAttributes.map { stored.number(of: $0.name, in: entity) }
    }
    let changes = try connection.run(
      """
      SELECT c.entity, c.id, coalesce(c.last_id, c.id), \(isOwn)
      FROM bolide_change AS c JOIN bolide_transaction AS t ON t.id = c.transaction
      WHERE t.number > \(start) AND t.number <= \(end)
        AND (c.kind <> 2 OR c.erased @> ARRAY[\(StoredChange.all)] OR NOT c.properties::bigint[] <@ $1)
      """, [.integers(derived)])
    for row in 0..<changes.count {
      guard let entity = stored.entity(changes.integer(row, 0)) else { continue }
      let ids = changes.integer(row, 1)...changes.integer(row, 2)
      if changes.integer(row, 3) != 0 {
        own[entity.name, default: []].formUnion(ids)
      } else if ids.count == 1 {
        // Many at once are new ids, which nobody had before.
        other[entity.name, default: []].insert(ids.lowerBound)
      }
    }
    try NetChanges(connection, stored).read(
      HistoryRequest(), after: end, through: .max, tellsWidened: false
    ) { change in
      if !change.isDerived { other[change.entity, default: []].insert(change.id) }
    } commit: { _ in
    }
    return (own, other)
  }

  /// The condition on a transaction `t` that what it did is taken back.
  private var isOwn: String {
    if case .run(let run) = target { "coalesce(t.run = \(run), false)" } else { "true" }
  }

  /// Notes at the runs which transaction takes back what they did: the one that is open, which comes next.
  func markRuns() throws {
    if case .token(let token) = target {
      // Reverts that are undone themselves.
      try connection.run("UPDATE bolide_run SET reverted = NULL WHERE reverted > \(token.number)")
    }
    let runs =
      switch target {
      case .run(let run): "run = \(run)"
      case .token(let token): "run IN (SELECT run FROM bolide_transaction WHERE number > \(token.number))"
      }
    try connection.run(
      "UPDATE bolide_run SET reverted = 1 + (SELECT last_number FROM bolide_store) WHERE \(runs)")
  }
}
