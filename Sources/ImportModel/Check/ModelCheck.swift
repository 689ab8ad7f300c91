extension Model {
  /// Everything that is wrong with a model that a store has kept, by the checks of a pipeline's; empty for a sound one.
  ///
  /// A store may come from anywhere: names and rules become SQL only from a model that is sound.
  package func problems() -> [PipelineProblem] {
    let holders = joins.map(\.toMany.holder)
    // The tables of many-to-many relationships follow from their ends.
    let declared = Model(entities: entities.filter { entity in !holders.contains { entity.isLike($0) } })
    let pipeline = Pipeline(name: "model", entity: "", model: declared, fields: [])
    var list = ProblemList(pipeline, unread: [])
    for holder in holders where !entities.contains(where: holder.isLike) {
      list.add(.tableOfLinksMissing(holder.name), at: [])
    }
    for entity in entities where entity.name.isEmpty { list.add(.entityWithoutName, at: []) }
    NameCheck.run(pipeline, &list)
    AttributeCheck.run(pipeline, &list)
    UniqueCheck.run(pipeline, &list)
    IndexCheck.run(pipeline, &list)
    RelationshipCheck.run(pipeline, &list)
    FetchedCheck.run(pipeline, &list)
    DerivationCheck.run(pipeline, &list)
    return list.problems
  }
}

extension Entity {
  /// Whether a table of links is another one, in whatever order: a rename of an end may turn it around.
  fileprivate func isLike(_ other: Entity) -> Bool {
    func sorted(_ entity: Entity) -> Entity {
      var entity = entity
      entity.key.sort()
      entity.relationships.sort { $0.name < $1.name }
      return entity
    }
    return sorted(self) == sorted(other)
  }
}
