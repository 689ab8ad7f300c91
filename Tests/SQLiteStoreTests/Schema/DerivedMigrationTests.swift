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
  @Test(arguments: 0..<RandomHistory.count / 20)
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
}
