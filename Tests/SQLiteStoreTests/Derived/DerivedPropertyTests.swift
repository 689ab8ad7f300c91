import ImportModel
import SQLiteMaintenance
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Imports and other programs write in turn; Python computes every derived attribute anew, and history replays.
struct DerivedPropertyTests {
  private let temporary: TemporaryStore

  init() throws { temporary = try TemporaryStore() }

  @Test(arguments: 0..<RandomHistory.count / 5) func `Whoever writes, every derived attribute is true`(
    seed: Int
  ) throws {
    var dice = Dice(seed)
    let store = try temporary.open(World.quakes())
    var writes = RandomWrites(dice: dice, seed: seed)
    for round in 0..<6 {
      switch dice.int(0...3) {
      case 0: try temporary.shell(writes.script(40))
      case 1: try #require(try temporary.python(RandomWrites.python, [writes.script(25)]) == "")
      default: try writes.take(store)
      }
      if dice.once(in: 3) { try writes.take(store) }
      try store.assignPending()
      try #require(try temporary.python(World.oracle) == "", "seed \(seed), round \(round)")
      try #require(try store.rows("SELECT * FROM bolide_dirty") == [])
      let findings = try store.findings()
      try #require(findings == [], "seed \(seed), round \(round)")
    }
    #expect(try Replay(store, model: World.model).problems() == [])
  }
}

/// Random writes to the world, by the importer and as SQL.
struct RandomWrites {
  var dice: Dice
  let seed: Int
  /// Whose model the imports have, where it is not the whole world's.
  var model: Model?

  private func with(_ pipeline: Pipeline) -> Pipeline {
    var pipeline = pipeline
    pipeline.model = model ?? pipeline.model
    return pipeline
  }

  private mutating func number() -> Value {
    dice.once(in: 5) ? .null : .real(Double(dice.int(-1000...1000)) / 100)
  }
  private mutating func whole() -> Value { dice.once(in: 5) ? .null : .integer(Int64(dice.int(-500...500))) }
  private mutating func text() -> Value {
    dice.once(in: 6) ? .null : .text(dice.pick(["Alpha", "Ålesund", "béta", "Çeşme", "delta Ωmega", "x"]))
  }
  private mutating func day() -> Value {
    dice.once(in: 5) ? .null : .text("2026-0\(dice.int(1...9))-1\(dice.int(0...9))")
  }

  /// One import of one of the three pipelines.
  mutating func take(_ store: SQLiteEngine) throws {
    let timing: Link.Timing = dice.once(in: 2) ? .insert : .always
    switch dice.int(0...4) {
    case 0: try store.take(with(World.countries), chunks: records(3) { $0.country() })
    case 1: try store.take(with(World.regions(when: timing)), chunks: records(4) { $0.region() })
    default: try store.take(with(World.quakes(when: timing)), chunks: records(12) { $0.quake() })
    }
  }

  private mutating func records(_ count: Int, _ make: (inout Self) -> Record) -> [[Record]] {
    (0..<dice.int(1...3)).map { _ in (0..<count).map { _ in make(&self) } }
  }

  /// A record with some of its fields.
  private mutating func some(_ record: Record) -> Record {
    // In one order, or a seed would mean other writes each time.
    let fields = record.sorted { $0.key < $1.key }
      .filter { ["id", "name", "code"].contains($0.key) || !dice.once(in: 4) }
    return Dictionary(uniqueKeysWithValues: fields.map { ($0.key, $0.value) })
  }

  private mutating func country() -> Record { some(["code": .text("c\(dice.int(0...2))"), "name": text()]) }

  private mutating func region() -> Record {
    some([
      "name": .text("r\(dice.int(0...4))"), "title": text(),
      "@country": dice.once(in: 5) ? .null : .text("c\(dice.int(0...2))"),
    ])
  }

  private mutating func quake() -> Record {
    let number = dice.int(0...30)
    return some([
      "id": .text("q\(number)"), "code": .integer(Int64(dice.once(in: 8) ? dice.int(0...40) : number)),
      "place": text(),
      "magnitude": self.number(), "depth": whole(), "cost": whole(), "day": day(), "seen": whole(),
      "@region": dice.once(in: 6) ? .null : .text("r\(dice.int(0...4))"),
    ])
  }

  // MARK: SQL

