internal import ChunkMerging
internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import StoreInterface
internal import TypedRows

/// Finds the owners that a chunk's rows are linked to by key, and makes those that are not there.
final class OwnerResolver {
  let owner: ChunkLayout.Owner
  /// The owner's object id for each row of the chunk, 0 for none. Filled by `resolve`.
  private(set) var ids: [Int64] = []
  /// The owners that were made for this chunk: their first history is their insertion.
  private(set) var made: Set<Int64> = []

  private let db: Database
  private let find: RawStatement
  private let make: RawStatement
  /// The chunk's columns of the owner's key, and how they are stored.
  private let columns: [Int]
  private let storages: [StorageClass]
  private var known = DistinctKeys()

  init(_ db: Database, owner: ChunkLayout.Owner, layout: ChunkLayout) throws {
    (self.db, self.owner, columns) = (db, owner, Array(owner.columns))
    storages = layout.columns[owner.columns].map(\.storage)
    let key = layout.columns[owner.columns].map(\.attribute.name)
    let names = key.map(quoted)
    find = try RawStatement(db, idOf: owner.entity, key: key)
    make = try RawStatement(
      db,
      """
      INSERT INTO \(quoted(owner.entity.name))(\(names.joined(separator: ", ")))
      VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))
      """)
  }

  /// Forgets the chunk before: other programs may have deleted owners since.
  func begin(_ chunk: Chunk) {
    known = DistinctKeys()
    made.removeAll(keepingCapacity: true)
    ids = [Int64](repeating: 0, count: chunk.count)
  }

  /// Gives every row its owner. A null or absent part of the key makes no link.
  func resolve(_ chunk: Chunk, rows: [Int32], history: HistoryWriter, numbers: PropertyNumbers) throws {
    // Local variables, as each way into a class's property is guarded.
    var newIDs: [Int64] = []
    var (ids, known) = (self.ids, self.known)
    self.ids = []
    self.known = DistinctKeys()
    defer { (self.ids, self.known) = (ids, known) }
    var previous: Int?
    for row in rows.lazy.map(Int.init) {
      // Rows beside each other in the key's order often have one owner.
      if let previous, isSameKey(chunk, previous, row) {
        ids[row] = ids[previous]
        continue
      }
      guard let digest = chunk.digest(of: columns, row: row) else { continue }
      previous = row
      if let other = known.first(like: row, digest, isSame: { isSameKey(chunk, $0, row) }) {
        ids[row] = ids[other]
      } else {
        let (id, isNew) = try findOrMake(chunk, row)
        ids[row] = id
        if isNew { newIDs.append(id) }
      }
    }
    made.formUnion(newIDs)
    let entity = numbers.entity(owner.entity.name)
    for ids in newIDs.sorted().ranges { try history.noteInserts(entity, ids) }
  }

  private func findOrMake(_ chunk: Chunk, _ row: Int) throws -> (id: Int64, isNew: Bool) {
    find.bind(chunk, row, columns: columns)
    if try find.step() {
      defer { find.reset() }
      return (find.integer(0), false)
    }
    make.bind(chunk, row, columns: columns)
    try db.naming(fullIDsOf: owner.entity.name) { try make.run() }
    // A trigger of another program's may have kept it out.
    if db.changesCount == 1 { return (db.lastInsertedRowID, true) }
    throw StoreError.insertionPrevented(owner.entity.name)
  }

  /// Whether a row has the same key as another, which has one.
  private func isSameKey(_ chunk: Chunk, _ left: Int, _ right: Int) -> Bool {
    for (place, column) in columns.enumerated() {
      guard chunk.state(column, right) == .value else { return false }
      let isSame =
        switch storages[place] {
        case .integer, .real: chunk.cell(column, left) == chunk.cell(column, right)
        case .text, .blob: ordering(chunk.bytes(column, left), chunk.bytes(column, right)) == 0
        }
      if !isSame { return false }
    }
    return true
  }
}
