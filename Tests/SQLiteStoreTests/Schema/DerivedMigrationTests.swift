import ImportModel
@testable import SQLiteAccess
import SQLiteMaintenance
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Derived attributes that come to rows that are there.
struct DerivedMigrationTests {
  /// Some of the world's derived attributes, and those that they read.
  private static func pipeline(with names: Set<String>) -> Pipeline {
    var pipeline = World.quakes()
    for index in pipeline.model.entities.indices {
      let entity = pipeline.model.entities[index].name
      pipeline.model.entities[index].attributes.removeAll {
        $0.derivation != nil && !names.contains("\(entity).\($0.name)")
      }
    }
    return pipeline
  }

  private static let all = World.model.entities.flatMap { entity in
    // The clock's differ from store to store.
    entity.derivedAttributes.filter { $0.derivation != .now }.map { "\(entity.name).\($0.name)" }
  }

  /// A world of random rows with some derived attributes.
  private func world(_ temporary: TemporaryStore, _ names: Set<String>, seed: Int) throws -> SQLiteEngine {
    var dice = Dice(seed)
    let before = Self.pipeline(with: names)
    let store = try temporary.open(before)
    func text() -> Value { dice.once(in: 6) ? .null : .text(dice.pick(["Alpha", "Ålesund", "Çeşme", "x"])) }
    func number(_ range: ClosedRange<Int>) -> Value {
      dice.once(in: 5) ? .null : .real(Double(dice.int(range)) / 100)
    }
    var script = ""
    for code in 0..<3 { script += "INSERT INTO Country(code, name) VALUES ('c\(code)', '\(code)');\n" }
    func id(_ count: Int) -> String { dice.once(in: 6) ? "NULL" : "\(dice.int(1...count))" }
    for name in 0..<6 {
      script += "INSERT INTO Region(name, title, country_id) VALUES ('r\(name)', \(sql(text())), \(id(3)));\n"
    }
    for key in 0..<40 {
      script += """
        INSERT INTO Quake(id, code, place, magnitude, depth, cost, day, region_id) VALUES ('q\(key)', \(key), \(sql(text())),
        \(sql(number(-1000...1000))), \(dice.int(-9...9)), \(dice.int(0...300)), '2026-01-1\(dice.int(0...9))', \(id(6)));

        """
    }
    script += "DELETE FROM Quake WHERE code % 7 = 3; DELETE FROM Region WHERE name = 'r\(dice.int(0...5))';"
    try temporary.shell(script)
    try store.assignPending()
    return store
  }

  private func sql(_ value: Value) -> String {
    switch value {
    case .text(let text): "'\(text)'"
    case .real(let number): "\(number)"
    default: "NULL"
    }
  }

  /// The present derived attributes that are there, and what they read.
  private func someNames(_ dice: inout Dice) -> Set<String> {
    var names = Set(Self.all.filter { _ in dice.once(in: 3) })
    while true {
      let model = Self.pipeline(with: names).model
      let before = names
      for entity in World.model.entities {
        for attribute in model.entity(named: entity.name)?.derivedAttributes ?? [] {
          let reads = World.model.dependency(of: DerivedName(entity: entity.name, attribute: attribute.name))
          if let reads { names.insert("\(reads.entity).\(reads.attribute)") }
        }
      }
      if names == before { return names }
    }
  }

