extension Pipeline {
  /// Everything that is wrong with the pipeline's meaning, in the order of the places; empty for a sound one.
  ///
  /// Expressions are looked at only when a store compiles them.
  public func problems() -> [PipelineProblem] {
    PipelineCheck(self).problems()
  }
}

/// Checks what a pipeline means: its model, its sources and its links.
package struct PipelineCheck {
  private let pipeline: Pipeline
  private var list: ProblemList

  /// Makes the check of a pipeline.
  ///
  /// - Parameter unread: the parts of its file that could not be read.
  package init(_ pipeline: Pipeline, unread: Set<[String]> = []) {
    self.pipeline = pipeline
    list = ProblemList(pipeline, unread: unread)
  }

  /// The problems, in the order of their places.
  package func problems() -> [PipelineProblem] {
    var check = self
    if pipeline.name.isEmpty { check.list.add(.pipelineWithoutName, at: ["name"]) }
    if pipeline.name.utf8.contains(0) { check.list.add(.pipelineNameWithNull, at: ["name"]) }
    if pipeline.author?.utf8.contains(0) == true { check.list.add(.authorWithNull, at: ["author"]) }
    if pipeline.settings.maximumMissing != nil, pipeline.feed != .full {
      check.list.add(.missingOfWindow, at: ["max-missing"])
    }
    if pipeline.settings.sortPolicy != .none, pipeline.settings.stopsOnReject {
      check.list.add(.sortedStop, at: ["sort"])
    }
    check.checkGone()
    if pipeline.store?.utf8.contains(0) == true { check.list.add(.storeWithNull, at: ["store"]) }
    NameCheck.run(pipeline, &check.list)
    AttributeCheck.run(pipeline, &check.list)
    UniqueCheck.run(pipeline, &check.list)
    IndexCheck.run(pipeline, &check.list)
    RelationshipCheck.run(pipeline, &check.list)
    FetchedCheck.run(pipeline, &check.list)
    DerivationCheck.run(pipeline, &check.list)
    MergeCheck.run(pipeline, &check.list)
    ChildrenCheck.run(pipeline, &check.list)
    RenameCheck.run(pipeline, &check.list)
    SizeCheck.run(pipeline, &check.list)
    ConnectionsCheck.run(pipeline, &check.list)
    check.checkEntity()
    check.checkColumns()
    check.checkChecks()
    return check.list.problems.sortedByLocation()
  }

  private mutating func checkGone() {
    if pipeline.gone == .keep { return }
    if pipeline.feed != .full { list.add(.goneOfWindow, at: ["gone"]) }
    switch pipeline.gone {
    case .keep: break
    case .delete:
      if pipeline.settings.maximumMissing == nil { list.add(.unguardedDeletion, at: ["gone"]) }
    case .mark(let name):
      guard let entity = pipeline.model.entity(named: pipeline.entity) else { return }
      guard let attribute = entity.attribute(named: name) else {
        return list.add(.noSuchAttribute(name, of: entity), at: ["gone"])
      }
      if !attribute.isMark || entity.key.contains(name)
        || pipeline.fields.contains(where: { $0.attribute == name })
      {
        list.add(.notAMark(name), at: ["gone"])
      }
    }
  }

  private mutating func checkEntity() {
    guard !pipeline.entity.isEmpty else {
      list.add(.noEntity, at: ["entity"])
      return
    }
    guard let entity = pipeline.model.entity(named: pipeline.entity) else {
      list.add(.noSuchEntity(pipeline.entity, pipeline.model), at: ["entity"], restingOn: [["entities"]])
      return
    }
    checkFields(pipeline.fields, of: entity, depth: 0)
    for children in pipeline.children {
      guard let entity = pipeline.toMany(of: children)?.destination else { continue }
      checkFields(children.fields, of: entity, depth: pipeline.depth(of: children))
    }
    checkLinks(of: entity)
  }

  // MARK: Sources

  /// - Parameter depth: how many things stand around what has the fields.
  private mutating func checkFields(_ fields: [Field], of entity: Entity, depth: Int) {
    var seen: Set<String> = []
    for field in fields {
      let part = pipeline.part(of: entity.name, attribute: field.attribute)
      guard let attribute = entity.attribute(named: field.attribute) else {
        list.add(.noSuchAttribute(field.attribute, of: entity), at: part)
        continue
      }
      if !seen.insert(field.attribute).inserted {
        list.add(.twoSources(field.attribute), at: part)
      }
      check(field, of: attribute, at: part)
      if case .path(let path) = field.source {
        let keys = path.split(separator: "/", omittingEmptySubsequences: false)
        let levels = keys.prefix { $0 == ".." }.count
        if levels > depth || levels == keys.count {
          list.add(.outOfRecord(levels, depth), at: part + ["from"])
        }
      }
    }
    for attribute in entity.attributes where !seen.contains(attribute.name) && attribute.derivation == nil {
      let part = pipeline.part(of: entity.name, attribute: attribute.name)
      if entity.key.contains(attribute.name) {
        list.add(.keyWithoutSource(attribute.name), at: part)
      } else if attribute.isRequired, attribute.defaultValue == nil {
        list.add(.requiredWithoutSource(attribute.name), at: part)
      }
    }
  }

  private mutating func checkChecks() {
    let lists =
      [([], pipeline.checks)] + pipeline.children.map { (pipeline.part(of: $0), $0.checks) }
    for (part, checks) in lists {
      for (index, text) in checks.enumerated() where text.isEmpty {
        list.add(.emptyCheck, at: part + ["check", "\(index)"])
      }
    }
  }

  private mutating func check(_ field: Field, of attribute: Attribute, at part: [String]) {
    if attribute.derivation != nil {
      list.add(.sourceOfDerived(attribute.name), at: part)
    }
    switch field.source {
    case .path(""):
      list.add(.emptySource(attribute.name), at: part + ["from"])
    case .path(".") where part.first != "children":
      list.add(.elementOfRecord, at: part + ["from"])
    case .expression(""):
      list.add(.emptyExpression(attribute.name), at: part + ["value"])
    default: break
    }
    check(zone: field.zone, of: attribute, at: part + ["zone"])
    guard let form = field.dateForm else { return }
    switch (form, attribute.type) {
    case (.pattern(let text), .date), (.pattern(let text), .day):
      do throws(DatePattern.Failure) {
        _ = try DatePattern(text)
      } catch {
        list.add(.unreadableFormat(attribute.name, error.reason), at: part + ["format"])
      }
    case (_, .date), (.dayFirst, .day), (.monthFirst, .day): break
    case (.epochSeconds, _), (.epochMilliseconds, _):
      list.add(.noEpoch(attribute.name, attribute.type), at: part + ["epoch"])
    case (.dayFirst, _), (.monthFirst, _), (.pattern, _):
      list.add(.noFormat(attribute.name, attribute.type), at: part + ["format"])
    }
  }

  private mutating func check(zone: String?, of attribute: Attribute, at part: [String]) {
    guard let zone else { return }
    guard case .date = attribute.type else {
      return list.add(.noZone(attribute.name, attribute.type), at: part)
    }
    if !ZoneNames.isKnown(zone) { list.add(.unknownZone(zone, of: attribute.name), at: part) }
  }

  /// Rows without names have only the columns that the pipeline gives them.
  private mutating func checkColumns() {
    if case .delimited = pipeline.records {
      for children in pipeline.children {
        list.add(.childrenOfCells, at: pipeline.part(of: children) + ["records"])
      }
    }
    guard let names = pipeline.records.columns else { return }
    if names.isEmpty { list.add(.noColumns, at: ["columns"]) }
    for (index, name) in names.enumerated() where names[..<index].contains(name) {
      list.add(.columnTwice(name), at: ["columns", "\(index)"])
    }
    for field in pipeline.fields {
      guard case .path(let path) = field.source else { continue }
      checkColumn(path, names, at: pipeline.part(of: pipeline.entity, attribute: field.attribute) + ["from"])
    }
    for children in pipeline.children where children.within == nil {
      checkColumn(children.records, names, at: pipeline.part(of: children) + ["records"])
    }
  }

  private mutating func checkColumn(_ path: String, _ names: [String], at part: [String]) {
    guard !path.isEmpty, !names.contains(path), !names.contains(where: { path.hasPrefix($0 + "/") })
    else { return }
    list.add(.noSuchColumn(path, among: names), at: part, restingOn: [["columns"]])
  }

  // MARK: Links

  private mutating func checkLinks(of entity: Entity) {
    var seen: Set<String> = []
    for link in pipeline.links {
      let part = ["link", link.relationship]
      let relationships = pipeline.part(of: entity.name) + ["relationships"]
      if !seen.insert(link.relationship).inserted {
        list.add(.linkedTwice(link.relationship), at: part)
      }
      guard let relationship = entity.relationship(named: link.relationship) else {
        list.add(
          .nothingToLink(link.relationship, of: entity), at: part,
          restingOn: [relationships + [link.relationship], ["entities"]])
        continue
      }
      guard relationship.destination != entity.name else {
        list.add(.linkToItself(entity), at: part)
        continue
      }
      guard relationship.kind == .toOne else {
        list.add(.linkOfOtherEnd(link.relationship, relationship.kind), at: part)
        continue
      }
      guard pipeline.inverse(ofChildren: relationship.destination) == nil else {
        list.add(.linkToChildren(relationship.destination), at: part)
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
        .linkWithoutKey(owner, name), at: part + ["to"],
        restingOn: [ownerPart + ["key"]])
    }
    for (index, name) in given.enumerated() {
      if given[..<index].contains(name) {
        list.add(.linkGivesTwice(owner, name), at: part + ["to", name])
      }
      guard !owner.key.contains(name) else { continue }
      list.add(
        .linkGivesMore(owner, name), at: part + ["to", name], restingOn: [ownerPart + ["key"]])
    }
    for keyPart in link.ownerKey where keyPart.expression.isEmpty {
      list.add(.emptyExpression(keyPart.attribute), at: part + ["to", keyPart.attribute])
    }
    for attribute in owner.attributes
    where attribute.isRequired && !owner.key.contains(attribute.name) && attribute.derivation == nil
      && [nil, .null].contains(attribute.defaultValue)
    {
      list.add(
        .linkCannotMake(owner, without: attribute.name), at: part,
        restingOn: [pipeline.part(of: owner.name, attribute: attribute.name)])
    }
  }
}

extension Attribute {
  /// Whether it can say that a row is gone.
  fileprivate var isMark: Bool {
    switch type {
    case .date: !isRequired && !isTransient && derivation == nil
    case .boolean: !isTransient && derivation == nil
    default: false
    }
  }
}
