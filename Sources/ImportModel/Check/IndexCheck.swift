/// Checks the indexes that an entity declares.
enum IndexCheck {
  /// Books what is wrong with the indexes of a pipeline's model.
  static func run(_ pipeline: Pipeline, _ list: inout ProblemList) {
    for entity in pipeline.model.entities {
      let part = pipeline.part(of: entity.name) + ["index"]
      var (seen, repeated): (Set<[String]>, Set<[String]>) = ([], [])
      for (number, index) in entity.indexes.enumerated() {
        let part = part + ["\(number)"]
        if index.isEmpty { list.add(.emptyIndex(entity), at: part) }
        for (place, name) in index.enumerated() {
          check(name, index[..<place], of: entity, pipeline, at: part + ["\(place)"], &list)
        }
        if index.isEmpty { continue }
        if !seen.insert(index).inserted {
          if repeated.insert(index).inserted { list.add(.indexTwice(index), at: part) }
        } else if let reason = Reason.hasIndex(index, of: entity) {
          list.add(.indexIsThere(index, reason), at: part)
        }
      }
    }
  }

  private static func check(
    _ name: String, _ before: ArraySlice<String>, of entity: Entity, _ pipeline: Pipeline, at part: [String],
    _ list: inout ProblemList
  ) {
    if let first = before.firstIndex(of: name) {
      // Once is enough, however often it comes.
      if before.lastIndex(of: name) == first { list.add(.twiceInIndex(name), at: part) }
      return
    }
    if let attribute = entity.attribute(named: name) {
      guard attribute.isTransient else { return }
      list.add(
        .notIndexed(name, .transient), at: part,
        restingOn: [pipeline.part(of: entity.name, attribute: name)])
    } else if let relationship = entity.relationship(named: name) {
      guard relationship.kind != .toOne else { return }
      list.add(
        .notIndexed(name, .columnElsewhere(relationship.kind)), at: part,
        restingOn: [pipeline.part(of: entity.name, relationship: name)])
    } else if entity.fetchedProperty(named: name) != nil {
      list.add(.notIndexed(name, .fetched), at: part)
    } else {
      let all = ["attributes", "relationships"].map { pipeline.part(of: entity.name) + [$0] }
      list.add(
        .undeclaredInIndex(name, of: entity), at: part,
        restingOn: all + [pipeline.part(of: entity.name, relationship: name)])
    }
  }
}
