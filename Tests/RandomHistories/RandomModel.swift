import PlainStore

/// A small model with attributes, relationships and derived attributes of every kind, and a pipeline for some entities.
struct RandomModel {
  var model = PlainModel()
  private(set) var pipelines: [PlainPipeline] = []
  var dice: Dice
  private var number = 0

  init(_ seed: Int) {
    dice = Dice(seed)
    for name in ["Ant", "Bee", "Cat", "Dog"].prefix(dice.int(1...4)) {
      model.entities.append(entity(name))
    }
    for _ in 0..<dice.int(0...4) { relate() }
    for index in model.entities.indices where index == 0 || !dice.once(in: 3) {
      pipelines.append(pipeline(model.entities[index].name))
    }
    addRules()
    for _ in 0..<dice.int(0...3 * model.entities.count) { derive() }
    dropUnsaid()
    addIndexes(seed)
  }

  private mutating func name(_ letter: String) -> String {
    number += 1
    return "\(letter)\(number)"
  }

  // MARK: Entities

  private mutating func entity(_ name: String) -> PlainEntity {
    let kinds: [PlainAttribute.Kind] = [
      .string, .string, .integer64, .integer16, .day, .uuid, .date, .decimal(1),
    ]
    var key = [PlainAttribute(name: "k", kind: dice.pick(kinds))]
    if dice.once(in: 4) { key.append(PlainAttribute(name: "l", kind: dice.pick(kinds))) }
    for index in key.indices { key[index].isRequired = true }
    var entity = PlainEntity(name: name, key: key.map(\.name), attributes: key)
    for _ in 0..<dice.int(0...5) { entity.attributes.append(attribute()) }
    let whole = entity.attributes.first {
      [.integer16, .integer32].contains($0.kind) && $0.initial == nil && !$0.isVolatile && $0.name != "k"
    }
    if let whole, dice.once(in: 2) {
      var twice = PlainAttribute(name: self.name("e"), kind: .integer64)
      twice.twice = whole.name
      entity.attributes.append(twice)
    }
    return entity
  }

  private mutating func attribute() -> PlainAttribute {
    let kinds: [PlainAttribute.Kind] = [
      .integer16, .integer32, .integer64, .integer64, .double, .double, .float, .decimal(2), .string, .string,
      .boolean, .date, .instant, .day, .uuid, .binary, .json,
    ]
    var attribute = PlainAttribute(name: name("a"), kind: dice.pick(kinds))
    if dice.once(in: 8) { attribute.isVolatile = true }
    if dice.once(in: 8), [.integer16, .integer64, .string].contains(attribute.kind) {
      attribute.initial = dice.value(attribute.kind)
      attribute.isRequired = dice.once(in: 2)
    }
    return attribute
  }

  private func index(_ entity: String) -> Int {
    model.entities.firstIndex { $0.name == entity } ?? 0
  }

  // MARK: Relationships

  private mutating func relate() {
    let (one, other) = (dice.pick(model.entities).name, dice.pick(model.entities).name)
    let (to, back) = (name("r"), name("s"))
    let rule: PlainRelationship.Rule = dice.pick([.nullify, .nullify, .cascade, .deny])
    switch dice.int(0...7) {
    case 0: model.entities[index(one)].relationships.append(.init(name: to, kind: .toOne, destination: other))
    case 1: join(one, to, other, back)
    case 2, 3:
      model.entities[index(one)].relationships.append(
        .init(name: to, kind: .toOne, destination: other, inverse: back))
      model.entities[index(other)].relationships.append(
        .init(name: back, kind: .hasOne, destination: one, inverse: to, rule: rule))
    default:
      model.entities[index(one)].relationships.append(
        .init(name: to, kind: .toOne, destination: other, inverse: back))
      model.entities[index(other)].relationships.append(
        .init(name: back, kind: .toMany, destination: one, inverse: to, rule: rule))
    }
  }

  /// A many-to-many relationship and the entity of its links.
  private mutating func join(_ one: String, _ to: String, _ other: String, _ back: String) {
    let rules: [PlainRelationship.Rule] = [.nullify, .nullify, .nullify, .deny]
    let (rule, backRule) = (dice.pick(rules), dice.pick(rules))
    let name = (one, to) < (other, back) ? "\(one)_\(to)" : "\(other)_\(back)"
    for (owner, name, destination, inverse, rule) in [
      (one, to, other, back, rule), (other, back, one, to, backRule),
    ] {
      var end = PlainRelationship(
        name: name, kind: .manyToMany, destination: destination, inverse: inverse, rule: rule)
      end.join = "\((one, to) < (other, back) ? "\(one)_\(to)" : "\(other)_\(back)")"
      model.entities[index(owner)].relationships.append(end)
    }
    var join = PlainEntity(
      name: name, key: (one, to) < (other, back) ? [back, to] : [to, back], attributes: [])
    join.isJoin = true
    // The relationship of a name leads where the end of that name leads.
    join.relationships = [
      PlainRelationship(name: to, kind: .toOne, destination: other, inverse: back),
      PlainRelationship(name: back, kind: .toOne, destination: one, inverse: to),
    ]
    joins.append(join)
  }

