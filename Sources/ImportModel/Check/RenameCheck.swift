/// Checks what a pipeline says that things were called before.
enum RenameCheck {
  /// Books what is wrong with the renames of a pipeline.
  static func run(_ pipeline: Pipeline, _ list: inout ProblemList) {
    var seen: Set<Rename> = []
    for rename in pipeline.renames {
      let part = pipeline.part(of: rename)
      guard let entity = pipeline.model.entity(named: rename.entity) else {
        list.add(.wasOfUndeclared(rename.entity), at: part)
        continue
      }
      if rename.was.isEmpty { list.add(.emptyWas, at: part) }
      if let property = rename.property {
        check(rename, property, of: entity, at: part, &list)
      } else if pipeline.model.entity(named: rename.was) != nil {
        list.add(.wasOfDeclared(entity.name, rename.was), at: part)
      }
      var old = rename
      if old.property != nil { old.property = "" } else { old.entity = "" }
      if !seen.insert(old).inserted {
        list.add(.wasTwice(rename.was), at: part)
      }
    }
  }

  private static func check(
    _ rename: Rename, _ property: String, of entity: Entity, at part: [String], _ list: inout ProblemList
  ) {
    let was = rename.was
    guard entity.attribute(named: property) != nil || entity.relationship(named: property) != nil else {
      list.add(.wasOfUndeclared("\(entity.name).\(property)"), at: part)
      return
    }
    if entity.attribute(named: was) != nil || entity.relationship(named: was) != nil {
      list.add(.wasOfDeclared(property, was, in: entity), at: part)
    }
  }
}
