internal import ChunkMerging
internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface
internal import TypedRows

/// The owners that a chunk's rows are linked to by key: found for the whole chunk at once, and made where they are not there.
final class Links {
  private let connection: PostgreSQLConnection
  private let layout: ChunkLayout
  private let stored: StoredModel
  /// For each link the owner of each row of the chunk, 0 for none.
  private var owners: [[Int64]] = []
  /// For each link its place among the entity's to-one relationships.
  private let places: [Int]
  /// What locks the paths along which rows copy values, by the column that leads to the first place.
  private var copied: [String: [String]] = [:]
  /// What locks the owners that count or sum rows, by the column that leads there.
  private var counted: [String: String] = [:]

  init(_ connection: PostgreSQLConnection, layout: ChunkLayout, stored: StoredModel) {
    (self.connection, self.layout, self.stored) = (connection, layout, stored)
    let relationships = layout.entity.toOneRelationships
    places = layout.owners.map { owner in
      relationships.firstIndex { $0.name == owner.relationship.name } ?? 0
    }
    for copy in Copy.all(layout.entity, stored.model) where copy.folding == nil {
      guard let column = copy.firstColumn else { continue }
      for lock in copy.locks("= ANY ($1)").map({ "SELECT \($0)" })
      where copied[column]?.contains(lock) != true {
        copied[column, default: []].append(lock)
      }
    }
    for relationship in relationships where copied[relationship.column] == nil {
      guard let inverse = relationship.inverse,
        let owner = stored.model.entity(named: relationship.destination),
        owner.derivedAttributes.contains(where: {
          $0.derivation?.aggregate?.relationship == inverse
        })
      else { continue }
      counted[relationship.column] =
        "SELECT FROM \(quoted(owner.name)) WHERE bolide_id = ANY ($1) ORDER BY bolide_id FOR NO KEY UPDATE"
    }
  }

  /// Finds or makes the owners of a chunk's rows.
  ///
  /// - Parameter new: the rows that the store does not have: links of the timing `insert` are made for these alone.
  func resolve(_ chunk: Chunk, new: [Int32], now: String) throws {
    owners = try layout.owners.map { owner in
      var ids = [Int64](repeating: 0, count: chunk.count)
      let rows = owner.timing == .always ? chunk.order : new
      try resolve(owner, chunk, rows, &ids, now)
      return ids
    }
  }

  /// A row's owner by a link; 0 for none.
  func owner(_ link: Int, _ row: Int) -> Int64 { owners[link][row] }

  /// The owner that a row of the store has.
  func storedOwner(_ link: Int, _ stored: StoredRows, _ tuple: Int) -> Int64 {
    stored.link(tuple, places[link])
  }

  /// Whether a link that the pipeline owns leads elsewhere than the store's.
  func relinks(_ row: Int, _ stored: StoredRows, _ tuple: Int) -> Bool {
    layout.owners.indices.contains { link in
      guard layout.owners[link].timing == .always, owners[link][row] != 0 else { return false }
      return owners[link][row] != stored.link(tuple, places[link])
    }
  }

  /// Locks the owners whose values rows copy, and what they are copied over: a copy is of what is there until the transaction ends.
  /// Owners that count rows are locked here where two statements write these: all that a chunk changes is locked in one order, or two
  /// connections would wait for one another.
  ///
  /// - Parameters:
  ///   - changed: the rows that are there, whose links that are a part of their keys are what they were.
  ///   - stored: these as they are.
  func lockOwners(of changed: [Int32], _ stored: StoredRows, new: [Int32], _ chunk: Chunk) throws {
    let isMixed = !changed.isEmpty && !new.isEmpty
    let all = isMixed ? copied.merging(counted.mapValues { [$0] }) { copied, _ in copied } : copied
    for (column, locks) in all.sorted(by: { $0.key < $1.key }) {
      var ids: Set<Int64> = []
      if let link = layout.owners.firstIndex(where: { $0.relationship.column == column }) {
        ids = Set((new + changed).map { owners[link][Int($0)] })
        for tuple in changed.compactMap(stored.tuple) { ids.insert(storedOwner(link, stored, tuple)) }
      } else if let place = layout.references.first(where: { layout.columns[$0].name == column }) {
        ids = Set(new.map { chunk.integer(place, Int($0)) })
      }
      ids.remove(0)
      if ids.isEmpty { continue }
      for lock in locks { try connection.run(lock, [.integers(ids.sorted())]) }
    }
  }

