internal import ImportModel

/// Reads what a pipeline file says of nested arrays that become rows of other entities.
enum ChildrenFile {
  static let deleteRules: [(word: String, choice: Relationship.DeleteRule)] = [
    ("cascade", .cascade), ("deny", .deny),
  ]

  /// What the keys of some children say of their relationship.
  private struct Ends {
    var kind: Relationship.Kind
    var rule: Relationship.DeleteRule
    var timing: Link.Timing
  }

  /// Adds the children under the key `children` to a pipeline, with their entities and both ends of the relationships, and
  /// behind each list those in its elements.
  ///
  /// - Parameter owner: the entity that holds them, by its place in the model: the records' is the first.
  static func read(
    _ part: YAMLPart, of owner: Int = 0, into pipeline: inout Pipeline, _ reader: inout YAMLReader
  ) {
    guard let entries = reader.entries(of: part) else { return }
    for (name, part) in entries { read(part, named: name, of: owner, into: &pipeline, &reader) }
  }

  private static func read(
    _ part: YAMLPart, named name: String, of index: Int, into pipeline: inout Pipeline,
    _ reader: inout YAMLReader
  ) {
    let relationship = part.path.dropLast(2) + ["relationships", name]
    guard let settings = reader.settings(of: part, allowed: .children),
      let entity = entity(of: name, part, settings["entity"], pipeline, &reader),
      let (back, placeOfBack) = inverse(of: name, part, settings["inverse"], pipeline, index, &reader)
    else {
      // What is said of the relationship elsewhere would be a second sentence about one mistake.
      reader.leaveUnread(Array(relationship))
      return reader.leaveUnread(part.path)
    }
    let owner = pipeline.model.entities[index]
    guard owner.relationship(named: name) == nil else {
      reader.report(.childrenUnderRelationships(name), at: part.place)
      return reader.leaveUnread(part.path)
    }
    var children = Children(name, records: name, fields: [], within: index == 0 ? nil : owner.name)
    if let records = settings["records"].flatMap({ reader.text($0) }) { children.records = records }
    if let checks = settings["check"].flatMap({ reader.texts($0) }) { children.checks = checks }
    var file = EntityFile(reader)
    var child = file.entity(named: entity, settings, at: part.path, bringsRecords: true)
    children.fields = file.fields
    pipeline.renames += file.renames
    reader = file.reader
    let ends = ends(settings, &reader)
    children.timing = ends.timing
    child.relationships = [
      Relationship(name: back, kind: ends.kind, destination: owner.name, inverse: name)
    ]
    pipeline.model.entities[index].relationships.append(
      Relationship(name: name, kind: .toMany, destination: entity, inverse: back, deleteRule: ends.rule))
    pipeline.model.entities.append(child)
    pipeline.children.append(children)
    reader.note(Array(relationship), at: part.place)
    if let rule = settings["on-delete"] { reader.note(relationship + ["on-delete"], at: rule.place) }
    reader.note(part.path + ["relationships", back], at: placeOfBack)
    if let inner = settings["children"] {
      read(inner, of: pipeline.model.entities.count - 1, into: &pipeline, &reader)
    }
  }

  private static func ends(_ settings: [String: YAMLPart], _ reader: inout YAMLReader) -> Ends {
    let isShared = settings["many-to-many"].flatMap { reader.boolean($0) } ?? false
    var ends = Ends(kind: isShared ? .toMany : .toOne, rule: isShared ? .nullify : .cascade, timing: .insert)
    // Of a many-to-many relationship, `nullify` means that the links go.
    let rules = isShared ? EntityFile.deleteRules : deleteRules
    if let rule = settings["on-delete"] { ends.rule = reader.choice(rule, among: rules) ?? ends.rule }
    if let when = settings["when"] { ends.timing = reader.choice(when, among: LinkFile.timings) ?? .insert }
    return ends
  }

  /// The name of the children's entity; nil, with a problem booked, when it cannot be one.
  private static func entity(
    of name: String, _ part: YAMLPart, _ setting: YAMLPart?, _ pipeline: Pipeline, _ reader: inout YAMLReader
  ) -> String? {
    guard let setting else {
      reader.report(.childrenWithoutEntity(name), at: part.place)
      return nil
    }
    guard let entity = reader.text(setting) else { return nil }
    if entity == pipeline.entity {
      reader.report(.childrenOfSameEntity(entity), at: setting.place)
      return nil
    }
    guard pipeline.model.entity(named: entity) == nil else {
      let isChildren = pipeline.children(becoming: entity) != nil
      reader.report(
        isChildren ? .entityOfOtherChildren(entity) : .childrenUnderEntities(entity), at: setting.place)
      return nil
    }
    return entity
  }

  /// The name of the relationship back, and where it stands; nil, with a problem booked, when there is none.
  private static func inverse(
    of name: String, _ part: YAMLPart, _ setting: YAMLPart?, _ pipeline: Pipeline, _ owner: Int,
    _ reader: inout YAMLReader
  ) -> (name: String, place: PipelineProblem.Location)? {
    guard let setting else {
      let example = word(pipeline.model.entities[owner].name)
      reader.report(.childrenWithoutInverse(name, example: example), at: part.place)
      return nil
    }
    return reader.text(setting).map { ($0, setting.place) }
  }

  /// An entity's name as a relationship would say it.
  private static func word(_ entity: String) -> String {
    entity.isEmpty ? "owner" : entity.prefix(1).lowercased() + entity.dropFirst()
  }
}
