/// Checks what a pipeline says that things were called before.
enum RenameCheck {
  /// Books what is wrong with the renames of a pipeline.
  static func run(_ pipeline: Pipeline, _ list: inout ProblemList) {
    var seen: Set<Rename> = []
    for rename in pipeline.renames {
      let part = pipeline.part(of: rename)
      guard let entity = pipeline.model.entity(named: rename.entity) else {
        list.add("'was' is said of '\(rename.entity)', which is not declared", at: part)
        continue
      }
      if rename.was.isEmpty { list.add("the name in 'was' is empty", at: part) }
      if let property = rename.property {
        check(rename, property, of: entity, at: part, &list)
      } else if pipeline.model.entity(named: rename.was) != nil {
        list.add(
          "'\(entity.name)' cannot have been '\(rename.was)', which is still declared: a name has one meaning",
          at: part)
      }
      var old = rename
      if old.property != nil { old.property = "" } else { old.entity = "" }
      if !seen.insert(old).inserted {
        list.add(
          "'\(rename.was)' is said twice to be a name before: one thing alone can have had it", at: part)
      }
    }
  }

  private static func check(
    _ rename: Rename, _ property: String, of entity: Entity, at part: [String], _ list: inout ProblemList
  ) {
    let was = rename.was
    guard entity.attribute(named: property) != nil || entity.relationship(named: property) != nil else {
      list.add("'was' is said of '\(entity.name).\(property)', which is not declared", at: part)
      return
    }
    if entity.attribute(named: was) != nil || entity.relationship(named: was) != nil {
      list.add(
        "'\(property)' cannot have been '\(was)', which \(entity.title) still declares: a name has one meaning",
        at: part)
    }
  }
}
