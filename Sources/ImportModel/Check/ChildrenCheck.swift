/// Checks the nested arrays that become rows of other entities: their relationship, their key, their path.
enum ChildrenCheck {
  /// Books what is wrong with a pipeline's children.
  static func run(_ pipeline: Pipeline, _ list: inout ProblemList) {
    guard let owner = pipeline.model.entity(named: pipeline.entity) else { return }
    var relationships: Set<String> = []
    var entities: Set<String> = []
    for children in pipeline.children {
      let part = ["children", children.relationship]
      if !relationships.insert(children.relationship).inserted {
        list.add("the children '\(children.relationship)' are declared twice", at: part)
        continue
      }
      guard let toMany = pipeline.toMany(of: children) else {
        let toMany = owner.relationships.filter { $0.kind == .toMany }.map(\.name)
        let ending = Suggestion.ending(
          for: children.relationship, among: toMany, plural: "its to-many relationships are")
        list.add(
          "\(owner.title) has no to-many relationship '\(children.relationship)' with an inverse\(ending)",
          at: part, restingOn: [["entities"]])
        continue
      }
      let entity = toMany.destination
      if entity.name == owner.name || !entities.insert(entity.name).inserted {
        list.add(
          "the children '\(children.relationship)' need an entity of their own, and \(entity.name) is that of others",
          at: part)
      }
      if toMany.onward == nil {
        checkKey(of: entity, toMany.toOne, owner, at: part, &list)
        if children.timing == .always {
          list.add(
            "children that belong to their record are always linked to it: 'when' is for those of `many-to-many: true`",
            at: part + ["when"])
        }
      }
      if toMany.onward == nil, owner.relationship(named: children.relationship)?.deleteRule == .nullify {
        list.add(
          "children cannot be left behind: their key holds '\(toMany.toOne.name)', which is never null",
          at: part + ["on-delete"])
      }
      if children.records.isEmpty { list.add("the path of the children is empty", at: part + ["records"]) }
      if children.records.split(separator: "/").contains(where: { $0.hasPrefix("<") && $0.hasSuffix(">") }) {
        list.add(
          "the path of children has no wildcards: each list of children is one array of the record",
          at: part + ["records"])
      }
    }
  }

  private static func checkKey(
    of entity: Entity, _ toOne: Relationship, _ owner: Entity, at part: [String], _ list: inout ProblemList
  ) {
    guard !entity.key.isEmpty else { return }
    let own = entity.attributes.first { $0.derivation == nil }?.name ?? "at"
    if !entity.key.contains(toOne.name) {
      list.add(
        "the key of \(entity.title) needs '\(toOne.name)', the \(owner.title) that it belongs to, as in "
          + "`key: [\(([toOne.name] + entity.key).joined(separator: ", "))]`; or say `many-to-many: true` if several "
          + "records may hold the same one",
        at: part + ["key"])
    } else if entity.key.allSatisfy({ $0 == toOne.name }) {
      list.add(
        "the key of \(entity.title) is '\(toOne.name)' alone: it needs an attribute of its own too, as in "
          + "`key: [\(toOne.name), \(own)]`",
        at: part + ["key"])
    }
  }
}
