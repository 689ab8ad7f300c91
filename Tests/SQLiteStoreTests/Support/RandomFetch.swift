import Foundation
import ImportModel

@testable import SQLiteStore
@testable import StoreInterface

/// Random rows in Geography's tables, and random requests for them, each also as plain SQL.
enum RandomFetch {
  /// Fills a store by another program: many equal values, nulls, both zeros, texts with anything in them.
  static func fill(_ temporary: TemporaryStore, rows: Int, seed: Int) throws {
    _ = try temporary.python(
      """
      import random, sqlite3, sys
      random.seed(int(sys.argv[2]))
      db = sqlite3.connect(sys.argv[1])
      texts = [None, '', 'a', 'A', 'ab', 'ä', 'a\\x00b', 'a\\x01', '\\x1b[2J', "it's", '1', '10', ' x', 'z\\n']
      reals = [None, 0.0, -0.0, 1.5, -1.5, 1e300, 5e-324, 0.1, float('inf'), float('-inf'), 3.0]
      ints = [None, 0, 1, 2, 3, -1, 2**63 - 1, -2**63, 10]
      pick = random.choice
      for i in range(4): db.execute('INSERT INTO Country(name, "from") VALUES (?, ?)', (f'{i}' + (pick(texts) or ''), pick(ints[:6])))
      for i in range(9):
        db.execute('INSERT INTO "Group"(code, size, country_id) VALUES (?, ?, ?)', (f'g{i}', pick(ints[:6]), pick([None, 1, 2, 3, 4])))
      for i in range(int(sys.argv[3])):
        db.execute('INSERT INTO Quake(id, magnitude, depth, "order", "end", felt, group_id, previous_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
          (f'{random.getrandbits(60)}', pick(reals), pick(ints), pick(texts), pick(ints[:6]), pick([None, 0, 1]),
           pick([None] + list(range(1, 10))), random.randint(1, i) if i and random.random() < 0.7 else None))
      # What is no UTF-8 comes from elsewhere, too.
      db.execute('UPDATE Quake SET "order" = CAST(x\\'61ff62\\' AS TEXT) WHERE bolide_id % 17 = 0')
      db.execute('UPDATE Quake SET "order" = CAST(x\\'61fe\\' AS TEXT) WHERE bolide_id % 19 = 0')
      db.commit()
      """, ["\(seed)", "\(rows)"])
  }

  /// A request, and the same in plain SQL.
  struct Case {
    var request: ObjectQuery
    var predicate: String
    var order: [(sql: String, isAscending: Bool)]
  }

  static let names = [
    ("id", "q.id"), ("magnitude", "q.magnitude"), ("depth", "q.depth"), ("order", "q.\"order\""),
    ("end", "q.\"end\""), ("felt", "q.felt"), ("group", "q.group_id"), ("group.size", "g.size"),
    ("group.code", "g.code"), ("group.quakeCount", "g.quakeCount"), ("group.country", "g.country_id"),
    ("group.country.name", "c.name"), ("group.country.from", "c.\"from\""), ("previous.depth", "p.depth"),
    ("previous.magnitude", "p.magnitude"), ("previous.group.size", "h.size"), ("bolide_id", "q.bolide_id"),
  ]

  static let tables = """
    Quake AS q LEFT JOIN "Group" AS g ON g.bolide_id = q.group_id
    LEFT JOIN Country AS c ON c.bolide_id = g.country_id LEFT JOIN Quake AS p ON p.bolide_id = q.previous_id
    LEFT JOIN "Group" AS h ON h.bolide_id = p.group_id
    """

  static func request(_ dice: inout Dice) -> Case {
    let (ours, theirs) = predicate(&dice, depth: 3)
    var order: [(String, sql: String, isAscending: Bool)] = []
    for _ in 0..<dice.int(0...3) {
      let name = dice.pick(names)
      order.append((name.0, name.1, dice.once(in: 2)))
    }
    var request = ObjectQuery(
      "Quake", where: .init(text: ours), sort: order.map { .init($0.0, ascending: $0.isAscending) })
    if dice.once(in: 2) { request.limit = dice.int(0...40) }
    if dice.once(in: 2) { request.offset = dice.int(0...30) }
    return Case(request: request, predicate: theirs, order: order.map { ($0.sql, $0.isAscending) })
  }

  /// An expression that holds or does not, as a predicate writes it and as SQL does.
  private static func predicate(_ dice: inout Dice, depth: Int) -> (String, String) {
    guard depth > 0 else { return comparison(&dice) }
    switch dice.int(0...6) {
    case 0...2:
      let (left, right) = (predicate(&dice, depth: depth - 1), predicate(&dice, depth: depth - 1))
      let word = dice.pick([" AND ", " OR ", "\nand\t", " or "])
      return ("(\(left.0)\(word)\(right.0))", "(\(left.1)\(word)\(right.1))")
    case 3:
      let inner = predicate(&dice, depth: depth - 1)
      return ("NOT \(inner.0)", "NOT \(inner.1)")
    case 4:
      let (test, then, other) = (comparison(&dice), comparison(&dice), comparison(&dice))
      return (
        "CASE WHEN \(test.0) THEN \(then.0) ELSE \(other.0) END",
        "CASE WHEN \(test.1) THEN \(then.1) ELSE \(other.1) END"
      )
    default: return comparison(&dice)
    }
  }

  private static func comparison(_ dice: inout Dice) -> (String, String) {
    let (left, right) = (dice.pick(names), dice.pick(names))
    let literal = dice.pick([
      "0", "1", "-1", "2.5", "1e300", "'a'", "'1'", "''", "NULL", "x'61'", "9223372036854775807", "-0.0",
      "'it''s'",
    ])
    let symbol = dice.pick([
      "=", "<", ">", "<=", ">=", "<>", "==", "!=", " IS ", " IS NOT ", " IS NOT DISTINCT FROM ",
    ])
    switch dice.int(0...6) {
    case 0: return ("\(left.0)\(symbol)\(right.0)", "\(left.1)\(symbol)\(right.1)")
    case 1: return ("\(left.0) IN (\(literal), \(right.0), 3)", "\(left.1) IN (\(literal), \(right.1), 3)")
    case 2:
      return ("\(left.0) BETWEEN \(literal) AND \(right.0)", "\(left.1) BETWEEN \(literal) AND \(right.1)")
    case 3: return ("\(left.0) NOT LIKE '%a%'", "\(left.1) NOT LIKE '%a%'")
    case 4: return ("length(\(left.0)) + 1\(symbol)2", "length(\(left.1)) + 1\(symbol)2")
    case 5:
      return ("\(left.0) || \(right.0)\(symbol)\(literal)", "\(left.1) || \(right.1)\(symbol)\(literal)")
    default: return ("\(left.0)\(symbol)\(literal)", "\(left.1)\(symbol)\(literal)")
    }
  }
}
