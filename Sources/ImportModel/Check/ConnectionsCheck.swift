/// Checks that records can be imported over several connections, side by side: each key has its own, so what records of different
/// keys do must not depend on their order.
enum ConnectionsCheck {
  /// Books what keeps a pipeline's records on one connection.
  static func run(_ pipeline: Pipeline, _ list: inout ProblemList) {
    guard pipeline.settings.connections > 1 else { return }
    func add(_ what: String, _ reason: Reason = .otherOrder) {
      list.add(.connections(with: what, reason), at: ["connections"])
    }
    if pipeline.mergePolicy.impliesAtomic {
      add("`merge: fail`", .oneTransaction)
    } else if pipeline.settings.isAtomic {
      add("'atomic'", .oneTransaction)
    }
    if pipeline.settings.stopsOnReject { add("'stop-on-reject'") }
    let model = pipeline.model
    let entities =
      [model.entity(named: pipeline.entity)] + pipeline.children.map { pipeline.toMany(of: $0)?.destination }
    for entity in entities.compactMap(\.self) where !entity.uniquenessConstraints.isEmpty {
      add("the further unique constraint of \(entity.title)")
    }
    for link in pipeline.links {
      guard let relationship = model.entity(named: pipeline.entity)?.relationship(named: link.relationship),
        model.isOneToOne(relationship)
      else { continue }
      add("the one-to-one relationship '\(link.relationship)'")
    }
    for children in pipeline.children where pipeline.pipelineOfLinks(to: children) != nil {
      add("the many-to-many relationship '\(children.relationship)'")
    }
  }
}
