/// Checks the nested arrays that become rows of other entities: their relationship, their key, their path.
enum ChildrenCheck {
  /// Books what is wrong with a pipeline's children.
  static func run(_ pipeline: Pipeline, _ list: inout ProblemList) {
    guard let record = pipeline.model.entity(named: pipeline.entity) else { return }
    var relationships: Set<[String?]> = []
    var entities: Set<String> = [record.name]
    for children in pipeline.children {
      let part = pipeline.part(of: children)
      guard let owner = pipeline.model.entity(named: children.within ?? record.name),
        entities.contains(owner.name)
      else {
        list.add(.childrenOfNobody(children.relationship, within: children.within ?? ""), at: part)
        continue
      }
      if !relationships.insert([children.within, children.relationship]).inserted {
        list.add(.childrenTwice(children.relationship), at: part)
        continue
      }
      guard let toMany = pipeline.toMany(of: children) else {
        list.add(
          .noChildrenRelationship(children.relationship, of: owner), at: part, restingOn: [["entities"]])
        continue
      }
      let entity = toMany.destination
      if !entities.insert(entity.name).inserted {
        list.add(.sharedChildren(children.relationship, entity), at: part)
      }
      if toMany.onward == nil {
        checkKey(of: entity, toMany.toOne, owner, at: part, &list)
        if children.timing == .always { list.add(.ownChildrenWhen, at: part + ["when"]) }
      }
      if toMany.onward == nil, owner.relationship(named: children.relationship)?.deleteRule == .nullify {
        list.add(.childrenLeftBehind(toMany.toOne.name), at: part + ["on-delete"])
      }
      if children.records.isEmpty { list.add(.emptyChildrenPath, at: part + ["records"]) }
      if children.records.split(separator: "/").contains(where: { $0.hasPrefix("<") && $0.hasSuffix(">") }) {
        list.add(.wildcardInChildren, at: part + ["records"])
      }
    }
  }

  private static func checkKey(
    of entity: Entity, _ toOne: Relationship, _ owner: Entity, at part: [String], _ list: inout ProblemList
  ) {
    guard !entity.key.isEmpty else { return }
    let own = entity.attributes.first { $0.derivation == nil }?.name ?? "at"
    if !entity.key.contains(toOne.name) {
      list.add(.childKeyWithoutOwner(entity, toOne.name, owner), at: part + ["key"])
    } else if entity.key.allSatisfy({ $0 == toOne.name }) {
      list.add(.childKeyOfOwnerAlone(entity, toOne.name, example: own), at: part + ["key"])
    }
  }
}