  private var joins: [PlainEntity] = []

  /// The model with the entities of its links.
  var whole: PlainModel { PlainModel(entities: model.entities + joins) }

  // MARK: Pipelines

  private mutating func pipeline(_ name: String) -> PlainPipeline {
    var pipeline = PlainPipeline(entity: name)
    pipeline.repeated = dice.pick([.last, .last, .first, .reject])
    for relationship in model[name].relationships
    where relationship.kind == .toOne && relationship.destination != name && !dice.once(in: 3) {
      let destination = model[relationship.destination]
      var key: [(owner: String, own: String)] = []
      for part in destination.key {
        guard let kind = destination.attribute(part)?.kind else { continue }
        var own = PlainAttribute(name: self.name("t"), kind: kind)
        own.isTransient = true
        model.entities[index(name)].attributes.append(own)
        key.append((part, own.name))
      }
      pipeline.links.append(.init(relationship.name, key: key, isAlways: dice.once(in: 2)))
    }
    let newer = model[name].attributes.filter {
      $0.kind.isOrdered && !$0.isTransient && !$0.isVolatile && !model[name].key.contains($0.name)
        && $0.twice == nil
    }
    switch dice.int(0...9) {
    case 0: pipeline.merge = .ignore
    case 1: pipeline.merge = .fail
    case 2, 3: pipeline.merge = .updateNonNull
    case 4, 5: if let attribute = dice.any(of: newer) { pipeline.merge = .updateIfNewer(attribute.name) }
    default: break
    }
    if dice.once(in: 3) { pipeline.children.append(children(of: [name])) }
    return pipeline
  }

  /// - Parameter holders: the entities whose objects hold the list, the nearest first.
  private mutating func children(of holders: [String]) -> PlainPipeline.Children {
    let (owner, to, back) = (holders[0], name("c"), name("p"))
    var child = entity(name("Elf"))
    for index in child.attributes.indices { child.attributes[index].isVolatile = false }
    for _ in 0..<dice.int(0...2) { takeOuter(&child, holders) }
    let isShared = dice.once(in: 2)
    if isShared {
      model.entities.append(child)
      join(owner, to, child.name, back)
      // Nobody says a rule of the end that is not the record's.
      for index in model.entities.indices where model.entities[index].name == child.name {
        model.entities[index].relationships[0].rule = .nullify
      }
    } else {
      child.key = dice.once(in: 2) ? [back] + child.key : child.key + [back]
      child.relationships.append(.init(name: back, kind: .toOne, destination: owner, inverse: to))
      model.entities.append(child)
      model.entities[index(owner)].relationships.append(
        .init(
          name: to, kind: .toMany, destination: child.name, inverse: back,
          rule: dice.once(in: 4) ? .deny : .cascade))
    }
    var list = PlainPipeline.Children(to, isManyToMany: isShared, isAlways: isShared && dice.once(in: 2))
    // Three lists stand in each other at most.
    while holders.count < 3, dice.once(in: 2) { list.children.append(children(of: [child.name] + holders)) }
    return list
  }

  /// An attribute that comes from a field of what holds the child, with the same type.
  private mutating func takeOuter(_ child: inout PlainEntity, _ holders: [String]) {
    let up = dice.int(1...holders.count)
    let fields = model[holders[up - 1]].attributes.filter {
      $0.twice == nil && $0.outer == nil && $0.derivation == nil
    }
    guard let field = dice.any(of: fields) else { return }
    var attribute = PlainAttribute(name: name("o"), kind: field.kind)
    attribute.outer = (up, field.name)
    if dice.once(in: 4) {
      attribute.isRequired = true
      child.key.append(attribute.name)
    }
    child.attributes.append(attribute)
  }

  /// The entities that only their parent's pipeline knows.
  var parents: [String: String] {
    var parents: [String: String] = [:]
    for pipeline in pipelines {
      for (_, end) in model.lists(of: pipeline) where end.join == nil {
        parents[end.destination] = pipeline.entity
      }
    }
    return parents
  }

