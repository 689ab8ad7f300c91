internal import ImportModel

/// An index of a store's model, and the pipelines that declare it.
///
/// Dropping an index loses no data, so it needs no command: the index is dropped when no pipeline declares it any more. One that
/// a pipeline does not declare stays for the others, whose imports would otherwise make and drop it in turn.
package struct DeclaredIndex: Codable, Equatable, Sendable {
  var entity: String
  var attributes: [String]
  var pipelines: [String]

  /// The declared indexes after a pipeline's update. Those of entities that the pipeline does not name stay as they are.
  ///
  /// - Parameters:
  ///   - renames: the renames that the pipeline makes.
  ///   - model: its entities alone have indexes, and only on what they have.
  static func all(
    _ before: [DeclaredIndex], _ pipeline: Pipeline, _ renames: [Rename], in model: Model
  ) -> [DeclaredIndex] {
    var all = before
    for index in all.indices {
      for rename in renames { all[index].rename(rename) }
      if pipeline.model.entity(named: all[index].entity) != nil {
        all[index].pipelines.removeAll { $0 == pipeline.name }
      }
    }
    for entity in pipeline.model.entities {
      for attributes in entity.indexes {
        if let index = all.firstIndex(where: { $0.entity == entity.name && $0.attributes == attributes }) {
          all[index].pipelines = (all[index].pipelines + [pipeline.name]).sorted()
        } else {
          all.append(
            DeclaredIndex(entity: entity.name, attributes: attributes, pipelines: [pipeline.name]))
        }
      }
    }
    return all.filter { index in
      guard !index.pipelines.isEmpty, let entity = model.entity(named: index.entity) else { return false }
      return index.attributes.allSatisfy(entity.has(property:))
    }
  }

  private mutating func rename(_ rename: Rename) {
    if let property = rename.property {
      if rename.entity == entity { attributes = attributes.map { $0 == rename.was ? property : $0 } }
    } else if rename.was == entity {
      entity = rename.entity
    }
  }
}

extension Model {
  /// The model with the indexes that are declared, but for those that a constraint of another pipeline is.
  func indexed(by declared: [DeclaredIndex]) -> Model {
    var model = self
    for (place, entity) in entities.enumerated() {
      model.entities[place].indexes = declared.filter { $0.entity == entity.name }.map(\.attributes)
        .filter { !entity.uniquenessConstraints.contains($0) }
    }
    return model
  }
}
