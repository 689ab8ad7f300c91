package import ImportModel

/// What a store keeps of its model: the model itself, the names before, and what was dropped.
///
/// A store keeps it as JSON: the model's, with keys of its own beside it.
package struct ModelRecord: Codable, Sendable {
  /// A property that was dropped, as history still knows it.
  package struct Dropped: Codable, Equatable, Sendable {
    package let property: Int64
    package let entity: Int64
    package let name: String
    /// Nil for a relationship.
    package let type: AttributeType?
    package let isDerived: Bool

    package init(property: Int64, entity: Int64, name: String, type: AttributeType?, isDerived: Bool) {
      (self.property, self.entity, self.name) = (property, entity, name)
      (self.type, self.isDerived) = (type, isDerived)
    }
  }

  private var entities: [Entity] = []
  private var were: [Rename]?
  private var gone: [Dropped]?
  private var indexedBy: [DeclaredIndex]?

  private enum CodingKeys: String, CodingKey {
    case entities
    case were = "renames"
    case gone = "dropped"
    case indexedBy = "indexes"
  }

  package init(_ model: Model = Model()) { entities = model.entities }

  package var model: Model {
    get { Model(entities: entities) }
    set { entities = newValue.entities }
  }

  /// The names that present things had before, under their present entity's name.
  package var renames: [Rename] {
    get { were ?? [] }
    set { were = newValue.isEmpty ? nil : newValue }
  }

  /// The properties of present entities that were dropped.
  package var dropped: [Dropped] {
    get { gone ?? [] }
    set { gone = newValue.isEmpty ? nil : newValue }
  }

  /// The indexes that pipelines declare.
  package var indexes: [DeclaredIndex] {
    get { indexedBy ?? [] }
    set { indexedBy = newValue.isEmpty ? nil : newValue }
  }

  /// The names that an entity's properties have, or had before they were dropped or renamed.
  package func names(of entity: String) -> Set<String> {
    let present =
      model.entity(named: entity).map { $0.attributes.map(\.name) + $0.relationships.map(\.name) } ?? []
    let before = renames.filter { $0.entity == entity }.map(\.was)
    return Set(present + before + dropped.map(\.name))
  }
}
