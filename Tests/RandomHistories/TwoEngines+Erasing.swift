import Bolide
import PlainStore
import StoreInterface

/// What an erasure at the end makes of both.
extension TwoEngines {
  /// An object that is there, or was, by what it is called, and by its id in each engine.
  typealias Known = [String: [ObjectName]]

  /// Erases an object, and compares what is told of it and of some states.
  ///
  /// - Parameters:
  ///   - known: all objects that there ever were, of which the key's last one is taken.
  ///   - states: each engine's tokens of all states.
  func compareErased(_ known: Known, _ states: [[HistoryToken]], _ dice: inout Dice) throws {
    let names = known.keys.filter { name in known[name].map { !random.whole[$0[0].entity].isJoin } ?? false }
    guard let name = dice.any(of: names.sorted()), let objects = known[name] else { return }
    let some = states[0].indices.filter { $0 == 0 || dice.once(in: 5) }
    let passing = try Self.passing(engines[0])
    let told = try engines.indices.map { place in
      let engine = engines[place]
      let outcome = try outcome(engine) { try erase(objects[place], engine) }
      return (outcome, try past(engine, some.map { states[place][$0] }))
    }
    if deniesAlone(told.map(\.0)) { return }
    do {
      try compare(told.map(\.0))
      if try !passing.isDisjoint(with: Self.gone(engines[0])) { return }
      for (line, expected) in zip(told[1].1, told[0].1) where line != expected {
        throw Difference("\(line), expected \(expected)")
      }
    } catch {
      throw Difference("erase \(name): \(error)")
    }
  }

  /// The objects that have had values which no transaction left: a file's history has these, and an erasure takes what may be
  /// copies of them. A server's history has of a transaction what was before it.
  private static func passing(_ file: any StoreEngine) throws -> Set<ObjectName> {
    var passing: Set<ObjectName> = []
    for transaction in try file.history(HistoryRequest()) {
      var (new, changed): (Set<ObjectName>, [ObjectName: Set<String>]) = ([], [:])
      for change in transaction.changes {
        let name = ObjectName(entity: change.entity, id: change.id)
        let properties = change.previous.map(\.name)
        let isAgain = new.contains(name) || !changed[name, default: []].isDisjoint(with: properties)
        if change.kind == .insert { new.insert(name) } else if isAgain { passing.insert(name) }
        changed[name, default: []].formUnion(properties)
      }
    }
    return passing
  }

  private static func gone(_ engine: any StoreEngine) throws -> Set<ObjectName> {
    let erased = try engine.history(HistoryRequest()).flatMap(\.changes).filter { $0.erased == .object }
    return Set(erased.map { ObjectName(entity: $0.entity, id: $0.id) })
  }

  private func erase(_ name: ObjectName, _ engine: any StoreEngine) throws -> String {
    do {
      let report = try engine.erase(name.entity, .id(name.id), EditOptions(author: "office"), lockWait: 10)
      let objects = report.objects.map { "\($0.entity) \($0.objects)" }.joined(separator: ", ")
      // Not the rejected records: a file forgets more of them meanwhile.
      return "\(text(report.edit)); \(objects)"
    } catch let error as StoreError {
      return "\(error.code)"
    }
  }

  /// What is told of past states: changes since then, rows, and what a revert would leave.
  private func past(_ engine: any StoreEngine, _ states: [HistoryToken]) throws -> [String] {
    var lines: [String] = []
    for (number, state) in states.enumerated() {
      var request = HistoryRequest(after: state)
      request.isNet = true
      let changes = try engine.history(request).flatMap(\.changes)
      lines.append(
        "\(number) net: "
          + changes.compactMap { change in
            NetChange(change, random.whole).map { "\($0) \(change.erased.map { "\($0)" } ?? "")" }
          }.sorted().joined(separator: "; "))
      for entity in random.whole.entities where !entity.isJoin {
        lines.append("\(number) \(entity.name): \(try rows(engine, entity, state))")
      }
      let report = try engine.revert(.token(state), force: true, EditOptions(isTrial: true))
      let left = report.left.filter { $0.reason == .erased }.map(\.entity).sorted()
      lines.append("\(number) left: \(left)")
    }
    return lines
  }

  private func rows(_ engine: any StoreEngine, _ entity: PlainEntity, _ state: HistoryToken) throws -> String
  {
    var rows: [String] = []
    do {
      try engine.readRows(ObjectQuery(entity.name), at: state) { row in
        let values = row.values.filter {
          entity.relationship($0.name) == nil && !random.whole.followsClock($0.name, of: entity.name)
        }
        rows.append(values.map { "\($0.name)=\($0.value)" }.sorted().joined(separator: " "))
      }
    } catch let error as StoreError {
      // Which of several objects is named, the erased one or one with copies of its values, depends on their ids.
      return "\(error.code) \(error.reason.contains("was erased at"))"
    }
    return rows.sorted().joined(separator: "; ")
  }
}
