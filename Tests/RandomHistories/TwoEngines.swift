package import Bolide
import Foundation
import PlainStore
package import StoreInterface

/// Random imports and edits in SQLite and in another engine, which must count, hold and tell the same.
package struct TwoEngines {
  private let seed: Int
  let random: RandomModel
  private let pipelines: [Pipeline]
  let engines: [any StoreEngine]
  /// SQLite's file.
  let file: String
  /// Runs SQL in the other engine, as another program.
  let program: (String) throws -> Void

  /// - Parameters:
  ///   - make: makes an empty store for a pipeline.
  ///   - program: runs SQL in that store, as another program.
  package init(
    _ seed: Int, _ make: (Pipeline) throws -> any StoreEngine, program: @escaping (String) throws -> Void
  ) throws {
    self.seed = seed
    random = RandomModel(seed)
    pipelines = Self.declare(
      try random.texts.enumerated().map { number, text in
        try Pipeline(yaml: text, file: "feed\(number).yaml", directory: ".")
      }, seed)
    self.program = program
    file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sqlite").path
    // The other may refuse the model: then there is no file yet.
    let other = try make(pipelines[0])
    engines = [try StoreAddress(file).open(for: pipelines[0], lockWait: 10), other]
    do {
      for engine in engines { for pipeline in pipelines.dropFirst() { try engine.fit(pipeline) } }
    } catch {
      removeFile()
      throw error
    }
  }

  /// Imports some feeds into both, with edits in between, and compares behind each.
  ///
  /// - Throws: `Difference`, with the pipelines and the feeds.
  package func run() throws {
    defer { removeFile() }
    var told = random.texts
    var states: [[HistoryToken]] = engines.map { _ in [] }
    var known: Known = [:]
    var erasesAlike = true
    do {
      for step in 0..<Dice.steps(seed) {
        var dice = Dice(seed, step + 1)
        let number = dice.int(0...pipelines.count - 1)
        let feed = RandomFeed(&dice, random.pipelines[number], random.whole)
        var options = ImportOptions()
        (options.chunkRows, options.isAtomic) = (feed.chunkRows, dice.once(in: 4))
        let pipeline = pipelines[number]
        let kind = pipeline.feed == .full ? "the full feed\(number), gone: \(pipeline.gone)" : "feed\(number)"
        told.append("import \(kind), chunk-rows \(feed.chunkRows):\n\(feed.json)")
        var feeds = Dice(seed, -step - 4000)
        if feeds.once(in: 4) {
          told.append("dry run before")
          try compare(
            engines.indices.map { place in
              try outcome(engines[place]) { try tried(place, pipeline, feed.json, options) }
            }, &known)
        }
        let imported = try engines.enumerated().map { place, engine in
          if place > 0 { options.connections = connections(pipeline, options, &dice) }
          return try outcome(engine) {
            try reported(pipeline) {
              try engine.run(pipeline, on: [.bytes(feed.json.utf8, name: "feed")], options: options)
            } + left(place, pipeline)
          }
        }
        if readsBeyond(imported[0]) { return }
        try compare(imported, &known)
        if feeds.once(in: 3) {
          told.append("replay")
          let replayed = try engines.indices.map { place in
            try outcome(engines[place]) { try self.replayed(place, pipeline) + left(place, pipeline) }
          }
          if readsBeyond(replayed[0]) { return }
          try compare(replayed, &known)
        }
        if pipeline.feed == .full, feeds.once(in: 3) {
          told.append("missing --delete")
          let deleted = try engines.indices.map { place in
            try outcome(engines[place]) { try deletedMissing(place, pipeline) + left(place, pipeline) }
          }
          if deniesAlone(deleted) || readsBeyond(deleted[0]) { return }
          try compare(deleted, &known)
        }
        var other = Dice(seed, -step - 1)
        for place in engines.indices { states[place].append(try engines[place].newestToken()) }
        if let edit = try edit(&other, states: states[0].count) {
          told.append("\(edit)")
          let outcomes = try engines.indices.map { place in
            try outcome(engines[place]) { try make(edit, place, states[place]) }
          }
          if deniesAlone(outcomes) || readsBeyond(outcomes[0]) { return }
          try compare(outcomes, &known)
        }
        var foreign = Dice(seed, -step - 2000)
        if foreign.once(in: 2) { continue }
        let statements = try self.foreign(&foreign)
        erasesAlike = erasesAlike && !Self.mayDeleteLinked(statements)
        let isolation = foreign.any(of: ["READ COMMITTED", "READ COMMITTED", "REPEATABLE READ"]) ?? ""
        told.append("\(isolation): \(statements)")
        let written = try engines.indices.map { place in
          try outcome(engines[place]) { try run(statements, place, isolation: isolation) }
        }
        if readsBeyond(written[0]) || refusesAlone(written, statements) { return }
        try compare(written, &known)
      }
      var last = Dice(seed, -1000)
      if erasesAlike { try compareErased(known, states, &last) }
    } catch {
      throw Difference((told + ["\(error)"]).joined(separator: "\n"))
    }
  }

  private func removeFile() {
    for engine in engines { try? engine.close() }
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + suffix) }
  }

  /// What an import or an edit does to an engine, without what each gives out in its own way.
  struct Outcome {
    var report = ""
    var changes: [String] = []
    var rows: [String: [String: String]] = [:]
    var names: [String: ObjectName] = [:]
  }

  /// Over how many connections an import goes: more than one where the pipeline allows it.
  private func connections(_ pipeline: Pipeline, _ options: ImportOptions, _ dice: inout Dice) -> Int {
    var several = pipeline
    several.settings.isAtomic = options.isAtomic ?? pipeline.settings.isAtomic
    several.settings.connections = 3
    return several.problems().isEmpty ? dice.int(1...3) : 1
  }

  func outcome(_ engine: any StoreEngine, _ body: () throws -> String) throws -> Outcome {
    let before = try engine.newestToken()
    var outcome = Outcome()
    outcome.report = try body()
    var request = HistoryRequest(after: before)
    request.isNet = true
    outcome.changes = try engine.history(request).flatMap(\.changes)
      .compactMap { NetChange($0, random.whole)?.description }.sorted()
    let objects = try objects(engine)
    outcome.rows = objects.mapValues(\.row)
    outcome.names = objects.mapValues(\.name)
    try engine.verify { if !$0.isTrue { throw Difference("\(type(of: engine)): \($0)") } }
    return outcome
  }

  /// All objects by their keys, relationships too.
  func objects(_ engine: any StoreEngine) throws -> [String: (name: ObjectName, row: [String: String])] {
    var objects: [ObjectName: [String: Value]] = [:]
    for entity in random.whole.entities {
      try engine.readRows(ObjectQuery(entity.name), at: nil) { row in
        objects[ObjectName(entity: row.entity, id: row.id)] = Dictionary(
          row.values.map { ($0.name, $0.value) }
        ) { first, _ in first }
      }
    }
    func text(_ object: ObjectName) -> String {
      let entity = random.whole[object.entity]
      let parts = entity.key.map { name -> String in
        let value = objects[object]?[name] ?? .null
        guard let end = entity.relationship(name), case .integer(let id) = value else { return "\(value)" }
        return text(ObjectName(entity: end.destination, id: id))
      }
      return "\(object.entity)(\(parts.joined(separator: ", ")))"
    }
    var found: [String: (name: ObjectName, row: [String: String])] = [:]
    for (name, values) in objects {
      let entity = random.whole[name.entity]
      var row: [String: String] = [:]
      for (property, value) in values where !random.whole.followsClock(property, of: name.entity) {
        if let end = entity.relationship(property), case .integer(let id) = value {
          row[property] = text(ObjectName(entity: end.destination, id: id))
        } else {
          row[property] = "\(value)"
        }
      }
      found[text(name)] = (name, row)
    }
    return found
  }

  /// Compares what both have done, and notes the objects that are there.
  private func compare(_ outcomes: [Outcome], _ known: inout Known) throws {
    try compare(outcomes)
    for (key, name) in outcomes[0].names {
      known[key] = [name] + outcomes.dropFirst().compactMap { $0.names[key] }
    }
  }

  /// Whether a file denies a deletion that a server lets go, as what stands in the way goes, too: from there on the two differ.
  func deniesAlone(_ outcomes: [Outcome]) -> Bool {
    [#/^guarded/#, #/stays: linked/#].contains { denial in
      outcomes[0].report.contains(denial) && !outcomes[1].report.contains(denial)
    }
  }

  /// Whether a server refuses a deletion that a file takes: where a link of a row that the transaction has made or linked is taken away, it
  /// looks at the row's other links, and what these lead to may have gone before the row itself goes.
  private func refusesAlone(_ outcomes: [Outcome], _ statements: [ForeignStatement]) -> Bool {
    let takesAway = random.whole.entities.contains { entity in
      let rules = entity.relationships.filter { $0.kind == .toOne }.map { toOne in
        toOne.inverse.flatMap(random.whole[toOne.destination].relationship)?.rule ?? .nullify
      }
      return rules.contains(.cascade) && rules.contains(.nullify)
    }
    return outcomes[0].report.isEmpty && outcomes[1].report == "refused" && takesAway
      && Self.mayDeleteLinked(statements)
  }

  /// Whether a sum is beyond its range and another attribute is an aggregate of it: that is null in a file, and a server leaves the
  /// sum out. From there on the two differ.
  private func readsBeyond(_ own: Outcome) -> Bool {
    let sums = random.whole.entities.flatMap { entity in
      entity.attributes.compactMap { attribute -> (entity: String, sum: String)? in
        guard case .aggregate(_, let over, let read?, _)? = attribute.derivation,
          let end = entity.relationship(over),
          case .aggregate(.sum, _, _, _)? = random.whole[end.destination].attribute(read)?.derivation
        else { return nil }
        return (end.destination, read)
      }
    }
    return sums.contains { entity, sum in
      own.rows.contains { own.names[$0.key]?.entity == entity && $0.value[sum] == "null" }
    }
  }

  func compare(_ outcomes: [Outcome]) throws {
    let (own, other) = (outcomes[0], outcomes[1])
    if own.report != other.report {
      throw Difference("the report is \(other.report), expected \(own.report)")
    }
    if own.changes != other.changes {
      throw Difference("history tells \(other.changes), expected \(own.changes)")
    }
    for key in Set(own.rows.keys).union(other.rows.keys).sorted() {
      let (held, expected) = (other.rows[key] ?? [:], own.rows[key] ?? [:])
      for name in Set(held.keys).union(expected.keys).sorted() where held[name] != expected[name] {
        throw Difference(
          "\(key) \(name): \(held[name] ?? "nothing"), expected \(expected[name] ?? "nothing")")
      }
    }
  }
}
