/// One kind of object: a table of the store.
public struct Entity: Sendable, Hashable, Codable {
  /// The entity's name, and its table's.
  public var name: String
  /// The attributes, in declared order; transient and derived ones too.
  public var attributes: [Attribute]
  /// The relationships, in declared order.
  public var relationships: [Relationship]
  /// The attributes that identify an object: the constraint that an import upserts on.
  ///
  /// Never empty. Among them may be the to-one relationship of children to the object whose record holds them.
  public var key: [String]
  /// Further constraints: no two objects have the same values in all attributes of one.
  ///
  /// The attributes are required, as a null would be equal to nothing.
  public var uniquenessConstraints: [[String]]
  /// The fetched properties, in declared order.
  public var fetchedProperties: [FetchedProperty] {
    get { fetched ?? [] }
    set { fetched = newValue.isEmpty ? nil : newValue }
  }
  /// Nil where there are none: stores that were written before there were any do not name them.
  private var fetched: [FetchedProperty]?
  /// Indexes besides those of the key, of constraints and of relationships: each names attributes and to-one relationships,
  /// in the order by which it finds and sorts.
  public var indexes: [[String]] {
    get { index ?? [] }
    set { index = newValue.isEmpty ? nil : newValue }
  }
  /// Nil where there are none, as of fetched properties.
  private var index: [[String]]?

  /// Makes an entity.
  public init(
    name: String, key: [String], attributes: [Attribute], relationships: [Relationship] = [],
    uniquenessConstraints: [[String]] = [], fetchedProperties: [FetchedProperty] = [],
    indexes: [[String]] = []
  ) {
    self.name = name
    self.key = key
    self.uniquenessConstraints = uniquenessConstraints
    self.attributes = attributes
    self.relationships = relationships
    self.fetchedProperties = fetchedProperties
    self.indexes = indexes
  }

  /// The attribute of that name, if there is one.
  ///
  /// Linear in the number of attributes.
  public func attribute(named name: String) -> Attribute? {
    attributes.first { $0.name.isSameName(as: name) }
  }

  /// The relationship of that name, if there is one.
  ///
  /// Linear in the number of relationships.
  public func relationship(named name: String) -> Relationship? {
    relationships.first { $0.name.isSameName(as: name) }
  }

  /// Whether there is an attribute or a relationship of that name.
  package func has(property name: String) -> Bool {
    attribute(named: name) != nil || relationship(named: name) != nil
  }

  /// The attributes that have a column: all but the transient ones.
  package var storedAttributes: [Attribute] {
    attributes.filter { !$0.isTransient }
  }

  /// The attributes that an import may write: stored and not derived.
  package var writableAttributes: [Attribute] {
    attributes.filter { !$0.isTransient && $0.derivation == nil }
  }

  /// The attributes that the store keeps true by itself.
  package var derivedAttributes: [Attribute] {
    attributes.filter { $0.derivation != nil }
  }

  /// The columns of the key, in the key's order.
  package var keyColumns: [String] { columns(of: key) }

  /// The columns of attributes and to-one relationships, by their names.
  package func columns(of names: [String]) -> [String] {
    names.map { name in toOneRelationships.first { $0.name == name }?.column ?? name }
  }

  /// The to-one relationships that are part of the key.
  package var keyRelationships: [Relationship] {
    toOneRelationships.filter { key.contains($0.name) }
  }

  /// The relationships that have a column here.
  package var toOneRelationships: [Relationship] {
    relationships.filter { $0.kind == .toOne }
  }
}
