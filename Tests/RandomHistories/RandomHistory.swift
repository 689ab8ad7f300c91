import Bolide
import Foundation
import GRDB
import PlainEngine
import PlainStore
import SQLiteStore

/// One random model with a history of random writes: the store and the plain model do each of them, and are compared.
struct RandomHistory {
  let seed: Int
  var random: RandomModel
  /// The model that it grows into; nil once it has, or where it stays.
  var grown: RandomModel?
  /// The pipelines that it begins with.
  let texts: [String]
  /// What the steps were, for people.
  private(set) var told: [String] = []
  private(set) var steps = 0

  var plain: PlainStore
  /// The objects' ids in the store.
  var ids: [String: [Int: Int64]] = [:]
  var model: PlainModel { plain.model }

  /// The engine of the plain model, where imports reach it through the seam; nil where it takes the records themselves.
  let engine: PlainEngine?

  init(_ seed: Int, throughSeam: Bool = false) {
    self.seed = seed
    engine = throughSeam ? PlainEngine() : nil
    var random = RandomModel(seed)
    let younger = random.younger()
    grown = younger == nil ? nil : random
    self.random = younger ?? random
    texts = self.random.texts
    plain = PlainStore(self.random.whole)
  }

  /// Runs the history.
  ///
  /// - Parameter skipped: steps that are left out.
  /// - Throws: `Difference`.
  mutating func run(skipping skipped: Set<Int> = []) async throws {
    let folder = try MemoryFolder()
    // It goes with its last use.
    defer { withExtendedLifetime(folder) {} }
    let path = folder.store
    var (store, pipelines) = try await open(path)
    let other = try DatabaseQueue(path: path, configuration: Self.foreign)
    var past = PastStates(model)
    try await observe(store, since: Self.now(), &past)
    let growth = Dice.growth(seed)
    for step in 0..<Dice.steps(seed) {
      if step == growth, grown != nil {
        grow()
        (store, pipelines) = try await open(path)
        // What was told before is told of a model that is no more.
        past = PastStates(model)
        try await observe(store, since: Self.now(), &past)
      }
      if skipped.contains(step) { continue }
      steps += 1
      var dice = Dice(seed, step + 1)
      let began = Self.now()
      try await take(step, &dice, store, pipelines, other)
      try await observe(store, since: began, &past)
      try await past.compare(store, &dice)
      if dice.once(in: 3) { try await past.compareReverted(store, &dice) }
      if dice.once(in: 4) { try await past.compareErased(store, &dice) }
      if dice.once(in: 12) { tell(try await past.prune(store, &dice)) }
    }
    var findings: [String] = []
    try store.engine.verify { if !$0.isTrue { findings.append($0.description) } }
    if let finding = findings.first { throw Difference("verify: \(finding)") }
  }

  /// Compares the store with the plain model, and keeps its state.
  private mutating func observe(_ store: Store, since began: String, _ past: inout PastStates) async throws {
    let (state, token) = try await store.state()
    try compare(state, since: began)
    past.note(state, token)
  }

  /// The store, fit for each pipeline: each brings what the others do not speak of.
  private func open(_ path: String) async throws -> (Store, [Pipeline]) {
    let pipelines = try random.texts.enumerated().map { number, text in
      try Pipeline(yaml: text, file: "feed\(number).yaml", directory: ".")
    }
    var store = try await Store(path: path, for: pipelines[0])
    for pipeline in pipelines.dropFirst() { store = try await Store(path: path, for: pipeline) }
    for pipeline in pipelines { try engine?.fit(pipeline) }
    return (store, pipelines)
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
    case 6...7: try takeForeign(&dice, other)
    case 8: try await link(&dice, store)
    default: try await delete(&dice, store)
    }
  }

  // MARK: Imports

  private mutating func takeFeed(
    _ dice: inout Dice, _ store: Store, _ pipelines: [Pipeline]
  ) async throws {
    let number = dice.int(0...pipelines.count - 1)
    let pipeline = random.pipelines[number]
    var declared = pipelines[number]
    // So that first loads as small as these build their indexes at their end.
    if dice.once(in: 2) { declared.settings.deferredIndexRows = 1 }
    let feed = RandomFeed(&dice, pipeline, model)
    let sorts = feed.maySort && dice.once(in: 3)
    tell("import feed\(number), \(sorts ? "sorted, " : "")chunk-rows \(feed.chunkRows):\n\(feed.json)")
    var options = ImportOptions()
    options.chunkRows = feed.chunkRows
    options.sortPolicy = sorts ? .key : SortPolicy.none
    options.isAtomic = dice.once(in: 4)
    if let engine {
      return try takeThroughSeam(engine, store, declared, Array(feed.json.utf8), options)
    }
    let expected: [String: PlainCounts]?
    do { expected = try plain.run(pipeline, feed.records) } catch { expected = nil }
    do {
      let report = try await store.run(declared, on: .bytes(feed.json.utf8), options: options)
      guard let expected else { throw Difference("the import did not stop") }
      // Those of one key are sorted beside each other.
      let isExact = sorts ? feed.isDistinct : feed.isExact
      try compare(report.progress.plain(pipeline.entity), expected, isExact: isExact)
    } catch let error as ImportError {
      if expected != nil { throw Difference("the import stopped: \(error.message)") }
    }
  }

  func compare(
    _ counts: [String: PlainCounts], _ expected: [String: PlainCounts], isExact: Bool
  ) throws {
    for (name, expected) in expected {
      let counts = counts[name] ?? PlainCounts()
      if isExact ? counts == expected : counts.isLike(expected) { continue }
      throw Difference("counts of \(name): \(counts), expected \(expected)")
    }
  }
}

extension Dice {
  static func steps(_ seed: Int) -> Int {
    var dice = Dice(seed, -1)
    return dice.int(3...12)
  }

  /// Before which step the model grows.
  static func growth(_ seed: Int) -> Int {
    var dice = Dice(seed, -2)
    return dice.int(0...12)
  }
}

extension RunProgress {
  /// The counts by entity.
  func plain(_ entity: String) -> [String: PlainCounts] {
    var counts = [entity: PlainCounts(self.counts)]
    for children in children { counts[children.entity] = PlainCounts(children.counts) }
    return counts
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
