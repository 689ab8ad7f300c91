internal import GRDB
internal import ImportModel
internal import TypedRows

/// Keeps derived attributes true while chunks are applied with the triggers off.
///
/// Aggregates over what records bring: what a chunk adds and takes away is gathered, and applied once an owner. All
/// others: the objects that a chunk touches are marked, and refreshed before the chunk's end.
final class DerivedUpkeep {
  /// How new rows get the values of their own that depend on nothing derived: SQL over the chunk's row.
  let inline: [(column: String, path: DerivedPath)]

  /// Whether a total was written that is beyond the range of its type.
  var sawNullTotal: Bool { marks.sawNullTotal }

  private let entity: Entity
  private let owners: [DerivedOwners]
  private let marks: DerivedInvalidations
  private let refresh: DerivedRefresh
  private let readers: [Reader]
  /// The entity's own derived attributes that a changed row may have to change.
  private let own: [DerivedNode]
  /// Those that a new row does not get inline.
  private let late: [DerivedNode]
  /// The aggregates over derived attributes of the entity, or of objects that it links.
  private let further: [FurtherAggregate]
  /// The derived attributes of each entity that links make owners of.
  private let ofOwners: [String: [DerivedNode]]
  /// Marks are only written where some attribute needs them.
  private var isQuiet: Bool { readers.isEmpty && own.isEmpty && further.isEmpty && ofOwners.isEmpty }
  private var changed: [Int64] = []

  /// An aggregate that rows of the chunk join or leave, but whose values they do not have.
  private struct FurtherAggregate {
    let property: Int64
    /// The index of the entity's relationship to the owner.
    let relationship: Int
    /// The columns that its filter reads.
    let filterColumns: [Int]
  }

  /// A path of other objects that comes by the rows of a chunk, or an aggregate whose links lead to them.
  private struct Reader {
    let property: Int64
    let hop: Int
    /// What is read of the row: an attribute, or a path's further relationship.
    let column: Int?
    let relationship: Int?
  }

  init(
    _ db: Database, layout: ChunkLayout, model: Model, numbers: PropertyNumbers, indexes: DeferredIndexes
  ) throws {
    let plan = try DerivedPlan(model, numbers)
    let entity = layout.entity
    self.entity = entity
    marks = try DerivedInvalidations(db, plan)
    refresh = try DerivedRefresh(db, plan, numbers, marks: marks)
    owners = try DerivedGroup.all(in: plan).filter { $0.rank == 0 && $0.child.name == entity.name }.map {
      try DerivedOwners(db, $0, layout: layout, numbers: numbers, indexes: indexes)
    }
    own = plan.scalars(of: entity)
    inline = own.filter { $0.rank == 0 }.compactMap { node in node.path.map { (node.attribute.name, $0) } }
    late = own.filter { $0.rank > 0 || $0.path == nil }
    let relationships = entity.toOneRelationships.map(\.name)
    further = plan.aggregates(over: entity).filter { $0.node.rank > 0 }.compactMap { node, children in
      guard let relationship = relationships.firstIndex(of: children.toOne.name) else { return nil }
      let filterColumns = children.filterAttributes.compactMap { name in
        layout.columns[..<layout.storedCount].firstIndex { $0.name == name }
      }
      return FurtherAggregate(
        property: node.property, relationship: relationship, filterColumns: filterColumns)
    }
    var readers = plan.paths(by: entity).compactMap { node, path, hop -> Reader? in
      let isEnd = hop == path.hops.count
      // What is derived at the end marks its readers when it is written.
      if isEnd && path.attribute.derivation != nil { return nil }
      return Reader(
        property: node.property, hop: hop,
        column: isEnd ? layout.columns.firstIndex { $0.name == path.attribute.name } : nil,
        relationship: isEnd ? nil : relationships.firstIndex(of: path.hops[hop].relationship.name))
    }
    readers += plan.aggregates(throughLinksTo: entity).flatMap { node, children in
      children.readAttributes.map { name in
        Reader(
          property: node.property, hop: 1, column: layout.columns.firstIndex { $0.name == name },
          relationship: nil)
      }
    }
    var ofOwners: [String: [DerivedNode]] = [:]
    for owner in layout.owners {
      let scalars = plan.scalars(of: owner.entity)
      if !scalars.isEmpty { ofOwners[owner.entity.name] = scalars }
    }
    self.ofOwners = ofOwners
    self.readers = readers
  }

