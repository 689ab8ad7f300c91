import Bolide
import Foundation
import GRDB
import PlainStore

/// One random model with a history of random writes: the store and the plain model do each of them, and are compared.
struct RandomHistory {
  let seed: Int
  let random: RandomModel
  let texts: [String]
  /// What the steps were, for people.
  private(set) var told: [String] = []
  private(set) var steps = 0

  var plain: PlainStore
  /// The objects' ids in the store.
  var ids: [String: [Int: Int64]] = [:]
  let model: PlainModel

  init(_ seed: Int) {
    self.seed = seed
    random = RandomModel(seed)
    model = random.whole
    texts = random.pipelines.indices.map { [random] in PipelineText.text(of: $0, random) }
    plain = PlainStore(model)
  }

  /// Runs the history.
  ///
  /// - Parameter skipped: steps that are left out.
  /// - Throws: `Difference`.
  mutating func run(skipping skipped: Set<Int> = []) async throws {
    let folder = try HistoryFolder()
    defer { folder.remove() }
    var pipelines: [Pipeline] = []
    for (number, text) in texts.enumerated() { pipelines.append(try folder.pipeline(number, text)) }
    let path = "\(folder.path)/store.sqlite"
    // Each pipeline brings what the others do not speak of.
    for pipeline in pipelines.dropLast() { _ = try await Store(path: path, for: pipeline) }
    guard let last = pipelines.last else { return }
    let store = try await Store(path: path, for: last)
    let other = try DatabaseQueue(path: path, configuration: Self.foreign)
    var past = PastStates(model)
    let (state, token) = try await store.state()
    past.note(state, token)
    for step in 0..<Dice.steps(seed) where !skipped.contains(step) {
      steps += 1
      var dice = Dice(seed, step + 1)
      let began = Self.now()
      try await take(step, &dice, store, pipelines, other)
      let (state, token) = try await store.state()
      try compare(state, since: began)
      past.note(state, token)
      try await past.compare(store, &dice)
    }
    var findings: [String] = []
    try store.verify { if !$0.isTrue { findings.append($0.description) } }
    if let finding = findings.first { throw Difference("verify: \(finding)") }
  }

