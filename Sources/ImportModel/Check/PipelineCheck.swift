extension Pipeline {
  /// Everything that is wrong with the pipeline's meaning, in the order of the places; empty for a sound one.
  ///
  /// Expressions are looked at only when a store compiles them.
  public func problems() -> [PipelineProblem] {
    PipelineCheck(self).problems()
  }
}

/// Checks what a pipeline means: its model, its sources and its links.
struct PipelineCheck {
  private let pipeline: Pipeline
  private var list: ProblemList

  /// Makes the check of a pipeline.
  ///
  /// - Parameter unread: the parts of its file that could not be read.
  init(_ pipeline: Pipeline, unread: Set<[String]> = []) {
    self.pipeline = pipeline
    list = ProblemList(pipeline, unread: unread)
  }

  /// The problems, in the order of their places.
  func problems() -> [PipelineProblem] {
    var check = self
    if pipeline.name.isEmpty { check.list.add("the pipeline has no name", at: ["name"]) }
    NameCheck.run(pipeline, &check.list)
    AttributeCheck.run(pipeline, &check.list)
    UniqueCheck.run(pipeline, &check.list)
    RelationshipCheck.run(pipeline, &check.list)
    DerivationCheck.run(pipeline, &check.list)
    MergeCheck.run(pipeline, &check.list)
    ChildrenCheck.run(pipeline, &check.list)
    check.checkEntity()
    check.checkColumns()
    return check.list.problems.sortedByPlace()
  }

  private mutating func checkEntity() {
    guard !pipeline.entity.isEmpty else {
      list.add("no entity is named: say which entity a record becomes, as in `entity: Quake`", at: ["entity"])
      return
    }
    guard let entity = pipeline.model.entity(named: pipeline.entity) else {
      let names = pipeline.model.entities.map(\.name)
      let ending = Suggestion.ending(for: pipeline.entity, among: names, plural: "the entities are")
      list.add("there is no entity '\(pipeline.entity)'\(ending)", at: ["entity"], restingOn: [["entities"]])
      return
    }
    checkFields(pipeline.fields, of: entity)
    for children in pipeline.children {
      if let entity = pipeline.toMany(of: children)?.destination { checkFields(children.fields, of: entity) }
    }
    checkLinks(of: entity)
  }

  // MARK: Sources

  private mutating func checkFields(_ fields: [Field], of entity: Entity) {
    var seen: Set<String> = []
    for field in fields {
      let part = pipeline.part(of: entity.name, attribute: field.attribute)
      guard let attribute = entity.attribute(named: field.attribute) else {
        let ending = Suggestion.ending(
          for: field.attribute, among: entity.attributes.map(\.name), plural: "the attributes are")
        list.add("there is no attribute '\(field.attribute)' in \(entity.title)\(ending)", at: part)
        continue
      }
      if !seen.insert(field.attribute).inserted {
        list.add("the attribute '\(field.attribute)' has two sources", at: part)
      }
      check(field, of: attribute, at: part)
    }
    for attribute in entity.attributes where !seen.contains(attribute.name) && attribute.derivation == nil {
      let part = pipeline.part(of: entity.name, attribute: attribute.name)
      if entity.key.contains(attribute.name) {
        list.add("the key attribute '\(attribute.name)' has no source in the record", at: part)
      } else if attribute.isRequired, attribute.defaultValue == nil {
        list.add("the required attribute '\(attribute.name)' has neither a source nor a default", at: part)
      }
    }
  }

  private mutating func check(_ field: Field, of attribute: Attribute, at part: [String]) {
    if attribute.derivation != nil {
      list.add("the store computes '\(attribute.name)': it has no source", at: part)
    }
    switch field.source {
    case .path(""):
      list.add("the source path of '\(attribute.name)' is empty", at: part + ["from"])
    case .path(".") where part.first != "children":
      list.add(
        "'.' is an element of a nested array, and a record is an object: name its key", at: part + ["from"])
    case .expression(""):
      list.add("the expression of '\(attribute.name)' is empty", at: part + ["value"])
    default: break
    }
    guard let form = field.dateForm else { return }
    switch (form, attribute.type) {
    case (_, .date), (.dayFirst, .day), (.monthFirst, .day): break
    case (.epochSeconds, _), (.epochMilliseconds, _):
      list.add(
        "only a date counts from an epoch, and '\(attribute.name)' is \(attribute.type.named)",
        at: part + ["epoch"])
    case (.dayFirst, _), (.monthFirst, _):
      list.add(
        "only dates and days have a format, and '\(attribute.name)' is \(attribute.type.named)",
        at: part + ["format"])
    }
  }

