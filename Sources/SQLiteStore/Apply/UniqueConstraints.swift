internal import ChunkMerging
internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import TypedRows

/// Keeps the constraints besides the key: rejects what clashes, and makes room for values that rows hand on.
///
/// A one-to-one link is a constraint too. Its values are the owner's key, so an owner need not be there yet; a row without
/// an owner claims nothing, and gives up nothing.
///
/// One join with the table finds the rows that take other values in a constraint, one probe a constraint finds who has
/// these values. Usually nobody has, and the chunk goes on as it is. Otherwise `UniqueConflictResolver` decides, and the rows whose
/// values go to others are parked: they get values that nobody has, so that the statements over the whole chunk never
/// meet two rows with the same.
final class UniqueConstraints {
  private let layout: ChunkLayout
  private let query: RawStatement
  /// The columns that the query gives behind place and id: those of all constraints.
  private let columns: [Int]
  /// Those of them that are attributes.
  private let attributes: [Int]
  private let holders: [RawStatement]
  private var digests: Set<Int> = []

  /// - Returns: nil when the entity has none.
  init?(_ db: Database, layout: ChunkLayout) throws {
    guard !layout.constraints.isEmpty else { return nil }
    self.layout = layout
    let table = quoted(layout.entity.name)
    func name(_ column: Int) -> String { quoted(layout.columns[column].name) }
    attributes = Set(layout.constraints.filter { $0.owner == nil }.flatMap(\.columns)).sorted()
    var selected = attributes.map { "t.\(name($0))" }
    var owners = ""
    columns = attributes + layout.constraints.flatMap { $0.owner == nil ? [] : $0.columns }
    for (number, owner) in layout.constraints.compactMap(\.owner).enumerated() {
      selected += owner.columns.map { "o\(number).\(quoted(layout.columns[$0].attribute.name))" }
      owners +=
        "\nLEFT JOIN \(quoted(owner.entity.name)) AS o\(number) ON o\(number).bolide_id = "
        + "t.\(quoted(owner.relationship.column))"
    }
    query = try RawStatement(
      db,
      """
      SELECT x.bolide_place, t.bolide_id, \(selected.joined(separator: ", ")) FROM \(layout.joinedByKey)\(owners)
      """)
    // CROSS JOIN keeps SQLite from scanning the chunk once for each row of a small table.
    holders = try layout.constraints.map { constraint in
      let values = constraint.owner == nil ? "t" : "o"
      let equal = constraint.columns.map { column -> String in
        let value = constraint.owner == nil ? name(column) : quoted(layout.columns[column].attribute.name)
        return "\(values).\(value) = x.\(name(column))"
      }.joined(separator: " AND ")
      let joins =
        constraint.owner.map {
          "CROSS JOIN \(quoted($0.entity.name)) AS o ON \(equal) "
            + "CROSS JOIN \(table) AS t ON t.\(quoted($0.relationship.column)) = o.bolide_id"
        } ?? "CROSS JOIN \(table) AS t ON \(equal)"
      return try RawStatement(
        db, "SELECT x.bolide_place, t.bolide_id FROM \(layout.tableName) AS x \(joins)")
    }
  }

  /// Takes from the chunk's order the rows that clash, and adds them to its rejects.
  ///
  /// New rows that lack a required value are rejected here too: they must not keep others out.
  /// - Returns: the values to park before anything is written.
  func resolve(_ chunk: Chunk, table: ChunkTable, input: String) throws -> Set<DeferredUniqueness.Owner> {
    var rejected: Set<Int32> = []
    let claimants = try table.show(chunk, rows: chunk.order[...]) {
      try findClaimants(chunk, &rejected, input: input)
    }
    var parks: Set<DeferredUniqueness.Owner> = []
    let found = try layout.constraints.indices.map { try findHolders($0, claimants, chunk, table) }
    if found.contains(where: { !$0.isEmpty }) || hasEqualClaims(claimants, chunk) {
      rejected.formUnion(
        chunk.rejectClashes(claimants, found, input: input) {
          parks.insert(DeferredUniqueness.Owner(id: $0, constraint: $1))
        })
    }
    if !rejected.isEmpty { chunk.order.removeAll(where: rejected.contains) }
    return parks
  }

