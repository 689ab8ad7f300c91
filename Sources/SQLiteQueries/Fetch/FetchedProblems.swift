package import ImportModel
internal import QueryPlans
internal import RowExpressions
internal import StoreInterface

extension Pipeline {
  /// What is wrong with the predicates and orders of fetched properties, as far as the pipeline's model can tell.
  package func fetchedProblems() -> [PipelineProblem] {
    model.entities.flatMap { entity in
      entity.fetchedProperties.flatMap { property in
        let part = part(of: entity.name, fetched: property.name)
        var problems: [PipelineProblem] = []
        func check(_ part: [String], _ body: () throws -> Void) {
          do {
            try body()
          } catch {
            let message = (error as? StoreError)?.message ?? "\(error)"
            problems.append(
              PipelineProblem(
                file: sourceMap.file ?? name, location: sourceMap.location(of: part), message: message))
          }
        }
        check(part + ["where"]) { try property.checkPredicate(of: entity, model) }
        if property.store == nil, let tree = try? JoinTree(property.destination, model) {
          for (index, text) in property.sort.enumerated() {
            let key = ObjectQuery.SortKey(text: text)
            check(part + ["sort", "\(index)"]) { _ = try tree.property(at: tree.path(key.name)) }
          }
        }
        return problems
      }
    }
  }
}

extension FetchedProperty {
  /// Sees that the predicate can be asked; of one whose objects are in another store, what it asks of its owner.
  ///
  /// - Throws: `StoreError`.
  fileprivate func checkPredicate(of owner: Entity, _ model: Model) throws {
    guard var property = predicate.map({ _ in self }) else { return }
    property.sort = []
    try property.checkNames(of: owner, model)
    // That there is no such entity is said elsewhere.
    guard store == nil, model.entity(named: destination) != nil else { return }
    try FetchedPlan(property, of: JoinTree(owner.name, model), model, readsKeys: false).check()
  }
}
