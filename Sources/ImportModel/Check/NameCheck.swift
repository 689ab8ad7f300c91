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

  /// How names of SQLite's and of Bolide's own begin.
  private static let reserved = ["bolide_", "sqlite_"]

  /// In bytes of UTF-8. SQLite has no limit but that of a statement; triggers and messages repeat names.
  private static let longest = 1000

  // MARK: Entities

  private static func checkEntities(_ pipeline: Pipeline, _ list: inout ProblemList) {
    var seen: [String: String] = [:]
    for entity in pipeline.model.entities {
      let name = entity.name
      let part = pipeline.bringsRecords(name) ? pipeline.part(of: name) + ["entity"] : pipeline.part(of: name)
      // No entity at all is said by another check.
      guard !name.isEmpty || !pipeline.entity.isEmpty else { continue }
      if name.isEmpty { list.add(.entityWithoutName, at: part) }
      if name.contains("\0") { list.add(.entityNameWithNull, at: part) }
      if name.utf8.count > longest { list.add(.longName(name, longest), at: part) }
      if let prefix = reserved.first(where: name.begins) {
        list.add(.reserved(entity: name, prefix), at: part)
      }
      guard let other = seen.updateValue(name, forKey: name.caseFolded) else { continue }
      list.add(.entityTwice(name, after: other), at: part)
    }
  }

  // MARK: Tables of links

  /// The table of a many-to-many relationship has the names of its first end.
  private static func checkJoins(_ pipeline: Pipeline, _ list: inout ProblemList) {
    var seen = Dictionary(
      pipeline.model.entities.map { ($0.name.caseFolded, Reason.nameOf(entity: $0.name)) },
      uniquingKeysWith: { $1 })
    for (owner, end, toMany) in pipeline.model.joins {
      let table = toMany.holder.name
      let part = pipeline.part(of: owner.name, relationship: end.name)
      if let prefix = reserved.first(where: table.begins) {
        list.add(.tableOfLinks(table, of: end.name, .reserved(tables: prefix)), at: part)
      }
      // Post and Post_before would both have a trigger bolide_Post_before_insert.
      if end.name.caseFolded == "before" {
        list.add(.tableOfLinks(table, of: end.name, .triggersOf(owner)), at: part)
      }
      if let other = seen.updateValue(.nameOf(linksOf: end.name), forKey: table.caseFolded) {
        list.add(.tableOfLinks(table, of: end.name, other), at: part)
      }
    }
  }

  // MARK: Attributes

  private static func checkAttributes(of entity: Entity, _ pipeline: Pipeline, _ list: inout ProblemList) {
    var seen: [String: String] = [:]
    for attribute in entity.attributes {
      let name = attribute.name
      let part = pipeline.part(of: entity.name, attribute: name)
      let rename = advice(for: attribute, of: entity, pipeline)
      if name.isEmpty { list.add(.attributeWithoutName(entity), at: part) }
      if name.contains("\0") { list.add(.attributeNameWithNull, at: part) }
      if name.utf8.count > longest { list.add(.longName(name, longest), at: part) }
      if name.begins(with: "bolide_") {
        list.add(.reserved(attribute: name, rename), at: part)
      }
      guard let other = seen.updateValue(name, forKey: name.caseFolded) else { continue }
      list.add(.attributeTwice(name, after: other, rename), at: part)
    }
  }

  /// What to do about an attribute's name: an attribute of records can still be read from the old key.
  private static func advice(for attribute: Attribute, of entity: Entity, _ pipeline: Pipeline) -> Reason {
    let comesFromRecords = pipeline.bringsRecords(entity.name) && attribute.derivation == nil
    return comesFromRecords ? .rename(from: attribute.name) : .rename
  }

  // MARK: Relationships

  private static func checkRelationships(of entity: Entity, _ pipeline: Pipeline, _ list: inout ProblemList) {
    var seen: [String: String] = [:]
    for relationship in entity.relationships {
      let name = relationship.name
      let part = pipeline.part(of: entity.name, relationship: name)
      if name.isEmpty { list.add(.relationshipWithoutName(entity), at: part) }
      if name.contains("\0") { list.add(.relationshipNameWithNull, at: part) }
      if name.utf8.count > longest { list.add(.longName(name, longest), at: part) }
      if relationship.column.begins(with: "bolide_") {
        list.add(.reserved(relationship: name), at: part)
      }
      if let other = seen.updateValue(name, forKey: name.caseFolded) {
        list.add(.relationshipTwice(name, after: other), at: part)
      }
      for attribute in entity.attributes {
        if attribute.name.caseFolded == name.caseFolded {
          list.add(.attributeAndRelationship(name, of: entity), at: part)
        }
        if relationship.kind == .toOne, attribute.name.caseFolded == relationship.column.caseFolded {
          list.add(
            .collision(attribute.name, with: name, advice(for: attribute, of: entity, pipeline)),
            at: pipeline.part(of: entity.name, attribute: attribute.name))
        }
      }
    }
  }
}

extension String {
  /// Whether the name begins as SQLite compares names: byte by byte. A mark that combines with the last of them changes nothing.
  fileprivate func begins(with prefix: String) -> Bool { caseFolded.utf8.starts(with: prefix.utf8) }
}