  private static var foreign: Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    configuration.foreignKeysEnabled = false
    return configuration
  }

  private static func now() -> String {
    let parts = Calendar(identifier: .gregorian).dateComponents(in: .gmt, from: Date())
    func two(_ number: Int?) -> String { number.map { $0 < 10 ? "0\($0)" : "\($0)" } ?? "" }
    return
      "\(parts.year ?? 0)-\(two(parts.month))-\(two(parts.day))T\(two(parts.hour)):\(two(parts.minute)):\(two(parts.second))"
  }

  mutating func tell(_ text: String) { told.append(text) }

  private mutating func take(
    _ step: Int, _ dice: inout Dice, _ store: Store, _ pipelines: [Pipeline], _ other: DatabaseQueue
  ) async throws {
    switch dice.int(0...9) {
    case 0...5: try await takeFeed(&dice, store, pipelines)
    case 6...8: try takeForeign(&dice, other)
    default: try await delete(&dice, store)
    }
  }

  // MARK: Imports

  private mutating func takeFeed(
    _ dice: inout Dice, _ store: Store, _ pipelines: [Pipeline]
  ) async throws {
    let number = dice.int(0...pipelines.count - 1)
    let pipeline = random.pipelines[number]
    let feed = RandomFeed(&dice, pipeline, model)
    tell("import feed\(number), chunk-rows \(feed.chunkRows):\n\(feed.json)")
    let expected: [String: PlainCounts]?
    do { expected = try plain.run(pipeline, feed.records) } catch { expected = nil }
    var options = ImportOptions()
    options.chunkRows = feed.chunkRows
    do {
      let report = try await store.run(pipelines[number], on: .bytes(feed.json.utf8), options: options)
      guard let expected else { throw Difference("the import did not stop") }
      var counts = [pipeline.entity: PlainCounts(report.progress.counts)]
      for children in report.progress.children { counts[children.entity] = PlainCounts(children.counts) }
      try compare(counts, expected, isExact: feed.isExact)
    } catch let error as ImportError {
      if expected != nil { throw Difference("the import stopped: \(error.message)") }
    }
  }

  private func compare(
    _ counts: [String: PlainCounts], _ expected: [String: PlainCounts], isExact: Bool
  ) throws {
    for (name, expected) in expected {
      let counts = counts[name] ?? PlainCounts()
      if isExact ? counts == expected : counts.isLike(expected) { continue }
      throw Difference("counts of \(name): \(counts), expected \(expected)")
    }
  }

  // MARK: Deletions

  private mutating func delete(_ dice: inout Dice, _ store: Store) async throws {
    guard let entity = dice.any(of: model.entities.filter { !$0.isJoin }),
      let id = dice.any(of: plain.ids(entity.name)), let object = ids[entity.name]?[id]
    else { return tell("nothing to delete") }
    tell("delete \(entity.name) \(object)")
    var copy = plain
    let refusal = Result { () throws(PlainRefusal) in try copy.delete(entity.name, id) }
    if case .failure(let refusal) = refusal, refusal.reason == "unsure" { return }
    do {
      _ = try await store.delete(entity.name, where: "bolide_id = ?", [.integer(object)])
      if case .failure(let refusal) = refusal { throw Difference("deleted, but \(refusal.reason)") }
      plain = copy
    } catch let error as StoreError {
      if case .success = refusal { throw Difference("the deletion was refused: \(error.message)") }
    }
  }

  // MARK: What the store holds

  /// Compares all objects, and gives new ones the store's ids.
  private mutating func compare(_ state: StoreState, since began: String) throws {
    plain.derive()
    try matchIDs(state)
    try takeTimes(state, since: began)
    plain.derive()
    let expected = stateOfPlain()
    for name in Set(state.keys).union(expected.keys).sorted() {
      guard let own = expected[name] else { throw Difference("\(name) should not be there") }
      guard let held = state[name] else { throw Difference("\(name) should be there") }
      for attribute in Set(own.keys).union(held.keys).sorted() where own[attribute] != held[attribute] {
        throw Difference(
          "\(name) \(attribute): the store has \(held[attribute].map(String.init(describing:)) ?? "nothing"), "
            + "expected \(own[attribute].map(String.init(describing:)) ?? "nothing")")
      }
    }
  }

  /// The plain model's objects under the store's ids.
  private func stateOfPlain() -> StoreState {
    var state: StoreState = [:]
    for entity in model.entities {
      for (id, object) in plain.objects[entity.name] ?? [:] {
        var values: [String: PlainValue] = [:]
        for attribute in entity.stored { values[attribute.name] = object[attribute.name].stored }
        for relationship in entity.relationships where relationship.kind == .toOne {
          let target = object.links[relationship.name].flatMap { ids[relationship.destination]?[$0] }
          values[relationship.name] = target.map { .whole($0) } ?? .null
        }
        state[ObjectName(entity: entity.name, id: ids[entity.name]?[id] ?? -1)] = values
      }
    }
    return state
  }

  /// Finds the store's ids of objects that are new, by their keys; those they lead to come first.
  private mutating func matchIDs(_ state: StoreState) throws {
    let entities = model.entities.sorted { $0.hasKeyOfAttributes && !$1.hasKeyOfAttributes }
    for entity in entities {
      var known = Set((ids[entity.name] ?? [:]).values)
      let rows = state.filter { $0.key.entity == entity.name && !known.contains($0.key.id) }
      for id in plain.ids(entity.name) where ids[entity.name]?[id] == nil {
        guard let object = plain.object(entity.name, id) else { continue }
        let key = entity.key.map { name -> PlainValue in
          guard let relationship = entity.relationship(name) else { return object[name] }
          let target = object.links[name].flatMap { ids[relationship.destination]?[$0] }
          return target.map { .whole($0) } ?? .null
        }
        guard let row = rows.first(where: { row in entity.key.map { row.value[$0] ?? .null } == key }) else {
          throw Difference("\(entity.name) \(key) should be there")
        }
        ids[entity.name, default: [:]][id] = row.key.id
        known.insert(row.key.id)
      }
    }
  }

  /// Takes the store's times of objects that have changed; all others must be as they were.
  private mutating func takeTimes(_ state: StoreState, since began: String) throws {
    for entity in model.entities {
      for attribute in entity.attributes {
        guard case .now = attribute.derivation else { continue }
        for id in plain.ids(entity.name) {
          let name = ObjectName(entity: entity.name, id: ids[entity.name]?[id] ?? -1)
          let held = state[name]?[attribute.name] ?? .null
          let object = plain.object(entity.name, id)
          if let object, object.changed > object.timed, !held.isLess(than: .text(began)), !held.isNull {
            plain.objects[entity.name]?[id]?.values[attribute.name] = held
          } else if object?[attribute.name] != held {
            throw Difference("\(name) \(attribute.name): \(held) is no time of its last change")
          }
        }
      }
      for id in plain.ids(entity.name) {
        let changed = plain.object(entity.name, id)?.changed ?? 0
        plain.objects[entity.name]?[id]?.timed = changed
      }
    }
  }
}

extension PlainEntity {
  /// Whether its key needs no other object.
  fileprivate var hasKeyOfAttributes: Bool { key.allSatisfy { attribute($0) != nil } }
}

extension Dice {
  static func steps(_ seed: Int) -> Int {
    var dice = Dice(seed, -1)
    return dice.int(3...12)
  }
}

extension PlainCounts {
  init(_ counts: ChunkCounts) {
    self.init()
    (read, inserted, updated, unchanged) = (counts.read, counts.inserted, counts.updated, counts.unchanged)
    (ignored, duplicates, superseded) = (counts.ignored, counts.duplicates, counts.superseded)
    (rejected, rolledBack) = (counts.rejected, counts.rolledBack)
  }

  /// Whether records were folded, and all else is the same.
  func isLike(_ other: PlainCounts) -> Bool {
    inserted == other.inserted && rejected == other.rejected && read == other.read
      && read == inserted + updated + unchanged + ignored + duplicates + superseded + rejected + rolledBack
  }
}
