/// A nested array whose elements become rows of another entity, linked to the row that its record becomes.
public struct Children: Sendable, Hashable {
  /// The to-many relationship of the record's entity.
  ///
  /// It leads to the children's entity, whose key holds the inverse relationship and attributes of its own.
  public var relationship: String
  /// The array's path in the record; a single object there is an array of it alone.
  public var records: String
  /// Where the values of the children's attributes come from, each within its element of the array.
  public var fields: [Field]
  /// Expressions that hold for every child.
  public var checks: [String]

  /// Makes a list of children.
  public init(_ relationship: String, records: String, fields: [Field], checks: [String] = []) {
    self.relationship = relationship
    self.records = records
    self.fields = fields
    self.checks = checks
  }
}

extension Pipeline {
  /// The entity of some children, and its relationship back; nil when the model does not have both.
  package func entity(of children: Children) -> (entity: Entity, toOne: Relationship)? {
    model.entity(named: entity)?.relationship(named: children.relationship).flatMap(model.children)
  }

  /// The children that become objects of an entity, if there are such.
  package func children(becoming entity: String) -> Children? {
    children.first { self.entity(of: $0)?.entity.name == entity }
  }

  /// The relationship of an entity's objects to the record's, where they are children.
  func inverse(ofChildren entity: String) -> String? {
    children(becoming: entity).flatMap { self.entity(of: $0)?.toOne.name }
  }

  /// Whether records, or children in them, become objects of an entity.
  package func bringsRecords(_ entity: String) -> Bool {
    entity == self.entity || children(becoming: entity) != nil
  }

  /// Children as a pipeline of their own, which knows how one of them becomes a row.
  ///
  /// What is newer is said by the record, so among the children of the records that count, the last one counts.
  package func pipeline(of children: Children) -> Pipeline? {
    guard let entity = entity(of: children)?.entity else { return nil }
    var pipeline = self
    pipeline.entity = entity.name
    pipeline.fields = children.fields
    pipeline.checks = children.checks
    pipeline.links = []
    pipeline.children = []
    if case .updateIfNewer = mergePolicy { pipeline.mergePolicy = .update }
    return pipeline
  }
}
