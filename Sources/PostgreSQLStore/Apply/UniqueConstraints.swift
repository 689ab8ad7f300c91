internal import ChunkMerging
internal import ImportModel
internal import PostgreSQLAccess
internal import TypedRows

/// Keeps the constraints besides the key: rejects what clashes.
///
/// A one-to-one link is a constraint too: its values are the owner's key, so an owner need not be there yet. Who has the values
/// that rows take is asked for each constraint at once; `UniqueConflictResolver` decides where somebody has. Values that rows
/// hand on to each other need no further care: the server compares behind the statement.
struct UniqueConstraints {
  private let connection: PostgreSQLConnection
  private let layout: ChunkLayout

  /// - Returns: nil when the entity has none.
  init?(_ connection: PostgreSQLConnection, layout: ChunkLayout) {
    guard !layout.constraints.isEmpty else { return nil }
    (self.connection, self.layout) = (connection, layout)
  }

  /// Takes from the chunk's order the rows that clash, and adds them to its rejects.
  /// No new row lacks a required value.
  func resolve(_ chunk: Chunk, _ stored: StoredRows, input: String) throws {
    let owners = try layout.constraints.map { try storedOwners($0, chunk, stored) }
    let claimants = chunk.order.compactMap { row -> Claimant? in
      guard let tuple = stored.tuple(row) else {
        return Claimant(
          row: row, id: nil, claims: layout.constraints.map { $0.owner == nil || isLinked($0, chunk, row) })
      }
      let claims = layout.constraints.enumerated().map { place, constraint -> Bool in
        guard let owner = constraint.owner else {
          return constraint.columns.contains { stored.differs(chunk, Int(row), $0, tuple) }
        }
        guard owner.timing == .always, isLinked(constraint, chunk, row) else { return false }
        return owners[place][row] != stored.id(tuple)
      }
      return claims.contains(true) ? Claimant(row: row, id: stored.id(tuple), claims: claims) : nil
    }
    guard !claimants.isEmpty else { return }
    fillAbsent(claimants, chunk, stored)
    let found = try layout.constraints.indices.map { try holders($0, claimants, chunk) }
    let rejected = chunk.rejectClashes(claimants, found, input: input)
    if !rejected.isEmpty { chunk.order.removeAll(where: rejected.contains) }
  }

  /// A row claims all values of a constraint: what its record left out of them is the store's.
  private func fillAbsent(_ claimants: [Claimant], _ chunk: Chunk, _ stored: StoredRows) {
    for claimant in claimants {
      guard let tuple = stored.tuple(claimant.row) else { continue }
      for constraint in layout.constraints where constraint.owner == nil {
        for column in constraint.columns where chunk.state(column, Int(claimant.row)) == .absent {
          chunk.set(stored.value(tuple, column), column, Int(claimant.row))
        }
      }
    }
  }

  /// Whether a row says the whole key of its owner.
  private func isLinked(_ constraint: ChunkLayout.Constraint, _ chunk: Chunk, _ row: Int32) -> Bool {
    constraint.columns.allSatisfy { chunk.state($0, Int(row)) == .value }
  }

  /// For a one-to-one link, the object that leads to each row's owner now.
  private func storedOwners(
    _ constraint: ChunkLayout.Constraint, _ chunk: Chunk, _ stored: StoredRows
  ) throws -> [Int32: Int64] {
    guard constraint.owner != nil else { return [:] }
    return try holders(constraint, chunk.order.filter { isLinked(constraint, chunk, $0) }, chunk)
  }

  private func holders(_ constraint: Int, _ claimants: [Claimant], _ chunk: Chunk) throws -> [Int32: Int64] {
    try holders(layout.constraints[constraint], claimants.filter { $0.claims[constraint] }.map(\.row), chunk)
  }

  /// Who has the values that rows have in a constraint: object ids by row.
  private func holders(
    _ constraint: ChunkLayout.Constraint, _ rows: [Int32], _ chunk: Chunk
  ) throws -> [Int32: Int64] {
    guard !rows.isEmpty else { return [:] }
    let keys = KeyRows(layout, constraint.columns)
    let table = quoted(layout.entity.name)
    let joins =
      constraint.owner.map {
        "JOIN \(quoted($0.entity.name)) AS o ON \(keys.equal("o")) "
          + "JOIN \(table) AS t ON t.\(quoted($0.relationship.column)) = o.bolide_id"
      } ?? "JOIN \(table) AS t ON \(keys.equal("t"))"
    let found = try connection.run(
      "SELECT x.place, t.bolide_id FROM \(keys.table) \(joins)", keys.parameters(chunk, rows))
    var holders: [Int32: Int64] = [:]
    for tuple in 0..<found.count { holders[rows[Int(found.integer(tuple, 0)) - 1]] = found.integer(tuple, 1) }
    return holders
  }
}