  /// Constraints and required attributes, where no link makes objects of their key alone.
  private mutating func addRules() {
    let linked = Set(
      pipelines.flatMap { pipeline in
        pipeline.links.compactMap { model[pipeline.entity].relationship($0.relationship)?.destination }
      })
    let made = Set(pipelines.flatMap { model.lists(of: $0).map(\.end.destination) })
    for index in model.entities.indices
    where !linked.contains(model.entities[index].name) && !made.contains(model.entities[index].name) {
      if dice.once(in: 5) {
        var attribute = PlainAttribute(name: name("u"), kind: dice.pick([.integer64, .string]))
        attribute.isRequired = true
        model.entities[index].attributes.append(attribute)
        model.entities[index].unique = [[attribute.name]]
      }
      for place in model.entities[index].attributes.indices
      where !model.entities[index].attributes[place].isTransient
        && model.entities[index].attributes[place].twice == nil && dice.once(in: 10)
      {
        model.entities[index].attributes[place].isRequired = true
      }
    }
  }
}

extension RandomModel {
  /// Indexes on whatever has a column, with dice of their own: without them the model is the same.
  private mutating func addIndexes(_ seed: Int) {
    var dice = Dice(seed &+ 1 << 40)
    for (place, entity) in model.entities.enumerated() {
      let relationships = entity.relationships.filter { $0.kind == .toOne }.map(\.name)
      let names = entity.stored.map(\.name) + relationships
      for _ in 0..<dice.int(0...3) {
        var index: [String] = []
        for _ in 0..<dice.int(1...3) where index.count < names.count {
          let name = dice.pick(names)
          if !index.contains(name) { index.append(name) }
        }
        let there = [entity.key] + entity.unique + relationships.map { [$0] } + model.entities[place].indexes
        if !there.contains(index) { model.entities[place].indexes.append(index) }
      }
    }
  }

  // MARK: Derived attributes

  /// Drops what no pipeline can say: it would lead from the children of one to those of another.
  mutating func dropUnsaid() {
    let said = pipelines.map { model.visible(to: $0.entity, parents: parents) }
    for index in model.entities.indices {
      let name = model.entities[index].name
      let attributes = model.entities[index].attributes.filter { attribute in
        said.contains { $0.entities.first { $0.name == name }?.attribute(attribute.name) != nil }
      }
      model.entities[index].attributes = attributes
    }
  }

  fileprivate mutating func derive() {
    let place = dice.int(0...model.entities.count - 1)
    let entity = model.entities[place]
    guard let (derivation, kind) = dice.once(in: 2) ? aggregate(entity) : copy(entity) else { return }
    var attribute = PlainAttribute(name: name("d"), kind: kind)
    attribute.derivation = derivation
    model.entities[place].attributes.append(attribute)
  }

  private mutating func aggregate(_ entity: PlainEntity) -> (PlainDerivation, PlainAttribute.Kind)? {
    guard let over = dice.any(of: entity.relationships.filter({ $0.kind != .toOne })) else { return nil }
    let members = model[over.destination]
    var filter: PlainFilter?
    let filtering = members.stored.filter { $0.derivation == nil && $0.kind.isFiltered }
    if dice.once(in: 3), let attribute = dice.any(of: filtering) {
      let comparison: PlainFilter.Comparison = dice.pick([.less, .equal, .greater, .isNull, .isNotNull])
      filter = PlainFilter(attribute.name, comparison, dice.value(attribute.kind, isPlain: true))
    }
    let function = dice.pick(PlainDerivation.Function.allCases)
    let taken = members.stored.filter { $0.kind.isTaken(by: function) }
    guard function != .count, let attribute = dice.any(of: taken) else {
      return (.aggregate(.count, over: over.name, of: nil, where: filter), .integer64)
    }
    let derivation = PlainDerivation.aggregate(function, over: over.name, of: attribute.name, where: filter)
    return (derivation, attribute.kind.result(of: function))
  }

  private mutating func copy(_ entity: PlainEntity) -> (PlainDerivation, PlainAttribute.Kind)? {
    if dice.once(in: 6) { return (.now, dice.once(in: 2) ? .date : .instant) }
    var (place, path, isOne) = (entity, [String](), false)
    for _ in 0..<dice.int(0...2) {
      let hops = place.relationships.filter { $0.kind == .toOne || path.isEmpty && $0.kind == .hasOne }
      guard !isOne, let hop = dice.any(of: hops) else { continue }
      isOne = hop.kind == .hasOne
      path.append(hop.name)
      place = model[hop.destination]
    }
    guard let attribute = dice.any(of: place.stored) else { return nil }
    path.append(attribute.name)
    if attribute.kind == .string, !isOne, dice.once(in: 2) {
      return (.folded(dice.pick(PlainDerivation.Folding.allCases), path), .string)
    }
    return (.copy(path), attribute.kind)
  }
}
