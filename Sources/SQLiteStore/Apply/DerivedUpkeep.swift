internal import GRDB
internal import ImportModel

/// Keeps the owners' counts and sums true: gathers what a chunk adds and takes away, and applies it once an owner.
final class DerivedUpkeep {
  private let owners: [DerivedOwners]

  init(_ db: Database, layout: ChunkLayout, model: Model, numbers: PropertyNumbers) throws {
    owners = try DerivationGroup.over(layout.entity, in: model).map {
      try DerivedOwners(db, $0, layout: layout, numbers: numbers)
    }
  }

  /// Forgets the chunk before.
  func begin() {
    for owners in owners { owners.begin() }
  }

  /// A new row joins its owners.
  func add(_ chunk: Chunk, _ row: Int, links: Links) {
    for owners in owners {
      let id = links.id(ofRelationship: owners.relationship, row) ?? 0
      if id != 0 { owners.move(id, by: 1) { Number(chunk, row, $0) } }
    }
  }

  /// A row gets other values, or another owner.
  ///
  /// - Parameter stored: the row as it is in the table; cells that the record left out are not filled yet.
  func revise(_ chunk: Chunk, _ row: Int, stored: StoredRow, links: Links) {
    for owners in owners {
      let before = stored.link(owners.relationship)
      let after = links.newOwner(ofRelationship: owners.relationship, row) ?? before
      let old = { (column: Int) in Number(stored.statement, stored.column(column)) }
      let new = { (column: Int) in
        chunk.state(column, row) == .absent ? old(column) : Number(chunk, row, column)
      }
      if before == after {
        if before != 0 { owners.replace(before, old: old, new: new) }
      } else {
        if before != 0 { owners.move(before, by: -1, old) }
        if after != 0 { owners.move(after, by: 1, new) }
      }
    }
  }

  /// Writes what was gathered.
  ///
  /// - Parameter links: knows which owners were made for this chunk; their history is their insertion alone.
  func end(history: HistoryWriter, links: Links) throws {
    for owners in owners { try owners.end(history: history, made: links.made(owners.entityName)) }
  }
}

/// A number of either kind; null counts as 0.
enum Number {
  case integer(Int64)
  case real(Double)

  init(_ chunk: Chunk, _ row: Int, _ column: Int) {
    let isReal = chunk.layout.columns[column].storage == .real
    guard chunk.state(column, row) == .value else {
      self = isReal ? .real(0) : .integer(0)
      return
    }
    self = isReal ? .real(chunk.real(column, row)) : .integer(chunk.integer(column, row))
  }

  init(_ statement: RawStatement, _ column: (index: Int32, isReal: Bool)) {
    // SQLite reads null as 0.
    self = column.isReal ? .real(statement.real(column.index)) : .integer(statement.integer(column.index))
  }

  var integer: Int64 {
    if case .integer(let value) = self { value } else { 0 }
  }

  var real: Double {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    }
  }
}
