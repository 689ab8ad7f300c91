/// Checks the names of entities, attributes and relationships: all become names in an SQLite file.
enum NameCheck {
  /// Books what is wrong with the names of a pipeline's model.
  static func run(_ pipeline: Pipeline, _ list: inout ProblemList) {
    checkEntities(pipeline, &list)
    checkJoins(pipeline, &list)
    for entity in pipeline.model.entities {
      checkAttributes(of: entity, pipeline, &list)
      checkRelationships(of: entity, pipeline, &list)
    }
  }

  // MARK: Entities

  private static func checkEntities(_ pipeline: Pipeline, _ list: inout ProblemList) {
    var seen: [String: String] = [:]
    for entity in pipeline.model.entities {
      let name = entity.name
      let part = pipeline.bringsRecords(name) ? pipeline.part(of: name) + ["entity"] : pipeline.part(of: name)
      // No entity at all is said by another check.
      guard !name.isEmpty || !pipeline.entity.isEmpty else { continue }
      if name.isEmpty { list.add("an entity has no name", at: part) }
      if name.contains("\0") { list.add("the name of an entity holds the character U+0000", at: part) }
      if let prefix = ["bolide_", "sqlite_"].first(where: name.caseFolded.hasPrefix) {
        list.add(
          "the entity '\(name)' needs another name: tables that start with '\(prefix)' are reserved", at: part
        )
      }
      guard let other = seen.updateValue(name, forKey: name.caseFolded) else { continue }
      list.add(
        other == name
          ? "the entity '\(name)' is declared twice"
          : "the entities '\(other)' and '\(name)' differ by case only, which SQLite ignores: rename one",
        at: part)
    }
  }

  // MARK: Tables of links

  /// The table of a many-to-many relationship has the names of its first end.
  private static func checkJoins(_ pipeline: Pipeline, _ list: inout ProblemList) {
    var seen = Dictionary(
      pipeline.model.entities.map { ($0.name.caseFolded, "the entity '\($0.name)' has") },
      uniquingKeysWith: { $1 })
    for (owner, end, toMany) in pipeline.model.joins {
      let table = toMany.holder.name
      let beginning =
        "the relationship '\(end.name)' needs another name: its links would stand in the table '\(table)', "
      let part = pipeline.part(of: owner.name, relationship: end.name)
      if let prefix = ["bolide_", "sqlite_"].first(where: table.caseFolded.hasPrefix) {
        list.add(beginning + "and tables that start with '\(prefix)' are reserved", at: part)
      }
      // Post and Post_before would both have a trigger bolide_Post_before_insert.
      if end.name.caseFolded == "before" {
        list.add(beginning + "and its triggers would have the names of \(owner.name)'s", at: part)
      }
      let other = seen.updateValue("the links of '\(end.name)' have", forKey: table.caseFolded)
      if let other { list.add(beginning + "a name that \(other)", at: part) }
    }
  }

  // MARK: Attributes

  private static func checkAttributes(of entity: Entity, _ pipeline: Pipeline, _ list: inout ProblemList) {
    var seen: [String: String] = [:]
    for attribute in entity.attributes {
      let name = attribute.name
      let part = pipeline.part(of: entity.name, attribute: name)
      let rename = advice(for: attribute, of: entity, pipeline)
      if name.isEmpty { list.add("an attribute of \(entity.title) has no name", at: part) }
      if name.contains("\0") { list.add("the name of an attribute holds the character U+0000", at: part) }
      if name.caseFolded.hasPrefix("bolide_") {
        list.add("names that start with 'bolide_' are reserved, as '\(name)' does; \(rename)", at: part)
      }
      guard let other = seen.updateValue(name, forKey: name.caseFolded) else { continue }
      list.add(
        other == name
          ? "the attribute '\(name)' is declared twice"
          : "the attributes '\(other)' and '\(name)' differ by case only, which SQLite ignores; \(rename)",
        at: part)
    }
  }

  /// What to do about an attribute's name: an attribute of records can still be read from the old key.
  private static func advice(for attribute: Attribute, of entity: Entity, _ pipeline: Pipeline) -> String {
    let comesFromRecords = pipeline.bringsRecords(entity.name) && attribute.derivation == nil
    return comesFromRecords ? "rename it and say `from: \(attribute.name)`" : "rename it"
  }

  // MARK: Relationships

  private static func checkRelationships(of entity: Entity, _ pipeline: Pipeline, _ list: inout ProblemList) {
    var seen: [String: String] = [:]
    for relationship in entity.relationships {
      let name = relationship.name
      let part = pipeline.part(of: entity.name, relationship: name)
      if name.isEmpty { list.add("a relationship of \(entity.title) has no name", at: part) }
      if name.contains("\0") { list.add("the name of a relationship holds the character U+0000", at: part) }
      if relationship.column.caseFolded.hasPrefix("bolide_") {
        list.add(
          "the relationship '\(name)' needs another name: columns that start with 'bolide_' are reserved",
          at: part)
      }
      if let other = seen.updateValue(name, forKey: name.caseFolded) {
        list.add(
          other == name
            ? "the relationship '\(name)' is declared twice"
            : "the relationships '\(other)' and '\(name)' differ by case only: rename one",
          at: part)
      }
      for attribute in entity.attributes {
        if attribute.name.caseFolded == name.caseFolded {
          list.add("'\(name)' is an attribute and a relationship of \(entity.title): rename one", at: part)
        }
        if relationship.kind == .toOne, attribute.name.caseFolded == relationship.column.caseFolded {
          list.add(
            "the attribute '\(attribute.name)' collides with the column of the relationship '\(name)'; "
              + advice(for: attribute, of: entity, pipeline),
            at: pipeline.part(of: entity.name, attribute: attribute.name))
        }
      }
    }
  }
}
