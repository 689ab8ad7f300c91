internal import GRDB
internal import ImportModel
internal import TypedRows

/// The owners of a chunk's rows: for all links of the pipeline, and of children their record's object.
struct Links {
  let resolvers: [OwnerResolver]
  /// For each to-one relationship of the entity that is part of the key, the chunk's column of the object's id.
  private let referenceOf: [Int?]
  /// For each to-one relationship of the entity, the pipeline's link for it, if it has one.
  private let linkOf: [Int?]

  init(_ db: Database, layout: ChunkLayout) throws {
    resolvers = try layout.owners.map { try OwnerResolver(db, owner: $0, layout: layout) }
    referenceOf = layout.entity.toOneRelationships.map { relationship in
      layout.references.first { layout.columns[$0].name == relationship.column }
    }
    linkOf = layout.entity.toOneRelationships.map { relationship in
      layout.owners.firstIndex { $0.relationship.name == relationship.name }
    }
  }

  func begin(_ chunk: Chunk) {
    for resolver in resolvers { resolver.begin(chunk) }
  }

  /// Finds or makes the owners of some rows, for the links with a timing.
  func resolve(
    _ timing: Link.Timing, _ chunk: Chunk, rows: [Int32], history: HistoryWriter, numbers: PropertyNumbers
  ) throws {
    for resolver in resolvers where resolver.owner.timing == timing {
      try resolver.resolve(chunk, rows: rows, history: history, numbers: numbers)
    }
  }

  /// The object ids as the chunk's table shows them.
  var ids: [[Int64]] { resolvers.map(\.ids) }

  /// Over one of the entity's to-one relationships, the owner of each row of the chunk as a new one, 0 for none; nil when the
  /// pipeline makes no link there.
  func owners(ofRelationship index: Int, _ chunk: Chunk) -> [Int64]? {
    if let column = referenceOf[index] { return (0..<chunk.count).map { chunk.integer(column, $0) } }
    return linkOf[index].map { resolvers[$0].ids }
  }

  /// The owner that the pipeline gives to a row which is there already; nil when it leaves the row's own.
  func newOwner(ofRelationship index: Int, _ row: Int) -> Int64? {
    guard let link = linkOf[index], resolvers[link].owner.timing == .always else { return nil }
    let id = resolvers[link].ids[row]
    return id == 0 ? nil : id
  }

  /// Whether a link made an owner for this chunk.
  func isMade(_ entity: String, _ id: Int64) -> Bool {
    resolvers.contains { $0.owner.entity.name == entity && $0.made.contains(id) }
  }

  /// The owners of an entity that links made for this chunk.
  func made(_ entity: String) -> Set<Int64> {
    resolvers.filter { $0.owner.entity.name == entity }.reduce(into: []) { $0.formUnion($1.made) }
  }
}
