import Bolide
import PlainStore

/// A model that grows: what it was before some attributes came, and some became wider.
extension RandomModel {
  /// The model without some attributes, and what is derived from them.
  ///
  /// - Returns: nil where nothing can be left out.
  mutating func younger() -> RandomModel? {
    var younger = self
    let fixed = fixedNames
    for index in younger.model.entities.indices {
      let entity = younger.model.entities[index]
      younger.model.entities[index].attributes.removeAll { attribute in
        let isFree = attribute.initial != nil || !attribute.isRequired
        return isFree && !attribute.isTransient && !fixed.contains("\(entity.name).\(attribute.name)")
          && dice.once(in: 3)
      }
    }
    younger.dropUnsaid()
    for index in younger.model.entities.indices {
      let indexes = younger.model.entities[index].indexes
      younger.model.entities[index].indexes = indexes.isEmpty ? [] : [indexes[0].reversed()]
    }
    for index in younger.model.entities.indices {
      let name = younger.model.entities[index].name
      for place in younger.model.entities[index].attributes.indices {
        let attribute = younger.model.entities[index].attributes[place]
        let isWide =
          attribute.kind == .integer32 && attribute.derivation == nil
          && !fixed.contains("\(name).\(attribute.name)")
        if isWide, !younger.isRead(attribute.name), dice.once(in: 2) {
          younger.model.entities[index].attributes[place].kind = .integer16
        }
      }
    }
    return younger.whole.names == whole.names ? nil : younger
  }

  /// Attributes that pipelines, constraints and other attributes' values need.
  private var fixedNames: Set<String> {
    var names: Set<String> = []
    let outer = model.entities.flatMap { $0.attributes.compactMap(\.outer?.name) }
    for entity in model.entities {
      names.formUnion((entity.key + entity.unique.joined()).map { "\(entity.name).\($0)" })
      names.formUnion(entity.attributes.compactMap(\.twice).map { "\(entity.name).\($0)" })
      names.formUnion(entity.attributes.filter { $0.outer != nil }.map { "\(entity.name).\($0.name)" })
      names.formUnion(outer.map { "\(entity.name).\($0)" })
    }
    for pipeline in pipelines {
      if case .updateIfNewer(let name) = pipeline.merge { names.insert("\(pipeline.entity).\(name)") }
    }
    return names
  }

  /// Whether a derived attribute may read an attribute of this name.
  private func isRead(_ name: String) -> Bool {
    model.entities.contains { entity in
      entity.attributes.contains { attribute in
        switch attribute.derivation {
        case .copy(let path)?, .folded(_, let path)?: path.last == name
        case .aggregate(_, _, let read, let filter)?: read == name || filter?.attribute == name
        case .now?, nil: false
        }
      }
    }
  }
}

extension PlainModel {
  /// All attributes with their types.
  fileprivate var names: [String] {
    entities.flatMap { entity in entity.attributes.map { "\(entity.name).\($0.name): \($0.kind)" } }
  }
}

extension RandomHistory {
  /// Goes over to the grown model: rows that are there have the defaults of attributes that are new to them.
  mutating func grow() {
    guard let grown else { return }
    tell("the model grows")
    (random, self.grown) = (grown, nil)
    for text in grown.texts { tell(text) }
    plain.grow(to: grown.whole)
  }
}
