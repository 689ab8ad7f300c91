/// A nested array whose elements become rows of another entity, linked to the row that its record becomes, or that the element
/// of another such array does.
///
/// Where the relationship's inverse is to-one, each child belongs to its record. Where both are to-many, an element is an
/// object of its own that many records may hold: it is found or made by its key, and linked.
public struct Children: Sendable, Hashable, Encodable {
  /// The entity of the children whose elements hold the array; nil where the record does.
  ///
  /// Those children stand before these in the pipeline.
  public var within: String?
  /// The to-many relationship of the entity that holds the array.
  ///
  /// It leads to the children's entity. The key of children that belong to their record holds the inverse relationship
  /// and attributes of their own; that of shared objects has attributes only.
  public var relationship: String
  /// The array's path in the record; a single object there is an array of it alone.
  public var records: String
  /// Where the values of the children's attributes come from, each within its element of the array; `../id` is a field of
  /// what holds the array.
  public var fields: [Field]
  /// Expressions that hold for every child.
  public var checks: [String]
  /// When objects of a many-to-many relationship are linked to their record's; no import takes a link away.
  public var timing: Link.Timing

  /// Makes a list of children.
  public init(
    _ relationship: String, records: String, fields: [Field], checks: [String] = [],
    when timing: Link.Timing = .insert, within: String? = nil
  ) {
    self.timing = timing
    self.within = within
    self.relationship = relationship
    self.records = records
    self.fields = fields
    self.checks = checks
  }
}

extension Pipeline {
  /// Where the relationship of some children leads; nil when the model does not have both its ends.
  package func toMany(of children: Children) -> ToMany? {
    let holder = model.entity(named: children.within ?? entity)
    let relationship = holder?.relationship(named: children.relationship)
    return relationship.flatMap { $0.kind == .toMany ? model.toMany($0) : nil }
  }

  /// The children that become objects of an entity, if there are such.
  package func children(becoming entity: String) -> Children? {
    guard let ends = model.entity(named: entity)?.relationships else { return nil }
    return children.first { children in
      // The names alone rule out most: of hundreds of lists each is asked for often.
      let mayLead = ends.contains {
        $0.inverse == children.relationship && $0.destination == children.within ?? self.entity
      }
      return mayLead && toMany(of: children)?.destination.name == entity
    }
  }

  /// The list whose elements hold some children, by its index; nil for the record.
  package func list(holding children: Children) -> Int? {
    children.within.flatMap(self.children(becoming:)).flatMap(self.children.firstIndex)
  }

  /// How many lists stand around the elements of some children, with the record.
  func depth(of children: Children) -> Int {
    var (depth, inner) = (1, children)
    while let entity = inner.within, let outer = self.children(becoming: entity), depth <= self.children.count
    {
      (depth, inner) = (depth + 1, outer)
    }
    return depth
  }

  /// The relationship of an entity's objects to the record's, where they are children that belong to it.
  func inverse(ofChildren entity: String) -> String? {
    children(becoming: entity).flatMap(toMany).flatMap { $0.onward == nil ? $0.toOne.name : nil }
  }

  /// Whether records, or children in them, become objects of an entity.
  package func bringsRecords(_ entity: String) -> Bool {
    entity == self.entity || children(becoming: entity) != nil
  }

  /// Children as a pipeline of their own, which knows how one of them becomes a row.
  ///
  /// What is newer is said by the record, so among the children of the records that count, the last one counts. So it is
  /// with objects that many records may hold: they come again, and may be there.
  package func pipeline(of children: Children) -> Pipeline? {
    guard let toMany = toMany(of: children) else { return nil }
    var pipeline = self
    pipeline.entity = toMany.destination.name
    pipeline.fields = children.fields
    pipeline.checks = children.checks
    pipeline.links = []
    pipeline.children = []
    if case .updateIfNewer = mergePolicy { pipeline.mergePolicy = .update }
    if toMany.onward != nil {
      pipeline.repeatedKeyPolicy = .last
      if mergePolicy == .fail { pipeline.mergePolicy = .update }
    }
    return pipeline
  }

  /// The links of some children as a pipeline, which knows their rows; nil where the children belong to their record.
  package func pipelineOfLinks(to children: Children) -> Pipeline? {
    guard let toMany = toMany(of: children), toMany.onward != nil else { return nil }
    return Pipeline(name: name, entity: toMany.holder.name, model: model, fields: [])
  }
}