  @Test(arguments: 0..<RandomHistory.count / 10)
  func `new derived attributes are what Python computes, and history has each object once`(seed: Int) throws {
    var dice = Dice(seed)
    let names = someNames(&dice)
    let temporary = try TemporaryStore()
    let store = try world(temporary, names, seed: seed)
    let last = try store.newestToken()
    let before = try store.reading { try $0.integer("SELECT max(change) FROM bolide_change") }
    _ = try store.migrate(World.quakes())
    let wrong = try temporary.python(World.oracle)
    #expect(
      wrong.split(separator: "\n").allSatisfy { $0.hasSuffix("has no time of its change") },
      "seed \(seed): \(wrong)")
    #expect(try store.findings() == [], "seed \(seed)")
    #expect(try store.rows("SELECT * FROM bolide_dirty") == [])
    let changes = "FROM bolide_change WHERE change > \(before)"
    #expect(
      try store.rows("SELECT count(*) \(changes)")
        == store.rows("SELECT count(DISTINCT entity || ' ' || first) \(changes)"))
    #expect(try store.rows("SELECT DISTINCT kind \(changes)").allSatisfy { $0 == [.integer(1)] })
    #expect(try Replay(store, model: World.model).problems() == [], "seed \(seed)")
    _ = try Replay(store, after: last, model: World.model)
  }

  /// A trigger of another program's hears of each object by itself, so that the values come one by one.
  @Test(arguments: 0..<RandomHistory.count / 10)
  func `all at once is what one by one is`(seed: Int) throws {
    var dice = Dice(seed)
    let names = someNames(&dice)
    let (one, other) = try (TemporaryStore(), TemporaryStore())
    let stores = try [world(one, names, seed: seed), world(other, names, seed: seed)]
    try other.shell(
      "CREATE TABLE heard(n); CREATE TRIGGER mine AFTER UPDATE ON Region BEGIN INSERT INTO heard VALUES (1); END"
    )
    for store in stores { _ = try store.migrate(World.quakes()) }
    for entity in World.model.entities {
      let columns = try stores[0].rows("SELECT name FROM pragma_table_info('\(entity.name)') ORDER BY name")
      #expect(
        try columns == stores[1].rows("SELECT name FROM pragma_table_info('\(entity.name)') ORDER BY name"))
      let rows = "SELECT * FROM \(entity.name) ORDER BY bolide_id"
      #expect(try stores[0].rows(rows) == stores[1].rows(rows), "seed \(seed)")
    }
    let previous = """
      SELECT entity, first, property, value FROM bolide_change JOIN bolide_previous USING (change) WHERE kind = 1
      ORDER BY entity, first, property
      """
    #expect(try stores[0].rows(previous) == stores[1].rows(previous), "seed \(seed)")
    #expect(try stores[1].rows("SELECT count(*) > 0 FROM heard") == [[.integer(1)]])
  }

  private struct Killed: Error {}

  /// Steps of growing size with writes of other programs and imports in between; some steps are the last of their process.
  @Test(arguments: 0..<RandomHistory.count / 5)
  func `in steps is in one transaction, whoever writes in between`(seed: Int) throws {
    var dice = Dice(seed)
    let names = someNames(&dice)
    let (one, other) = try (TemporaryStore(), TemporaryStore())
    let stores = try [world(one, names, seed: seed), world(other, names, seed: seed)]
    var first = RandomWrites(dice: dice, seed: seed, model: Self.pipeline(with: names).model)
    var second = first
    var steps = 0
    func write(_ writes: inout RandomWrites, _ place: TemporaryStore, _ step: Int) throws {
      switch (step + seed) % 4 {
      case 0: try place.shell(writes.script(6))
      case 1: try writes.take(SQLiteEngine(reading: place.path))
      case 2: _ = try place.python(RandomWrites.python, [writes.script(3)])
      default: break
      }
    }
    var isDone = false
    while !isDone {
      do {
        try stores[0].writing { db in
          try ColumnFilling(db, for: World.quakes(), leastRows: 30, size: 1).run(progress: {
            #expect((0...1).contains($0))
          }) { _ in
            steps += 1
            try write(&first, one, steps)
            if dice.once(in: 3) && steps < 40 { throw Killed() }
          }
        }
        isDone = true
      } catch is Killed {
        isDone = dice.once(in: 4)
      }
    }
    for step in 1...max(1, steps) where step <= steps { try write(&second, other, step) }
    for store in stores { _ = try store.migrate(World.quakes()) }
    for entity in World.model.entities {
      let names = try stores[1].rows("SELECT name FROM pragma_table_info('\(entity.name)')").flatMap(\.self)
      let columns = names.compactMap { if case .text(let name) = $0 { quoted(name) } else { nil } }
      let rows = "SELECT \(columns.joined(separator: ", ")) FROM \(entity.name) ORDER BY bolide_id"
      #expect(try stores[0].rows(rows) == stores[1].rows(rows), "seed \(seed)")
    }
    for history in [
      "SELECT * FROM bolide_change ORDER BY change",
      "SELECT * FROM bolide_previous ORDER BY change, property",
      "SELECT name, property, entity FROM bolide_property ORDER BY property",
      "SELECT number, author, first_change, last_change, inserted, updated, deleted FROM bolide_transaction ORDER BY number",
    ] {
      #expect(try stores[0].rows(history) == stores[1].rows(history), "seed \(seed)")
    }
    #expect(try stores[0].rows("SELECT name FROM sqlite_schema WHERE name = 'bolide_unfinished'") == [])
    #expect(try stores[0].findings() == [], "seed \(seed)")
  }

  private enum Event: String, CaseIterable { case prune, gap, erase, model, trigger }

  /// Where history does not tell all that has changed, the values are computed anew.
  @Test(arguments: zip(Event.allCases, [false, true, false, true, false]))
  private func `what history does not tell is computed anew`(event: Event, goesOn: Bool) throws {
    let temporary = try TemporaryStore()
    let names: Set<String> = ["Region.count", "Region.countryName"]
    let store = try world(temporary, names, seed: 3)
    func fill(until last: Int) throws {
      var steps = 0
      do {
        try store.writing { db in
          try ColumnFilling(db, for: World.quakes(), leastRows: 30, size: 1).run(pause: { _ in
            steps += 1
            if steps == last { throw Killed() }
          })
        }
      } catch is Killed {}
    }
    try fill(until: 5)
    #expect(try store.status().unfinishedAttributes.allSatisfy { $0.pipeline == "quakes" })
    #expect(try store.status().unfinishedAttributes.count > 10)
    let change =
      "UPDATE Quake SET magnitude = 77, place = 'other'; UPDATE Region SET title = 'new'; UPDATE Country SET name = 'n'"
    switch event {
    case .prune:
      try temporary.shell(change)
      try store.assignPending()
      _ = try store.prune(.keepingTransactions(0))
    case .gap:
      try temporary.shell("DROP TRIGGER bolide_Quake_update; \(change)")
      try store.restoreTriggers()
    case .erase:
      try temporary.shell("\(change); UPDATE Quake SET region_id = 2 WHERE bolide_id = 1")
      try store.assignPending()
      _ = try store.erase("Quake", .id(1), EditOptions(author: "test"), lockWait: 1)
      #expect(try store.status().unfinishedAttributes == [])
    case .model:
      var other = Self.pipeline(with: names)
      other.name = "other"
      other.model.entities[0].attributes.append(Attribute(name: "note", type: .string))
      try store.fit(other)
      try temporary.shell(change)
    case .trigger:
      try temporary.shell("CREATE TRIGGER mine AFTER UPDATE ON Quake BEGIN SELECT 1; END; \(change)")
    }
    if goesOn { try fill(until: .max) }
    var pipeline = World.quakes()
    if event == .model {
      pipeline.model.entities[0].attributes.append(Attribute(name: "note", type: .string))
    }
    _ = try store.migrate(pipeline)
    let wrong = try temporary.python(World.oracle)
    #expect(wrong.split(separator: "\n").allSatisfy { $0.hasSuffix("has no time of its change") }, "\(wrong)")
    #expect(try store.findings() == [])
    #expect(try store.status().unfinishedAttributes == [])
    #expect(try store.rows("SELECT * FROM bolide_dirty") == [])
  }
}
