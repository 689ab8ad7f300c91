/// Checks the attribute that decides which of two versions of an object is newer.
enum MergeCheck {
  /// Books what is wrong with a pipeline's merge policy.
  static func run(_ pipeline: Pipeline, _ list: inout ProblemList) {
    guard case .updateIfNewer(let name) = pipeline.mergePolicy,
      let entity = pipeline.model.entity(named: pipeline.entity)
    else { return }
    let part = ["merge", "update-if-newer"]
    let attributes = pipeline.part(of: entity.name) + ["attributes"]
    guard let attribute = entity.attribute(named: name) else {
      list.add(.noSuchAttribute(name, of: entity), at: part, restingOn: [attributes])
      return
    }
    if let reason = reason(against: attribute, of: entity, pipeline) {
      list.add(.notNewer(name, reason), at: part, restingOn: [attributes + [name]])
    }
  }

  private static func reason(against attribute: Attribute, of entity: Entity, _ pipeline: Pipeline) -> Reason?
  {
    if attribute.derivation != nil { return .computed }
    if attribute.isTransient { return .transient }
    if attribute.isVolatile { return .volatile }
    if entity.key.contains(attribute.name) { return .partOfKey }
    if !attribute.type.isOrdered { return .unordered(attribute.type) }
    if !pipeline.fields.contains(where: { $0.attribute == attribute.name }) {
      return .withoutSource
    }
    return nil
  }
}