  private func sql(_ value: Value?) -> String {
    switch value {
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): "'\(text)'"
    default: "NULL"
    }
  }

  private mutating func owner(_ table: String, _ key: String) -> String {
    dice.once(in: 6) ? "NULL" : "(SELECT bolide_id FROM \(table) WHERE \(key))"
  }

  /// Statements as a person or a program would write them, under random settings.
  mutating func script(_ count: Int) -> String {
    var script = "PRAGMA foreign_keys = \(dice.once(in: 2) ? "ON" : "OFF");\n"
    script += "PRAGMA recursive_triggers = \(dice.once(in: 2) ? "ON" : "OFF");\n"
    let isOne = dice.once(in: 2)
    if isOne { script += "BEGIN;\n" }
    for _ in 0..<count { script += statement() + ";\n" }
    return script + (isOne ? "COMMIT;\n" : "")
  }

  private mutating func statement() -> String {
    let (quake, region) = ("id = 'q\(dice.int(0...30))'", "name = 'r\(dice.int(0...4))'")
    let country = "code = 'c\(dice.int(0...2))'"
    let some = "bolide_id % \(dice.int(2...4)) = 0"
    switch dice.int(0...18) {
    case 0, 1, 2:
      let record = self.quake()
      let names = record.keys.filter { !$0.hasPrefix("@") }.sorted()
      let verb = dice.pick(["INSERT OR IGNORE", "INSERT OR IGNORE", "INSERT"])
      let ending =
        verb == "INSERT"
        ? " ON CONFLICT DO UPDATE SET magnitude = excluded.magnitude, depth = excluded.depth" : ""
      let columns =
        (names + ["region_id"] + (names.contains("magnitude") ? [] : ["magnitude"])
          + (names.contains("depth") ? [] : ["depth"]))
      let values = columns.map { $0 == "region_id" ? owner("Region", region) : sql(record[$0]) }
      return
        "\(verb) INTO Quake(\(columns.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))\(ending)"
    case 3: return "UPDATE Quake SET magnitude = \(sql(number())), place = \(sql(text())) WHERE \(quake)"
    case 4:
      return
        "UPDATE Quake SET depth = \(sql(whole())), cost = \(sql(whole())), day = \(sql(day())) WHERE \(some)"
    case 5:
      return
        "UPDATE Quake SET region_id = \(owner("Region", region)) WHERE \(dice.once(in: 3) ? some : quake)"
    case 6: return "DELETE FROM Quake WHERE \(dice.once(in: 5) ? some : quake)"
    case 7: return "UPDATE Region SET title = \(sql(text())) WHERE \(region)"
    case 8:
      return
        "UPDATE Region SET country_id = \(owner("Country", country)), title = \(sql(text())) WHERE \(region)"
    case 9: return "UPDATE Country SET name = \(sql(text())) WHERE \(country)"
    case 14, 15:
      let id = dice.once(in: 3) ? "bolide_id, " : ""
      let value = id.isEmpty ? "" : "\(dice.int(1...20)), "
      return
        "\(dice.pick(["REPLACE", "INSERT OR REPLACE"])) INTO Quake(\(id)id, code, magnitude, depth, region_id) "
        + "VALUES (\(value)'q\(dice.int(0...30))', \(dice.int(0...40)), \(sql(number())), \(sql(whole())), "
        + "\(owner("Region", region)))"
    case 16: return "UPDATE OR REPLACE Quake SET code = \(dice.int(0...40)), depth = 7 WHERE \(quake)"
    case 17:
      return "REPLACE INTO Region(name, title, country_id) VALUES ('r\(dice.int(0...4))', \(sql(text())), "
        + "\(owner("Country", country)))"
    case 18: return "UPDATE OR REPLACE Region SET name = 'r\(dice.int(0...4))' WHERE \(region)"
    case 10: return "DELETE FROM \(dice.once(in: 2) ? "Region WHERE \(region)" : "Country WHERE \(country)")"
    case 11:
      return
        "INSERT OR IGNORE INTO Region(name, title, country_id) VALUES ('r\(dice.int(0...4))', \(sql(text())), \(owner("Country", country)))"
    case 12: return "INSERT OR IGNORE INTO Country(code, name) VALUES ('c\(dice.int(0...2))', \(sql(text())))"
    default: return "UPDATE Quake SET seen = 1, magnitude = magnitude WHERE \(some)"
    }
  }

  /// Runs a script's statements one by one; prints what goes wrong.
  static let python = """
    import sqlite3, sys
    db = sqlite3.connect(sys.argv[1], isolation_level=None)
    for statement in sys.argv[2].split(";\\n"):
        if statement.strip(): db.execute(statement)
    """
}