  private func resolve(
    _ owner: ChunkLayout.Owner, _ chunk: Chunk, _ rows: [Int32], _ ids: inout [Int64], _ now: String
  ) throws {
    let columns = Array(owner.columns)
    func isSame(_ left: Int, _ right: Int) -> Bool {
      columns.allSatisfy { chunk.compare($0, left, right) == 0 }
    }
    var known = DistinctKeys()
    var distinct: [Int32] = []
    var firsts = [Int32](repeating: -1, count: chunk.count)
    for row in rows.lazy.map(Int.init) {
      guard columns.allSatisfy({ chunk.state($0, row) == .value }),
        let digest = chunk.digest(of: columns, row: row)
      else { continue }
      let first = known.first(like: row, digest) { isSame($0, row) } ?? row
      firsts[row] = Int32(truncatingIfNeeded: first)
      if first == row { distinct.append(Int32(truncatingIfNeeded: row)) }
    }
    guard !distinct.isEmpty else { return }
    let keyed = OwnerRows(owner, layout)
    try keyed.find(connection, chunk, distinct, &ids)
    let absent = distinct.filter { ids[Int($0)] == 0 }
    if !absent.isEmpty {
      let made = try NewObjects(connection, owner.entity, stored.number(of: owner.entity)).reserve(
        absent.count)
      let written = try keyed.make(connection, stored.model, chunk, absent, made, now)
      let hasOthers = try connection.hasOtherTriggers(owner.entity)
      if hasOthers || written < absent.count {
        try keyed.find(connection, chunk, absent, &ids)
        let areLost = absent.contains { ids[Int($0)] == 0 }
        if areLost, hasOthers {
          throw written < absent.count
            ? StoreError.rowsKeptOut(owner.entity.name) : .keysRewritten(owner.entity)
        }
      }
      guard written == absent.count else { throw ChunkConflict() }
      for (row, id) in zip(absent, made) { ids[Int(row)] = id }
    }
    for row in rows.lazy.map(Int.init) where firsts[row] >= 0 { ids[row] = ids[Int(firsts[row])] }
  }
}

extension PostgreSQLConnection {
  /// Whether other programs have triggers on an entity's table.
  func hasOtherTriggers(_ entity: Entity) throws -> Bool {
    try run("SELECT bolide_has_others(\(literal(quoted(entity.name)))::regclass)").integer(0, 0) != 0
  }
}

/// Owners by their keys, which stand in columns of a chunk.
private struct OwnerRows {
  let entity: Entity
  let names: [String]
  let keys: KeyRows

  init(_ owner: ChunkLayout.Owner, _ layout: ChunkLayout) {
    entity = owner.entity
    names = layout.columns[owner.columns].map(\.attribute.name)
    keys = KeyRows(layout, Array(owner.columns))
  }

  /// Writes the object of each row that is there to its place in `ids`.
  func find(_ connection: PostgreSQLConnection, _ chunk: Chunk, _ wanted: [Int32], _ ids: inout [Int64])
    throws
  {
    let found = try connection.run(
      "SELECT x.place, t.bolide_id FROM \(keys.table) JOIN \(quoted(entity.name)) AS t ON \(keys.equal("t"))",
      keys.parameters(chunk, wanted))
    for tuple in 0..<found.count {
      ids[Int(wanted[Int(found.integer(tuple, 0)) - 1])] = found.integer(tuple, 1)
    }
  }

  /// Makes objects that have nothing but their keys.
  ///
  /// - Returns: how many were made: fewer where another writer has made one meanwhile.
  func make(
    _ connection: PostgreSQLConnection, _ model: Model, _ chunk: Chunk, _ wanted: [Int32], _ ids: [Int64],
    _ now: String
  ) throws -> Int {
    let times = entity.derivedAttributes.filter { $0.derivation == .now }
    let copies = Copy.all(entity, model).filter { $0.folding == nil }
    let last = keys.count + 1
    let (id, instant) = ("($\(last)::bigint[])[x.place]", "$\(last + 1)::text::timestamptz")
    func next(_ name: String) -> String {
      if let place = names.firstIndex(of: name) { return keys.value(place) }
      if let copy = copies.first(where: { $0.attribute.name == name }) { return copy.value(next) }
      if let time = times.first(where: { $0.name == name }) { return EntityTriggers.now(time, instant) }
      return name == "bolide_id" ? id : entity.start(of: name)
    }
    let columns = ["bolide_id"] + names + (times + copies.map(\.attribute)).map(\.name)
    let values =
      [id] + names.indices.map(keys.value) + times.map { EntityTriggers.now($0, instant) }
      + copies.map { next($0.attribute.name) }
    return try connection.run(
      """
      INSERT INTO \(quoted(entity.name))(\(columns.map(quoted).joined(separator: ", ")))
      SELECT \(values.joined(separator: ", ")) FROM \(keys.table) WHERE $\(last + 1)::text IS NOT NULL
      ON CONFLICT (\(entity.keyColumns.map(quoted).joined(separator: ", "))) DO NOTHING
      """, keys.parameters(chunk, wanted) + [.integers(ids), .text(now)]
    ).affected
  }
}