  // MARK: Claims

  private func findClaimants(
    _ chunk: Chunk, _ rejected: inout Set<Int32>, input: String
  ) throws -> [Claimant] {
    var claimants: [Claimant] = []
    defer { query.reset() }
    while try query.step() {
      let row = chunk.order[Int(query.integer(0))]
      if query.isNull(1) {
        if let attribute = chunk.missingAttribute(Int(row)) {
          chunk.rejectIncomplete(Int(row), attribute, input: input)
          rejected.insert(row)
          continue
        }
        for column in attributes where chunk.state(column, Int(row)) == .absent {
          if let value = layout.columns[column].attribute.defaultValue { chunk.set(value, column, Int(row)) }
        }
        let claims = layout.constraints.map { $0.owner == nil || isLinked($0, chunk, Int(row)) }
        claimants.append(Claimant(row: row, id: nil, claims: claims))
      } else {
        let changed = changedColumns(chunk, Int(row))
        guard !changed.isEmpty else { continue }
        let claims = layout.constraints.map { constraint in
          let takesPart =
            constraint.owner.map { $0.timing == .always && isLinked(constraint, chunk, Int(row)) } ?? true
          return takesPart && constraint.columns.contains(where: changed.contains)
        }
        claimants.append(Claimant(row: row, id: query.integer(1), claims: claims))
      }
    }
    return claimants
  }

  /// Whether a row says the whole key of its owner.
  private func isLinked(_ constraint: ChunkLayout.Constraint, _ chunk: Chunk, _ row: Int) -> Bool {
    constraint.columns.allSatisfy { chunk.state($0, row) == .value }
  }

  /// The columns in which a row has other values than the table. What the record left out takes the table's; an owner's
  /// key stays left out.
  private func changedColumns(_ chunk: Chunk, _ row: Int) -> [Int] {
    var changed: [Int] = []
    for (place, column) in columns.enumerated() {
      let index = Int32(place + 2)
      if chunk.state(column, row) == .absent {
        if place < attributes.count { chunk.set(column, row, to: query, index) }
      } else if chunk.state(column, row) == .value, chunk.part(column, row, differsFrom: query, index) {
        changed.append(column)
      }
    }
    return changed
  }

  /// Who has the values that rows claim in a constraint: object ids by row.
  private func findHolders(
    _ constraint: Int, _ claimants: [Claimant], _ chunk: Chunk, _ table: ChunkTable
  ) throws -> [Int32: Int64] {
    let rows = claimants.filter { $0.claims[constraint] }.map(\.row)
    guard !rows.isEmpty else { return [:] }
    let statement = holders[constraint]
    return try table.show(chunk, rows: rows[...]) {
      var found: [Int32: Int64] = [:]
      defer { statement.reset() }
      while try statement.step() { found[rows[Int(statement.integer(0))]] = statement.integer(1) }
      return found
    }
  }

  /// Whether two rows may claim the same. Equal hashes of different values are as good a reason to look closely.
  private func hasEqualClaims(_ claimants: [Claimant], _ chunk: Chunk) -> Bool {
    for (constraint, values) in layout.constraints.enumerated() {
      digests.removeAll(keepingCapacity: true)
      for claimant in claimants where claimant.claims[constraint] {
        guard let digest = chunk.digest(of: values.columns, row: Int(claimant.row)) else { continue }
        if !digests.insert(digest).inserted { return true }
      }
    }
    return false
  }
}

extension Chunk {
  fileprivate func part(_ column: Int, _ row: Int, differsFrom query: RawStatement, _ index: Int32) -> Bool {
    if query.isNull(index) { return true }
    return switch layout.columns[column].storage {
    case .integer: integer(column, row) != query.integer(index)
    case .real: real(column, row) != query.real(index)
    case .text, .blob: !bytes(column, row).elementsEqual(query.bytes(index))
    }
  }
}
