/// The previous name of an entity, an attribute or a relationship (`was`).
///
/// The next import renames it in a store that has it under the previous name.
public struct Rename: Sendable, Hashable, Codable {
  /// The entity, by its present name.
  public var entity: String
  /// The attribute or relationship, by its present name; nil for the entity itself.
  public var property: String?
  /// The name before.
  public var was: String

  /// Says that an entity was called otherwise.
  public init(_ entity: String, was: String) {
    self.entity = entity
    self.was = was
  }

  /// Says that an attribute or a relationship was called otherwise.
  public init(_ entity: String, _ property: String, was: String) {
    self.entity = entity
    self.property = property
    self.was = was
  }
}

extension Pipeline {
  /// The way through the file's keys to the name before.
  package func part(of rename: Rename) -> [String] {
    guard let property = rename.property else { return part(of: rename.entity) + ["was"] }
    let isRelationship = model.entity(named: rename.entity)?.relationship(named: property) != nil
    return
      (isRelationship
      ? part(of: rename.entity, relationship: property) : part(of: rename.entity, attribute: property))
      + ["was"]
  }
}
