import Foundation
import ImportModel

@testable import SQLiteStore
@testable import StoreInterface

/// A store with a history made by imports and other programs at random, and what it held after each transaction.
struct RandomHistory {
  /// Every object with its values, by entity and id.
  typealias State = [String: [String: Value]]

  let temporary: TemporaryStore
  let store: SQLiteEngine
  let pipeline: Pipeline
  /// The store's content at each token, in commit order; the first is the empty store's.
  private(set) var states: [(token: HistoryToken, state: State)] = []
  private var dice: Dice

  init(_ seed: Int, steps: Int = 10) throws {
    dice = Dice(seed)
    pipeline = Quakes.pipeline(when: seed % 2 == 0 ? .insert : .always)
    temporary = try TemporaryStore()
    store = try temporary.open(pipeline)
    states.append((try store.reading { try HistoryPositions($0).token(0) }, [:]))
    for _ in 0..<steps { try step() }
  }

  /// One import or one other program's statements, and the token after it.
  mutating func step() throws {
    let token: HistoryToken?
    if dice.once(in: 2) {
      for _ in 0...dice.int(0...2) { try store.execute(statement()) }
      token = try store.assignPending()
    } else {
      let records = (0..<dice.int(0...12)).map { _ in record() }
      token = try store.take(pipeline, records).token
    }
    if let token { states.append((token, try Self.state(of: store))) }
  }

  private mutating func record() -> Record {
    var record: Record = ["id": .text("q\(dice.int(0...20))")]
    if dice.once(in: 2) { record["depth"] = dice.pick([.null, 0, 1, 2]) }
    if dice.once(in: 2) { record["place"] = dice.pick([.null, "", "sea"]) }
    if dice.once(in: 3) { record["magnitude"] = dice.pick([.null, 1.5, 0.1]) }
    if dice.once(in: 2) { record["@region"] = dice.pick([.null, "r0", "r1", "r2"]) }
    if dice.once(in: 4) { record["seen"] = .integer(Int64(dice.int(0...3))) }
    return record
  }

  private mutating func statement() -> String {
    let id = dice.int(0...20)
    return dice.pick([
      "DELETE FROM Quake WHERE id = 'q\(id)'", "UPDATE Quake SET depth = \(id % 3) WHERE bolide_id % 3 = 0",
      "INSERT INTO Quake(id, region_id) VALUES ('q\(id)', (SELECT min(bolide_id) FROM Region)) ON CONFLICT DO NOTHING",
      "DELETE FROM Region WHERE bolide_id % 5 = \(id % 5)", "UPDATE Quake SET place = NULL, magnitude = 0.1",
      // A key that is free: it was given to another object that had it before.
      """
      UPDATE Quake SET id = 'x' || id WHERE bolide_id = \(id) AND id NOT LIKE 'x%'
      AND NOT EXISTS (SELECT 1 FROM Quake AS other WHERE other.id = 'x' || Quake.id)
      """,
      // An id that was free is given out again, with all that Bolide itself would never do.
      """
      INSERT INTO Quake(bolide_id, id, depth) SELECT \(id), 'again\(id)', 1
      WHERE \(id) > 0 AND NOT EXISTS (SELECT 1 FROM Quake WHERE bolide_id = \(id) OR id = 'again\(id)')
      """,
      "DELETE FROM Quake WHERE bolide_id % 4 = \(id % 4)",
    ])
  }

  /// Every object that a store holds now.
  static func state(of store: SQLiteEngine) throws -> State {
    var objects: State = [:]
    for (entity, names) in [
      ("Quake", ["id", "place", "magnitude", "depth", "cost", "kind", "seen", "region"]),
      ("Region", ["code", "quakeCount", "magnitudes", "depths", "costs"]),
    ] {
      let columns = names.map { $0 == "region" ? "region_id" : $0 }.joined(separator: ", ")
      for row in try store.rows("SELECT bolide_id, \(columns) FROM \(entity)") {
        guard case .integer(let id) = row[0] else { continue }
        objects["\(entity) \(id)"] = Dictionary(uniqueKeysWithValues: zip(names, row.dropFirst()))
      }
    }
    return objects
  }

  /// How many histories a test tries: more when the environment says so.
  static let count = ProcessInfo.processInfo.environment["BOLIDE_HISTORIES"].flatMap { Int($0) } ?? 12
}

extension HistoryChange {
  /// The object, as states know it.
  var object: String { "\(entity) \(id)" }

  /// The previous values by name.
  var before: [String: Value] {
    Dictionary(previous.map { ($0.name, $0.value) }) { first, _ in first }
  }
}
