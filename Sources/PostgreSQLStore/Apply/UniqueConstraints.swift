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

  /// A row that takes values.
  private struct Claimant {
    let row: Int32
    /// Nil for a new row.
    let id: Int64?
    /// For each constraint, whether its values are others than the store's.
    let claims: [Bool]
  }

  /// - Returns: nil when the entity has none.
  init?(_ connection: PostgreSQLConnection, layout: ChunkLayout) {
    guard !layout.constraints.isEmpty else { return nil }
    (self.connection, self.layout) = (connection, layout)
  }

  /// Takes from the chunk's order the rows that clash, and adds them to its rejects.
  ///
  /// New rows that lack a required value are rejected here too: they must not keep others out.
  func resolve(_ chunk: Chunk, _ stored: StoredRows, input: String) throws {
    let new = chunk.order.filter { stored.tuple($0) == nil }
    let complete = Set(chunk.completed(new, input: input))
    chunk.order.removeAll { stored.tuple($0) == nil && !complete.contains($0) }
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
    rejectClashes(claimants.sorted { $0.row < $1.row }, found, chunk, input: input)
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
    let (alias, table) = (constraint.owner == nil ? "t" : "o", quoted(layout.entity.name))
    let parameters = constraint.columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
    let names = constraint.columns.indices.map { "k\($0)" } + ["place"]
    let equal = constraint.columns.enumerated().map { place, column in
      let attribute = layout.columns[column].attribute
      return "\(alias).\(quoted(attribute.name)) = \(attribute.type.value(ofParameter: "x.k\(place)"))"
    }.joined(separator: " AND ")
    let joins =
      constraint.owner.map {
        "JOIN \(quoted($0.entity.name)) AS o ON \(equal) JOIN \(table) AS t ON t.\(quoted($0.relationship.column)) = o.bolide_id"
      } ?? "JOIN \(table) AS t ON \(equal)"
    let found = try connection.run(
      """
      SELECT x.place, t.bolide_id FROM unnest(\(parameters)) WITH ORDINALITY AS x(\(names.joined(separator: ", "))) \(joins)
      """, constraint.columns.map { layout.parameter(chunk, $0, rows) })
    var holders: [Int32: Int64] = [:]
    for tuple in 0..<found.count { holders[rows[Int(found.integer(tuple, 0)) - 1]] = found.integer(tuple, 1) }
    return holders
  }

  // MARK: Clashes

  private func rejectClashes(
    _ claimants: [Claimant], _ found: [[Int32: Int64]], _ chunk: Chunk, input: String
  ) {
    var placeOf: [Int64: Int] = [:]
    for (place, claimant) in claimants.enumerated() { if let id = claimant.id { placeOf[id] = place } }
    var numbers: [Values: Int] = [:]
    let claims = claimants.map { claimant in
      layout.constraints.enumerated().map { constraint, value -> UniqueConflictResolver.Claim? in
        guard claimant.claims[constraint] else { return nil }
        let values = Values(
          constraint: constraint, parts: value.columns.map { chunk.part($0, Int(claimant.row)) })
        let number = numbers[values] ?? numbers.count
        numbers[values] = number
        guard let id = found[constraint][claimant.row], id != claimant.id else {
          return UniqueConflictResolver.Claim(number: number, holder: .nobody)
        }
        guard let place = placeOf[id], claimants[place].claims[constraint] else {
          return UniqueConflictResolver.Claim(number: number, holder: .fixed)
        }
        return UniqueConflictResolver.Claim(number: number, holder: .row(place))
      }
    }
    var rejected: Set<Int32> = []
    for (place, verdict) in UniqueConflictResolver.verdicts(claims).enumerated() {
      guard case .rejected(let constraint) = verdict else { continue }
      rejected.insert(claimants[place].row)
      chunk.rejectClash(Int(claimants[place].row), constraint, input: input)
    }
    if !rejected.isEmpty { chunk.order.removeAll(where: rejected.contains) }
  }

  /// The values of one constraint. Texts are bytes here: to `String`, two spellings of one character are the same.
  private struct Values: Hashable {
    let constraint: Int
    let parts: [Value]
  }
}
