/// Checks the fetched properties of a model, but for their predicates and orders: those a store compiles.
enum FetchedCheck {
  /// Books what is wrong with the fetched properties of a pipeline's model.
  static func run(_ pipeline: Pipeline, _ list: inout ProblemList) {
    for entity in pipeline.model.entities {
      var seen: [String: String] = [:]
      for property in entity.fetchedProperties {
        let part = pipeline.part(of: entity.name, fetched: property.name)
        if let other = seen.updateValue(property.name, forKey: property.name.caseFolded) {
          list.add(.fetchedTwice(property.name, after: other), at: part)
        }
        checkName(property.name, of: entity, at: part, &list)
        check(property, pipeline, at: part, &list)
      }
    }
  }

  private static func checkName(
    _ name: String, of entity: Entity, at part: [String], _ list: inout ProblemList
  ) {
    if name.isEmpty { list.add(.fetchedWithoutName(entity), at: part) }
    if name.contains("\0") { list.add(.fetchedNameWithNull, at: part) }
    let attributes = entity.attributes.map { ($0.name, Reason.anAttribute) }
    let relationships = entity.relationships.map { ($0.name, Reason.aRelationship) }
    let columns = entity.toOneRelationships.map { ($0.column, Reason.aColumn(of: $0)) }
    let ids = [("bolide_id", Reason.theObjectID)]
    for (other, kind) in attributes + relationships + columns + ids
    where other.caseFolded == name.caseFolded {
      list.add(.fetchedAlso(name, kind, of: entity), at: part)
    }
  }

  private static func check(
    _ property: FetchedProperty, _ pipeline: Pipeline, at part: [String], _ list: inout ProblemList
  ) {
    if let limit = property.limit, limit < 1 { list.add(.fetchedLimit(property.name), at: part + ["limit"]) }
    if property.store?.contains("\0") == true { list.add(.fetchedStoreWithNull, at: part + ["store"]) }
    // What another store has is its own affair.
    guard property.store == nil, pipeline.model.entity(named: property.destination) == nil else { return }
    list.add(
      .fetchesNothing(property, pipeline.model), at: part + ["entity"],
      restingOn: [["entity"], pipeline.part(of: property.destination)])
  }
}