  /// Rows without names have only the columns that the pipeline gives them.
  private mutating func checkColumns() {
    guard case .rows(let names) = pipeline.records else { return }
    if names.isEmpty { list.add("'columns' names no column", at: ["columns"]) }
    for (index, name) in names.enumerated() where names[..<index].contains(name) {
      list.add("the column '\(name)' is named twice", at: ["columns", "\(index)"])
    }
    for field in pipeline.fields {
      guard case .path(let path) = field.source else { continue }
      checkColumn(path, names, at: pipeline.part(of: pipeline.entity, attribute: field.attribute) + ["from"])
    }
    for children in pipeline.children {
      checkColumn(children.records, names, at: ["children", children.relationship, "records"])
    }
  }

  private mutating func checkColumn(_ path: String, _ names: [String], at part: [String]) {
    guard !path.isEmpty, !names.contains(path), !names.contains(where: { path.hasPrefix($0 + "/") })
    else { return }
    let ending = Suggestion.ending(for: path, among: names, plural: "the columns are")
    list.add("'columns' names no '\(path)'\(ending)", at: part, restingOn: [["columns"]])
  }

  // MARK: Links

  private mutating func checkLinks(of entity: Entity) {
    var seen: Set<String> = []
    for link in pipeline.links {
      let part = ["link", link.relationship]
      let relationships = pipeline.part(of: entity.name) + ["relationships"]
      if !seen.insert(link.relationship).inserted {
        list.add("the relationship '\(link.relationship)' is linked twice", at: part)
      }
      guard let relationship = entity.relationship(named: link.relationship) else {
        let toOne = entity.toOneRelationships.map(\.name)
        let ending = Suggestion.ending(
          for: link.relationship, among: toOne, plural: "its to-one relationships are")
        list.add(
          "\(entity.title) has no relationship '\(link.relationship)' to link\(ending)", at: part,
          restingOn: [relationships + [link.relationship], ["entities"]])
        continue
      }
      guard relationship.destination != entity.name else {
        list.add("a link from \(entity.title) to itself is not supported", at: part)
        continue
      }
      guard relationship.kind == .toOne else {
        list.add("only a to-one relationship can be linked, and '\(link.relationship)' is to-many", at: part)
        continue
      }
      guard pipeline.inverse(ofChildren: relationship.destination) == nil else {
        list.add(
          "a link could not find a \(relationship.destination): what is read as children is known by its parent too",
          at: part)
        continue
      }
      if let owner = pipeline.model.entity(named: relationship.destination) {
        check(link, to: owner, at: part)
      }
    }
  }

  private mutating func check(_ link: Link, to owner: Entity, at part: [String]) {
    let ownerPart = pipeline.part(of: owner.name)
    let given = link.ownerKey.map(\.attribute)
    for name in owner.key where !given.contains(name) {
      list.add(
        "the link to \(owner.name) does not give its key attribute '\(name)'", at: part + ["to"],
        restingOn: [ownerPart + ["key"]])
    }
    for (index, name) in given.enumerated() {
      if given[..<index].contains(name) {
        list.add("the link to \(owner.name) gives '\(name)' twice", at: part + ["to", name])
      }
      guard !owner.key.contains(name) else { continue }
      let ending = Suggestion.ending(for: name, among: owner.key, plural: "its key is")
      list.add(
        "a link gives the owner's key, and '\(name)' is not in the key of \(owner.name)\(ending)",
        at: part + ["to", name], restingOn: [ownerPart + ["key"]])
    }
    for keyPart in link.ownerKey where keyPart.expression.isEmpty {
      list.add("the expression of '\(keyPart.attribute)' is empty", at: part + ["to", keyPart.attribute])
    }
    for attribute in owner.attributes
    where attribute.isRequired && !owner.key.contains(attribute.name) && attribute.derivation == nil
      && [nil, .null].contains(attribute.defaultValue)
    {
      list.add(
        "a link could not make a \(owner.name): its attribute '\(attribute.name)' is required "
          + "and has no default",
        at: part, restingOn: [pipeline.part(of: owner.name, attribute: attribute.name)])
    }
  }
}

extension AttributeType {
  /// The type with its article, for a sentence.
  var named: String {
    switch self {
    case .integer16, .integer32, .integer64: "an \(name)"
    default: "a \(name)"
    }
  }
}
