package import ImportModel

/// One state of a store, from which objects are copied into another one.
///
/// It gives so much at a time as it is asked for: whoever gets it writes it down before it asks again.
package protocol CopySource {
  /// The store's model, with the entities of many-to-many links.
  var model: Model { get }

  /// The ids of a request's objects, in its order.
  func ids(_ request: ObjectQuery) throws -> [Int64]

  /// The ids of the objects that a step leads to, the smallest first.
  ///
  /// - Parameters:
  ///   - ids: of the objects where it begins.
  ///   - last: behind which id.
  ///   - limit: how many at most.
  func ids(_ step: CopyStep, from ids: [Int64], behind last: Int64, limit: Int) throws -> [Int64]

  /// Rows of objects, in any order: the id, then the values of `Entity.copiedColumns`.
  func rows(_ ids: [Int64], of entity: Entity) throws -> [[Value]]
}

/// A way from objects of one entity to those of another: along a to-one relationship, or against it.
package struct CopyStep {
  /// The entity that has the relationship.
  package let holder: Entity
  /// The to-one relationship.
  package let link: Relationship
  /// The entity that it leads to.
  package let destination: Entity
  /// Whether the step goes from the objects that lead to those that they lead to.
  package let isForward: Bool

  package init(_ holder: Entity, _ link: Relationship, to destination: Entity, isForward: Bool) {
    (self.holder, self.link, self.destination, self.isForward) = (holder, link, destination, isForward)
  }
}

extension Entity {
  /// The columns that a copy takes along, with an attribute's type; nil for a relationship, which holds object ids.
  package var copiedColumns: [(name: String, type: AttributeType?)] {
    writableAttributes.map { ($0.name, $0.type) } + toOneRelationships.map { ($0.column, nil) }
  }
}
