package import ImportModel
internal import RowExpressions
internal import StoreInterface

/// What a pipeline says was called otherwise before, and the store still calls so.
package struct ModelRenames {
  /// The renames to be made, entities first.
  package private(set) var steps: [Rename] = []
  /// The names before that the store knows afterwards.
  package private(set) var known: [Rename]

  /// Takes a model's part in them: afterwards it has the present names.
  ///
  /// - Parameter known: the renames that the store has seen.
  /// - Throws: `PipelineError` for a name that never was, or that something else has now.
  init(_ pipeline: Pipeline, known: [Rename], in model: inout Model) throws {
    self.known = known
    // Nothing was called otherwise in a store that is new.
    guard !model.entities.isEmpty else { return }
    let entities = Set(model.entities.map(\.name))
    for rename in pipeline.renames where rename.property == nil {
      let (isThere, wasThere) = (entities.contains(rename.entity), entities.contains(rename.was))
      guard try Self.isNeeded(rename, pipeline, known, isThere: isThere, wasThere: wasThere) else { continue }
      let before = model
      model.renameEntity(rename.was, to: rename.entity)
      note(rename)
      renameJoins(rename, before, &model)
    }
    for rename in pipeline.renames {
      // A new entity has no names before.
      guard let property = rename.property, let stored = model.entity(named: rename.entity),
        let declared = pipeline.model.entity(named: rename.entity)
      else { continue }
      let (isThere, wasThere) = (
        stored.has(property, like: property, in: declared),
        stored.has(rename.was, like: property, in: declared)
      )
      guard try Self.isNeeded(rename, pipeline, known, isThere: isThere, wasThere: wasThere) else { continue }
      let before = model
      try model.renameProperty(rename.was, of: rename.entity, to: property) { filter, entity in
        try FilterText.renaming(rename.was, to: property, in: filter, over: entity)
      }
      note(rename)
      renameJoins(rename, before, &model)
    }
  }

  /// The tables of links are called after the ends, and so are their columns.
  private mutating func renameJoins(_ rename: Rename, _ before: Model, _ model: inout Model) {
    for (owner, end, old) in before.joins {
      let (entity, name) =
        rename.property.map {
          (owner.name, owner.name == rename.entity && end.name == rename.was ? $0 : end.name)
        }
        ?? (owner.name == rename.was ? rename.entity : owner.name, end.name)
      guard let new = model.entity(named: entity)?.relationship(named: name).flatMap(model.toMany) else {
        continue
      }
      let join = new.holder.name
      if old.holder.name != join {
        steps.append(Rename(join, was: old.holder.name))
        model.renameEntity(old.holder.name, to: join)
      }
      for (was, now) in [(old.toOne.name, new.toOne.name), (end.name, name)] where was != now {
        steps.append(Rename(join, now, was: was))
        model.renameProperty(was, of: join, to: now) { filter, _ in filter }
      }
    }
  }

  private mutating func note(_ rename: Rename) {
    steps.append(rename)
    for index in known.indices {
      if rename.property == nil, known[index].entity == rename.was {
        known[index].entity = rename.entity
      } else if known[index].entity == rename.entity, known[index].property == rename.was {
        known[index].property = rename.property
      }
    }
    // A name that comes back is no name before any more.
    known.removeAll {
      $0.property == nil ? $0.entity == $0.was : $0.property == $0.was
    }
    known.append(rename)
  }

  private static func isNeeded(
    _ rename: Rename, _ pipeline: Pipeline, _ known: [Rename], isThere: Bool, wasThere: Bool
  ) throws -> Bool {
    let place = rename.property == nil ? "the store" : "\(rename.entity) in the store"
    let kind =
      if let property = rename.property {
        pipeline.model.entity(named: rename.entity)?.attribute(named: property) == nil
          ? "relationship" : "attribute"
      } else {
        "entity"
      }
    let name = rename.property ?? rename.entity
    switch (isThere, wasThere) {
    case (false, true): return true
    case (true, false): return false
    case (true, true) where known.contains(rename): return false
    case (true, true):
      throw problem(
        rename, pipeline, MigrationWords.both(name, rename.was, in: place))
    // The pipeline is older: that it says so is left to the merge.
    case (false, false)
    where known.contains {
      $0.was == name && ($0.property == nil ? rename.property == nil : $0.entity == rename.entity)
    }:
      return false
    case (false, false):
      throw problem(
        rename, pipeline, MigrationWords.neverWas(rename.was, kind, name, in: place))
    }
  }

  private static func problem(_ rename: Rename, _ pipeline: Pipeline, _ message: String) -> PipelineError {
    PipelineError(problems: [
      PipelineProblem(
        file: pipeline.sourceMap.file ?? pipeline.name,
        location: pipeline.sourceMap.location(of: pipeline.part(of: rename)),
        message: message)
    ])
  }
}

extension Entity {
  /// Whether it has a property of that name and of the kind that another one has in another entity.
  fileprivate func has(_ name: String, like other: String, in entity: Entity) -> Bool {
    if entity.attribute(named: other) != nil { return attribute(named: name) != nil }
    return relationship(named: name)?.kind == entity.relationship(named: other)?.kind
      && relationship(named: name) != nil
  }
}
