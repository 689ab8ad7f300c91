package import ImportModel

extension Pipeline {
  /// A pipeline that makes an empty store with another one's model, which was checked when that one was made.
  package init(keeping model: Model) {
    var model = model
    // A pipeline's model has none for links.
    let joins = model.joins.map(\.toMany.holder.name)
    model.entities.removeAll { joins.contains($0.name) }
    self.init(name: "copy", entity: model.entities.first?.name ?? "", model: model, fields: [])
  }
}