  /// Forgets the chunk before.
  func begin() {
    for owners in owners { owners.begin() }
    changed.removeAll(keepingCapacity: true)
  }

  /// New rows join their owners.
  func add(_ chunk: Chunk, _ rows: [Int32], links: Links) throws {
    for group in owners {
      guard let owners = links.owners(ofRelationship: group.relationship, chunk) else { continue }
      try group.add(chunk, rows, to: owners, links)
    }
    for aggregate in further {
      let owners = links.owners(ofRelationship: aggregate.relationship, chunk) ?? []
      for row in rows where !owners.isEmpty && owners[Int(row)] != 0 {
        try marks.mark(aggregate.property, owners[Int(row)])
      }
    }
  }

  /// A row gets other values, or another owner.
  ///
  /// - Parameter stored: the row as it is in the table; cells that the record left out are not filled yet.
  func revise(_ chunk: Chunk, _ row: Int, stored: TableRow, links: Links) throws {
    let (old, new) = (RowState.stored(stored), RowState.revised(chunk, row, stored))
    // Links have nothing but their key, so they are never revised.
    for owners in owners where owners.objects == nil {
      let before = stored.link(owners.relationship)
      let after = links.newOwner(ofRelationship: owners.relationship, row) ?? before
      if before == after {
        if before != 0 { try owners.replace(before, old: old, new: new) }
      } else {
        if before != 0 { try owners.move(before, by: -1, old) }
        if after != 0 { try owners.move(after, by: 1, new) }
      }
    }
    if isQuiet { return }
    if !own.isEmpty { changed.append(stored.id) }
    for aggregate in further {
      let before = stored.link(aggregate.relationship)
      let after = links.newOwner(ofRelationship: aggregate.relationship, row) ?? before
      guard after != before || aggregate.filterColumns.contains(where: { old.value($0) != new.value($0) })
      else { continue }
      for owner in Set([before, after]) where owner != 0 { try marks.mark(aggregate.property, owner) }
    }
    for reader in readers {
      let isRelinked =
        reader.relationship.flatMap { index in
          links.newOwner(ofRelationship: index, row).map { $0 != stored.link(index) }
        } ?? false
      let isOther = reader.column.map { old.value($0) != new.value($0) } ?? false
      if isRelinked || isOther { try marks.mark(reader.property, hop: reader.hop, stored.id) }
    }
  }

  /// Writes what was gathered, and refreshes what was marked.
  ///
  /// - Parameters:
  ///   - new: the ids of the new rows.
  ///   - isMade: whether an object of an entity was made for this chunk: its history is its insertion alone.
  ///   - clock: the chunk's instant.
  func end(
    history: HistoryWriter, links: Links, new: ClosedRange<Int64>?, clock: String,
    isMade: (_ entity: String, _ object: Int64) -> Bool
  ) throws {
    for owners in owners {
      try owners.end(history: history, isMade: { isMade(owners.entityName, $0) }, marks: marks)
    }
    if let new, !late.isEmpty {
      for id in new { for node in late { try marks.mark(node.property, id) } }
    }
    for id in changed { for node in own { try marks.mark(node.property, id) } }
    for (entity, nodes) in ofOwners {
      for id in links.made(entity) { for node in nodes { try marks.mark(node.property, id) } }
    }
    try refresh.run(history: history, clock: clock, isNew: isMade)
  }

  /// Refreshes what the triggers have marked.
  func refreshMarked(clock: String) throws {
    try refresh.run(history: nil, clock: clock)
  }
}
