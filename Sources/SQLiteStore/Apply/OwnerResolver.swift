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
  private let storages: [StorageClass]
  private var known: [Key: Int64] = [:]

  /// An owner's key. Texts are bytes here: to `String`, two spellings of one character are the same.
  private struct Key: Hashable {
    var parts: [Value]
  }

  init(_ db: Database, owner: ChunkLayout.Owner, layout: ChunkLayout) throws {
    (self.db, self.owner) = (db, owner)
    storages = layout.columns[owner.columns].map(\.storage)
    let key = layout.columns[owner.columns].map(\.attribute.name)
    let names = key.map(quoted)
    find = try RawStatement(db, idOf: owner.entity, key: key)
    make = try RawStatement(
      db,
      """
      INSERT INTO \(quoted(owner.entity.name))(\(names.joined(separator: ", ")))
      VALUES (\(names.map { _ in "?" }.joined(separator: ", "))) RETURNING bolide_id
      """)
  }

  /// Forgets the chunk before: other programs may have deleted owners since.
  func begin(_ chunk: Chunk) {
    known.removeAll(keepingCapacity: true)
    made.removeAll(keepingCapacity: true)
    ids = [Int64](repeating: 0, count: chunk.count)
  }

  /// Gives every row its owner. A null or absent part of the key makes no link.
  func resolve(_ chunk: Chunk, rows: [Int32], history: HistoryWriter, numbers: PropertyNumbers) throws {
    var newIDs: [Int64] = []
    var previous: Int?
    for row in rows.lazy.map(Int.init) {
      if let previous, isSameKey(chunk, previous, row) {
        ids[row] = ids[previous]
      } else if let key = key(chunk, row) {
        if let id = known[key] {
          ids[row] = id
        } else {
          let (id, isNew) = try findOrMake(key)
          known[key] = id
          ids[row] = id
          if isNew { newIDs.append(id) }
        }
      }
      previous = row
    }
    made.formUnion(newIDs)
    try noteInserts(newIDs.sorted(), history, numbers.entity(owner.entity.name))
  }

  private func noteInserts(_ ids: [Int64], _ history: HistoryWriter, _ entity: Int64) throws {
    var start = 0
    for index in ids.indices where index + 1 == ids.count || ids[index + 1] != ids[index] + 1 {
      try history.noteInserts(entity, ids[start]...ids[index])
      start = index + 1
    }
  }

  private func findOrMake(_ key: Key) throws -> (id: Int64, isNew: Bool) {
    for (statement, isNew) in [(find, false), (make, true)] {
      for (index, part) in key.parts.enumerated() {
        bind(part, storages[index], to: statement, at: index + 1)
      }
      defer { statement.reset() }
      let isFound = try db.naming(fullIDsOf: owner.entity.name) { try statement.step() }
      if isFound { return (statement.integer(0), isNew) }
    }
    throw StoreError.noOwner(owner.entity.name)
  }

  private func bind(_ part: Value, _ storage: StorageClass, to statement: RawStatement, at index: Int) {
    guard storage == .text, case .blob(let bytes) = part else {
      return statement.bind(part, at: Int32(index))
    }
    bytes.withUnsafeBufferPointer { statement.bind(text: $0, at: Int32(index), copying: true) }
  }

  private func isSameKey(_ chunk: Chunk, _ left: Int, _ right: Int) -> Bool {
    zip(owner.columns, storages).allSatisfy { column, storage in
      guard chunk.state(column, left) == chunk.state(column, right) else { return false }
      guard chunk.state(column, left) == .value else { return true }
      switch storage {
      case .integer, .real: return chunk.cell(column, left) == chunk.cell(column, right)
      case .text, .blob: return chunk.bytes(column, left).elementsEqual(chunk.bytes(column, right))
      }
    }
  }

  private func key(_ chunk: Chunk, _ row: Int) -> Key? {
    var parts: [Value] = []
    for (column, storage) in zip(owner.columns, storages) {
      guard chunk.state(column, row) == .value else { return nil }
      switch storage {
      case .integer: parts.append(.integer(chunk.integer(column, row)))
      case .real: parts.append(.real(chunk.real(column, row)))
      case .text, .blob: parts.append(.blob(Array(chunk.bytes(column, row))))
      }
    }
    return Key(parts: parts)
  }
}
