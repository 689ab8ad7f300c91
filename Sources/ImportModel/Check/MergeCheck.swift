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
      let ending = Suggestion.ending(
        for: name, among: entity.attributes.map(\.name), plural: "the attributes are")
      list.add(
        "there is no attribute '\(name)' in \(entity.title)\(ending)", at: part, restingOn: [attributes])
      return
    }
    if let reason = reason(against: attribute, of: entity, pipeline) {
      list.add("'\(name)' cannot say what is newer: \(reason)", at: part, restingOn: [attributes + [name]])
    }
  }

  private static func reason(against attribute: Attribute, of entity: Entity, _ pipeline: Pipeline) -> String?
  {
    if attribute.derivation != nil { return "the store computes it" }
    if attribute.isTransient { return "it is transient, so the store would not know it" }
    if attribute.isVolatile { return "it is volatile, so the store may hold an older one" }
    if entity.key.contains(attribute.name) { return "it is part of the key, and never changes" }
    if !attribute.type.isOrdered {
      return "it is \(attribute.type.named), and only numbers, dates and days grow"
    }
    if !pipeline.fields.contains(where: { $0.attribute == attribute.name }) {
      return "it has no source in the record"
    }
    return nil
  }
}
