package import ImportModel
internal import RowExpressions
package import StoreInterface

extension FetchedProperty {
  /// Sees that the models have what the property names; of one whose objects are in another store, the owner's.
  package func checkNames(of owner: Entity, _ model: Model) throws(StoreError) {
    let tree = try JoinTree(owner.name, model)
    if store == nil, model.entity(named: destination) != nil {
      _ = try FetchedPlan(self, of: tree, model, readsKeys: false)
      return
    }
    guard let predicate else { return }
    let (text, variables) = (try PredicateTokens(predicate), FetchVariables(self, of: tree))
    for (index, token) in text.tokens.enumerated() {
      guard case .variable(let name) = token else { continue }
      _ = try variables.sql(name, text.names(behind: index))
    }
  }
}
