package import ImportModel
internal import RowExpressions
package import StoreInterface

extension ObjectQuery {
  /// The fetched properties that are brought along, each once.
  package func fetched(of entity: Entity) -> [FetchedProperty] {
    related.compactMap(entity.fetchedProperty(named:)).reduce(into: []) {
      if !$0.contains($1) { $0.append($1) }
    }
  }

  /// The fetched property that must find nothing.
  package func danglingProperty(of entity: Entity) throws(StoreError) -> FetchedProperty? {
    guard let dangling else { return nil }
    guard let property = entity.fetchedProperty(named: dangling) else {
      throw .noFetchedProperty(dangling, of: entity)
    }
    return property
  }

  /// Sees that the files in place of other stores stand for such that the entity's fetched properties name.
  package func checkStores(of entity: Entity) throws(StoreError) {
    let names = Set(entity.fetchedProperties.compactMap(\.store))
    for file in stores.keys.sorted() where !names.contains(where: { $0.isCalled(file) }) {
      throw .noStoreToReplace(file, of: entity, among: names.sorted())
    }
  }
}

extension String {
  /// Whether a file is meant by a name: all of it, or what stands behind the last slash.
  package func isCalled(_ name: String) -> Bool {
    self == name || utf8.split(separator: UInt8(ascii: "/")).last.map { $0.elementsEqual(name.utf8) } ?? false
  }
}

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
