import PlainStore

/// A pipeline of a random model as the text of a file.
struct PipelineText {
  private let random: RandomModel
  private let pipeline: PlainPipeline
  /// What this pipeline may speak of: not of the children of others.
  private let model: PlainModel
  private var lines: [String] = []

  static func text(of number: Int, _ random: RandomModel) -> String {
    var text = PipelineText(random, random.pipelines[number])
    text.write(name: "feed\(number)")
    return text.lines.joined(separator: "\n") + "\n"
  }

  private init(_ random: RandomModel, _ pipeline: PlainPipeline) {
    (self.random, self.pipeline) = (random, pipeline)
    model = random.model.visible(to: pipeline.entity, parents: random.parents)
  }

  private mutating func write(name: String) {
    lines = ["bolide: 1", "name: \(name)", "store: store.sqlite", "entity: \(pipeline.entity)"]
    lines += [
      "merge: \(merge)", "repeated-key: \(pipeline.repeated.rawValue)", "max-rejects: 100%", "force: true",
    ]
    let made = Set(model.lists(of: pipeline).map(\.end.destination))
    write(model[pipeline.entity], "", isMain: true)
    for link in pipeline.links {
      if link.relationship == pipeline.links[0].relationship { lines.append("link:") }
      let key = link.key.map { "\($0.owner): \($0.own)" }.joined(separator: ", ")
      lines.append(
        "  \(link.relationship): { to: { \(key) }, when: \(link.isAlways ? "always" : "insert") }")
    }
    write(pipeline.children, of: pipeline.entity, "")
    let others = model.entities.filter { $0.name != pipeline.entity && !made.contains($0.name) }
    if !others.isEmpty { lines.append("entities:") }
    for entity in others {
      lines.append("  \(entity.name):")
      write(entity, "    ", isMain: false)
    }
  }

  private var merge: String {
    switch pipeline.merge {
    case .update: "update"
    case .updateNonNull: "update-non-null"
    case .ignore: "ignore"
    case .fail: "fail"
    case .updateIfNewer(let name): "{ update-if-newer: \(name) }"
    }
  }

  private mutating func write(_ entity: PlainEntity, _ indent: String, isMain: Bool) {
    lines.append("\(indent)key: [\(entity.key.joined(separator: ", "))]")
    if !entity.unique.isEmpty {
      let constraints = entity.unique.map { "[\($0.joined(separator: ", "))]" }
      lines.append("\(indent)unique: [\(constraints.joined(separator: ", "))]")
    }
    write(indexes: entity, indent)
    write(attributes: entity, indent, bringsRecords: isMain)
    let made = pipeline.children.map(\.relationship)
    let relationships = entity.relationships.filter { !isMain || !made.contains($0.name) }
    if !relationships.isEmpty { lines.append("\(indent)relationships:") }
    for relationship in relationships { lines.append("\(indent)  \(text(relationship))") }
  }

  private mutating func write(indexes entity: PlainEntity, _ indent: String) {
    let names = entity.stored.map(\.name) + entity.relationships.filter { $0.kind == .toOne }.map(\.name)
    let indexes = entity.indexes.filter { index in
      index.allSatisfy(names.contains) && index != entity.key && !entity.unique.contains(index)
    }
    if indexes.isEmpty { return }
    let lists = indexes.map { "[\($0.joined(separator: ", "))]" }
    lines.append("\(indent)index: [\(lists.joined(separator: ", "))]")
  }

  private func text(_ relationship: PlainRelationship) -> String {
    let word =
      switch relationship.kind {
      case .toOne: "to-one"
      case .hasOne: "has-one"
      case .toMany, .manyToMany: "to-many"
      }
    let inverse = relationship.inverse.map { ", inverse: \($0)" } ?? ""
    let rule = relationship.kind == .toOne ? "" : ", on-delete: \(relationship.rule.rawValue)"
    return "\(relationship.name): { \(word): \(relationship.destination)\(inverse)\(rule) }"
  }

