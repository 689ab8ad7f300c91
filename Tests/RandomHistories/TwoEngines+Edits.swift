import Bolide
import PlainStore
import StoreInterface

extension TwoEngines {
  /// Something that a person does to single objects; these are named by their keys.
  enum Edit {
    case delete(entity: String, [String])
    case link(entity: String, [String], relationship: String, to: String?, isAway: Bool)
    case update(entity: String, [String], [String: Value])
    case write(entity: String, [String: Value], links: [String: String?], ObjectWrite)
    /// To a state, by its place among all.
    case revert(to: Int)
    /// A run, by its place among all, the newest first.
    case revertRun(Int, force: Bool)
  }

  /// An edit by chance; nil for none.
  ///
  /// - Parameter states: how many states there are.
  func edit(_ dice: inout Dice, states: Int) throws -> Edit? {
    if dice.once(in: 4) {
      return dice.once(in: 2)
        ? .revert(to: dice.int(0...states - 1)) : .revertRun(dice.int(0...2), force: dice.once(in: 2))
    }
    guard let entity = dice.any(of: random.whole.entities.filter { !$0.isJoin }) else { return nil }
    let all = try objects(engines[0])
    func names(of entity: String) -> [String] {
      all.filter { $0.value.name.entity == entity }.map(\.key).sorted()
    }
    let some = names(of: entity.name).filter { _ in dice.once(in: 3) }
    switch dice.int(0...5) {
    case 0: return .delete(entity: entity.name, some)
    case 1, 2:
      guard let relationship = dice.any(of: entity.relationships) else { return nil }
      let others = names(of: relationship.destination)
      let target = dice.once(in: 5) ? nil : dice.any(of: others)
      return .link(
        entity: entity.name, some, relationship: relationship.name, to: target,
        isAway: target != nil && dice.once(in: 3))
    case 3: return .update(entity: entity.name, some, values(&dice, entity))
    default:
      var values = values(&dice, entity)
      for name in entity.key { values[name] = entity.attribute(name).map { dice.stored($0.kind) } }
      let ends = entity.relationships.filter { $0.kind == .toOne && dice.once(in: 2) }
      let links = ends.map { end -> (String, String?) in
        (end.name, dice.once(in: 4) ? nil : dice.any(of: names(of: end.destination)))
      }
      let kind = dice.once(in: 2) ? ObjectWrite.insert : .upsert
      return .write(
        entity: entity.name, values, links: Dictionary(uniqueKeysWithValues: links), kind)
    }
  }

  /// Values for some attributes, now and then one that an attribute does not take.
  private func values(_ dice: inout Dice, _ entity: PlainEntity) -> [String: Value] {
    var values: [String: Value] = [:]
    for attribute in entity.attributes where attribute.derivation == nil && !attribute.isTransient {
      if dice.once(in: 2) { continue }
      values[attribute.name] =
        dice.once(in: 8) ? .null : dice.once(in: 20) ? .text("x") : dice.stored(attribute.kind)
    }
    return values
  }

  /// Makes an edit in one of the engines.
  ///
  /// - Parameter states: the engine's tokens of all states.
  /// - Returns: what it reports.
  func make(_ edit: Edit, _ place: Int, _ states: [HistoryToken]) throws -> String {
    let engine = engines[place]
    let all = try objects(engine)
    let options = EditOptions(author: "somebody")
    func request(_ entity: String, _ names: [String]) -> ObjectQuery {
      let ids = names.compactMap { all[$0].map { Value.integer($0.name.id) } }
      let marks = ids.map { _ in "?" }.joined(separator: ", ")
      return ObjectQuery(
        entity, where: ids.isEmpty ? "FALSE" : .init(text: "bolide_id IN (\(marks))", values: ids))
    }
    func key(of name: String?) throws -> [String: Value]? {
      guard let name, let object = all[name]?.name else { return nil }
      var key: [String: Value] = [:]
      try engine.readRows(ObjectQuery(object.entity, where: "bolide_id = \(object.id)"), at: nil) {
        for property in $0.key { key[property.name] = property.value }
      }
      return key
    }
    do {
      switch edit {
      case .delete(let entity, let names):
        return text(try engine.deleteObjects(request(entity, names), options))
      case .link(let entity, let names, let relationship, let target, let isAway):
        let key = try key(of: target)
        let edit = key.map { isAway ? LinkEdit.from($0) : .to($0) } ?? .toNone
        return text(try engine.linkObjects(request(entity, names), relationship, edit, options))
      case .update(let entity, let names, let values):
        return text(try engine.updateObjects(request(entity, names), ObjectValues(values), options))
      case .write(let entity, let values, let links, let kind):
        let keys = try links.mapValues { try key(of: $0).map { ObjectValues($0) } }
        return text(
          try engine.writeObject(entity, ObjectValues(values), links: keys, kind, options).report)
      case .revert(let state):
        return try text(try engine.revert(.token(states[state]), force: true, options), engine)
      case .revertRun(let place, let force):
        let runs = try engine.runs(of: nil, limit: place + 1)
        guard place < runs.count else { return "no run" }
        let report = try engine.revert(.run(runs[place].run.number), force: force, options)
        let isNoted = try engine.runs(of: nil, limit: place + 1)[place].reverted != nil
        return try text(report, engine) + (isNoted ? ", reverted" : "")
      }
    } catch let error as StoreError {
      return "\(error.code) \(error.reason)"
    }
  }

  /// A row that is gone has the key of its deletion in a file, and in a server's history the one before that transaction:
  /// its key is left out.
  private func text(_ report: RevertReport, _ engine: any StoreEngine) throws -> String {
    let present = Set(try objects(engine).values.map(\.name))
    let left = report.left.map { row in
      let isThere = present.contains(ObjectName(entity: row.entity, id: row.id))
      let key = row.key.filter { isThere && $0.type != nil }.map { "\($0.name)=\($0.value)" }
      return "; \(row.entity) \(key.joined(separator: " ")) stays: \(row.reason)"
    }
    return text(report.edit) + left.sorted().joined()
  }

  /// Counts; of what a copied time has changed alone, none.
  func text(_ report: EditReport) -> String {
    report.counts.compactMap { count -> String? in
      let entity = random.whole[count.entity]
      let isUnsure = entity.attributes.contains {
        if case .now? = $0.derivation { return false }
        return random.whole.followsClock($0.name, of: count.entity)
      }
      if isUnsure, count.inserted + count.deleted == 0 { return nil }
      let updated = isUnsure ? "some" : "\(count.updated)"
      return "\(count.entity) +\(count.inserted) ~\(updated) -\(count.deleted)"
    }.joined(separator: ", ") + (report.token == nil ? "" : ", a token")
  }
}

extension Dice {
  /// A value of a type, in its stored form.
  fileprivate mutating func stored(_ kind: PlainAttribute.Kind) -> Value {
    switch value(kind) {
    case .null, .beyond: .null
    case .whole(let number): .integer(number)
    case .real(let number): .real(number)
    case .text(let text): .text(text)
    case .bytes(let bytes): .blob(bytes)
    }
  }
}
