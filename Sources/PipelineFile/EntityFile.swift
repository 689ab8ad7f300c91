internal import ImportModel

/// Reads the entities of a pipeline file.
struct EntityFile {
  /// The reader of the whole file.
  var reader: YAMLReader
  /// The sources of the attributes that records bring.
  private(set) var fields: [Field] = []
  /// What was called otherwise before.
  private(set) var renames: [Rename] = []

  init(_ reader: YAMLReader) {
    self.reader = reader
  }

  /// The entities that no record becomes.
  mutating func entities(_ part: YAMLPart, besides main: String) -> [Entity] {
    guard let entries = reader.entries(of: part) else { return [] }
    return entries.compactMap { name, part in
      guard name != main else {
        reader.report(.mainEntityAgain(name), at: part.place)
        return nil
      }
      guard let settings = reader.settings(of: part, allowed: .entity) else { return nil }
      return entity(named: name, settings, at: part.path, bringsRecords: false)
    }
  }

  /// An entity of the given settings: the file's top level for the one that records become.
  mutating func entity(
    named name: String, _ settings: [String: YAMLPart], at path: [String], bringsRecords: Bool
  ) -> Entity {
    var entity = Entity(name: name, key: [], attributes: [])
    if let was = settings["was"].flatMap({ reader.text($0) }) { renames.append(Rename(name, was: was)) }
    if let key = settings["key"] { entity.key = reader.texts(key) ?? [] }
    if let attributes = settings["attributes"], let entries = reader.entries(of: attributes) {
      for (name, part) in entries {
        var file = AttributeFile(reader, part, named: name, of: entity.name, bringsRecords: bringsRecords)
        entity.attributes.append(file.attribute())
        if let field = file.field { fields.append(field) }
        if let was = file.was { renames.append(Rename(entity.name, name, was: was)) }
        reader = file.reader
      }
    }
    if let unique = settings["unique"] {
      entity.uniquenessConstraints = reader.elements(of: unique).map { reader.texts($0) ?? [] }
    }
    if let index = settings["index"] {
      entity.indexes = reader.elements(of: index).map { reader.texts($0) ?? [] }
    }
    let required = Set(entity.key + entity.uniquenessConstraints.joined())
    for index in entity.attributes.indices where required.contains(entity.attributes[index].name) {
      entity.attributes[index].isRequired = true
    }
    if let relationships = settings["relationships"], let entries = reader.entries(of: relationships) {
      entity.relationships = entries.compactMap { relationship(named: $0, of: entity.name, $1) }
    }
    if let fetched = settings["fetched"] {
      entity.fetchedProperties = FetchedFile.properties(fetched, &reader)
    }
    return entity
  }

  // MARK: Relationships

  private mutating func relationship(
    named name: String, of entity: String, _ part: YAMLPart
  ) -> Relationship? {
    guard
      let settings = reader.settings(of: part, allowed: .relationship)
    else { return nil }
    let ends = Self.kinds.compactMap { word, kind in settings[word].map { (kind, $0) } }
    guard ends.count == 1, let (kind, end) = ends.first else {
      reader.report(.noDestination(name), at: part.place)
      return unread(part)
    }
    guard let destination = reader.text(end) else { return unread(part) }
    var complete = Relationship(name: name, kind: kind, destination: destination)
    if let inverse = settings["inverse"] {
      guard let inverse = reader.text(inverse) else { return unread(part) }
      complete.inverse = inverse
    }
    if let was = settings["was"].flatMap({ reader.text($0) }) {
      renames.append(Rename(entity, name, was: was))
    }
    if let rule = settings["on-delete"] {
      complete.deleteRule = reader.choice(rule, among: Self.deleteRules) ?? .nullify
    }
    return complete
  }

  private mutating func unread(_ part: YAMLPart) -> Relationship? {
    reader.leaveUnread(part.path)
    return nil
  }

  static let kinds: [(word: String, kind: Relationship.Kind)] = [
    ("to-many", .toMany), ("has-one", .hasOne), ("to-one", .toOne),
  ]

  static let deleteRules: [(word: String, choice: Relationship.DeleteRule)] = [
    ("nullify", .nullify), ("cascade", .cascade), ("deny", .deny),
  ]

  /// Declares the to-one ends that the file leaves out: a to-many or has-one relationship implies its inverse.
  mutating func completeRelationships(of pipeline: inout Pipeline) {
    for entity in pipeline.model.entities {
      for toMany in entity.relationships where toMany.kind != .toOne {
        guard let name = toMany.inverse,
          let index = pipeline.model.entities.firstIndex(where: { $0.name == toMany.destination }),
          pipeline.model.entities[index].relationship(named: name) == nil
        else { continue }
        let path = pipeline.part(of: toMany.destination) + ["relationships", name]
        guard !reader.unread.contains(path) else { continue }
        pipeline.model.entities[index].relationships.append(
          Relationship(name: name, kind: .toOne, destination: entity.name, inverse: toMany.name))
        let declaration = pipeline.part(of: entity.name) + ["relationships", toMany.name]
        if let place = reader.sourceMap.location(of: declaration) { reader.note(path, at: place) }
      }
    }
  }
}

extension EntityFile {
  /// Gives the derived attributes that say no type the one that follows from their derivation.
  func completeTypes(of pipeline: inout Pipeline) {
    // Each round gives their types to those that are derived from the ones of the round before.
    for _ in pipeline.model.entities.flatMap(\.derivedAttributes) {
      let model = pipeline.model
      for (index, entity) in model.entities.enumerated() {
        for (place, attribute) in entity.attributes.enumerated() {
          let part = pipeline.part(of: entity.name, attribute: attribute.name)
          guard let derivation = attribute.derivation, !reader.sourceMap.contains(part + ["type"]),
            let type = model.type(of: derivation, in: entity)
          else { continue }
          pipeline.model.entities[index].attributes[place].type = type
        }
      }
      if pipeline.model == model { return }
    }
  }
}

/// Reads the links of a pipeline file.
enum LinkFile {
  static let timings: [(word: String, choice: Link.Timing)] = [("insert", .insert), ("always", .always)]

  /// The links under the key `link`.
  static func links(_ part: YAMLPart, _ reader: inout YAMLReader) -> [Link] {
    guard let entries = reader.entries(of: part) else { return [] }
    return entries.compactMap { name, part in
      guard let settings = reader.settings(of: part, allowed: .link) else { return nil }
      var link = Link(name, ownerKey: [])
      if let to = settings["to"] {
        guard let entries = reader.entries(of: to) else { return nil }
        for (attribute, part) in entries {
          guard let expression = reader.text(part) else { return nil }
          reader.note(part.path, at: part.placeOfValue)
          link.ownerKey.append(Link.KeyPart(attribute, expression))
        }
      }
      if let when = settings["when"] {
        link.timing = reader.choice(when, among: timings) ?? .insert
      }
      return link
    }
  }
}