  private mutating func write(attributes entity: PlainEntity, _ indent: String, bringsRecords: Bool) {
    lines.append("\(indent)attributes:")
    for attribute in entity.attributes where bringsRecords || !attribute.isTransient {
      var parts = [attribute.kind.text]
      if attribute.isRequired, !entity.key.contains(attribute.name) { parts.append("required: true") }
      if attribute.isTransient { parts.append("transient: true") }
      if attribute.isVolatile { parts.append("volatile: true") }
      if let value = attribute.initial { parts.append("default: \(value.json(attribute.kind))") }
      if let twice = attribute.twice, bringsRecords { parts.append("value: \"\(twice) * 2 + 1\"") }
      if let outer = attribute.outer, bringsRecords {
        parts.append("from: \(String(repeating: "../", count: outer.up))\(outer.name)")
      }
      if let derivation = attribute.derivation { parts += text(derivation) }
      lines.append("\(indent)  \(attribute.name): { \(parts.joined(separator: ", ")) }")
    }
  }

  private func text(_ derivation: PlainDerivation) -> [String] {
    switch derivation {
    case .now: return ["derived: now()"]
    case .copy(let path): return ["derived: \(path.joined(separator: "."))"]
    case .folded(let folding, let path):
      return ["derived: \"\(folding.rawValue):(\(path.joined(separator: ".")))\""]
    case .aggregate(let function, let over, let name, let filter):
      let parts = [over] + (name.map { [$0] } ?? []) + ["@\(function.rawValue)"]
      return ["derived: \(parts.joined(separator: "."))"]
        + (filter.map {
          ["where: \"\($0.sql.map { "\"\\".contains($0) ? "\\\($0)" : String($0) }.joined())\""]
        }
          ?? [])
    }
  }

  private mutating func write(_ lists: [PlainPipeline.Children], of holder: String, _ indent: String) {
    if !lists.isEmpty { lines.append("\(indent)children:") }
    for list in lists {
      guard let end = model[holder].relationship(list.relationship), let inverse = end.inverse else {
        continue
      }
      let (entity, inner) = (model[end.destination], indent + "    ")
      lines += [
        "\(indent)  \(list.relationship):", "\(inner)entity: \(entity.name)", "\(inner)inverse: \(inverse)",
      ]
      if list.isManyToMany {
        lines.append("\(inner)many-to-many: true")
        if list.isAlways { lines.append("\(inner)when: always") }
      }
      lines.append("\(inner)on-delete: \(end.rule.rawValue)")
      lines.append("\(inner)key: [\(entity.key.joined(separator: ", "))]")
      write(indexes: entity, inner)
      write(attributes: entity, inner, bringsRecords: true)
      write(list.children, of: entity.name, inner)
    }
  }
}

extension RandomModel {
  /// Its pipelines as texts.
  var texts: [String] { pipelines.indices.map { PipelineText.text(of: $0, self) } }
}

extension PlainFilter {
  var sql: String {
    switch comparison {
    case .less: "\(attribute) < \(value.sql)"
    case .equal: "\(attribute) = \(value.sql)"
    case .greater: "\(attribute) > \(value.sql)"
    case .isNull: "\(attribute) IS NULL"
    case .isNotNull: "\(attribute) IS NOT NULL"
    }
  }
}

extension PlainModel {
  /// What a pipeline may speak of: all but the children of other pipelines' records, and what follows from them.
  func visible(to main: String, parents: [String: String]) -> PlainModel {
    var model = self
    model.entities.removeAll { parents[$0.name].map { $0 != main } ?? false }
    let names = Set(model.entities.map(\.name))
    for index in model.entities.indices {
      model.entities[index].relationships.removeAll { !names.contains($0.destination) }
    }
    while true {
      var isDone = true
      for index in model.entities.indices {
        let count = model.entities[index].attributes.count
        let entity = model.entities[index]
        let kept = entity.attributes.filter { $0.derivation.map { model.has($0, entity) } ?? true }
        model.entities[index].attributes = kept
        if model.entities[index].attributes.count != count { isDone = false }
      }
      if isDone { return model }
    }
  }

  private func has(_ derivation: PlainDerivation, _ entity: PlainEntity) -> Bool {
    switch derivation {
    case .now: return true
    case .copy(let path), .folded(_, let path):
      var place = entity
      for hop in path.dropLast() {
        guard let relationship = place.relationship(hop) else { return false }
        place = self[relationship.destination]
      }
      return place.attribute(path.last ?? "") != nil
    case .aggregate(_, let over, let name, let filter):
      guard let relationship = entity.relationship(over) else { return false }
      let members = self[relationship.destination]
      return [name, filter?.attribute].allSatisfy { $0.map { members.attribute($0) != nil } ?? true }
    }
  }
}
