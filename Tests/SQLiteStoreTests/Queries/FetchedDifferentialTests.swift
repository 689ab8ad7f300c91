import Foundation
import ImportModel
import SQLiteQueries
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Random fetched properties over random rows, in one store and in two, beside Python, which asks for each owner by itself.
struct FetchedDifferentialTests {
  private static let properties = 16

  @Test(arguments: 0..<1, [false, true])
  func `what is found for all at once is what is found for each`(seed: Int, isElsewhere: Bool) throws {
    let (temporary, other) = (try TemporaryStore(), try TemporaryStore())
    var dice = Dice(seed)
    let cases = (0..<Self.properties).map { Case(&dice, $0, store: isElsewhere ? other.path : nil) }
    let store = try temporary.open(Kitchen.recipes(cases.map(\.property)))
    if isElsewhere { _ = try other.open(Kitchen.comments) }
    _ = try temporary.python(Self.filling, ["\(seed)", isElsewhere ? other.path : temporary.path])

    let requests = cases.map { ($0, Owners(&dice)) } + cases.map { ($0, Owners(&dice)) }
    let json = requests.map { one, owners -> [String: Any] in
      [
        "pair": one.sql, "sort": one.sort, "limit": one.property.limit ?? -1, "where": owners.sql,
        "order": owners.order, "cut": owners.cut,
      ]
    }
    let python = try temporary.python(
      Self.asking,
      [
        String(decoding: try JSONSerialization.data(withJSONObject: json), as: UTF8.self),
        isElsewhere ? other.path : "",
      ]
    ).split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    try #require(python.count == 2 * requests.count)

    var (found, alone) = (0, 0)
    for (index, (one, owners)) in requests.enumerated() {
      var request = owners.request
      request.related = [one.property.name]
      func answer() throws -> String {
        var lines: [String] = []
        try store.readRows(request, at: nil) { row in
          let ids = row.fetched.first?.rows.map(\.id) ?? []
          found += ids.count
          lines.append(([row.id] + ids).map(String.init).joined(separator: " "))
        }
        return lines.joined(separator: ",")
      }
      try #require(try answer() == python[2 * index], "\(one.property) \(request)")
      request.batchSize = dice.int(1...20)
      try #require(try answer() == python[2 * index], "\(one.property) \(request)")

      (request.related, request.batchSize, request.dangling) = ([], nil, one.property.name)
      var ids: [String] = []
      try store.readRows(request, at: nil) { ids.append("\($0.id)") }
      try #require(ids.joined(separator: ",") == python[2 * index + 1], "\(one.property) \(request)")
      try #require(try store.readCount(request, at: nil) == ids.count)
      request.batchSize = dice.int(1...20)
      var again: [String] = []
      try store.readRows(request, at: nil) { again.append("\($0.id)") }
      try #require(again == ids)
      alone += ids.count
    }
    #expect(found > 1_500 && alone > 80, "\(found) \(alone)")
  }

  private static let filling = """
    import random, sqlite3, sys
    random.seed(int(sys.argv[2])); pick = random.choice
    db, other = sqlite3.connect(sys.argv[1]), sqlite3.connect(sys.argv[3])
    texts = [None, '', 'a', 'A', 'b', '1', '10', "it's", 'a\\x00b', 'ä']
    ints = [None, 0, 1, 2, 3, 10, -1]
    for i in range(6): db.execute('INSERT INTO Author(name, born) VALUES (?, ?)', (f'{i}', pick(ints)))
    for i in range(50):
      db.execute('INSERT INTO Recipe(slug, "order", minutes, author_id) VALUES (?, ?, ?, ?)',
        (f'{i}' + (pick(texts) or ''), pick(texts), pick(ints), pick([None, 1, 2, 3, 4, 5, 6])))
    slugs = [row[0] for row in db.execute('SELECT slug FROM Recipe')]
    db.commit()
    for i in range(6): other.execute('INSERT INTO Person(name, age) VALUES (?, ?)', (f'{i}', pick(ints)))
    for i in range(90):
      other.execute('INSERT INTO Comment(number, recipe, stars, text, weight, by_id) VALUES (?, ?, ?, ?, ?, ?)',
        (i, pick(slugs + texts), pick(ints), pick(texts), pick([None, 0.5, 1.0, 3.0, float('inf')]), pick([None, 1, 2, 3, 4, 5, 6])))
    other.commit()
    """

  /// One query for each owner.
  private static let asking = """
    import json, sqlite3, sys
    db = sqlite3.connect(sys.argv[1])
    if sys.argv[3]: db.execute('ATTACH ? AS o', (sys.argv[3],))
    db.execute('PRAGMA automatic_index = 0')
    owners = 'Recipe AS r LEFT JOIN Author AS a ON a.bolide_id = r.author_id'
    comments = 'Comment AS c LEFT JOIN Person AS p ON p.bolide_id = c.by_id'
    for one in json.loads(sys.argv[2]):
      rows = [row[0] for row in db.execute(f"SELECT r.bolide_id FROM {owners} WHERE {one['where']} ORDER BY {one['order']}")]
      found = {}
      for row in rows:
        found[row] = [c for c, in db.execute(
          f"SELECT c.bolide_id FROM {comments}, {owners} WHERE r.bolide_id = ? AND ({one['pair']}) ORDER BY {one['sort']}", (row,))]
      def cut(rows): return rows[one['cut'][0]:][:one['cut'][1] if one['cut'][1] >= 0 else None]
      def some(ids): return ids[:one['limit'] if one['limit'] >= 0 else None]
      print(','.join(' '.join(map(str, [row] + some(found[row]))) for row in cut(rows)))
      print(','.join(str(row) for row in cut([row for row in rows if not found[row]])))
    """

  /// A fetched property, and the same in plain SQL.
  private struct Case {
    var property: FetchedProperty
    var sql: String
    var sort: String

    private static let found = [
      ("recipe", "c.recipe"), ("stars", "c.stars"), ("text", "c.text"), ("weight", "c.weight"),
      ("by", "c.by_id"), ("by.name", "p.name"), ("by.age", "p.age"), ("number", "c.number"),
      ("bolide_id", "c.bolide_id"),
    ]
    private static let source = [
      ("$FETCH_SOURCE.slug", "r.slug"), ("$FETCH_SOURCE.\"order\"", "r.\"order\""),
      ("$FETCH_SOURCE . minutes", "r.minutes"), ("$FETCH_SOURCE.author.name", "a.name"),
      ("$FETCH_SOURCE.AUTHOR.born", "a.born"), ("$FETCH_SOURCE", "r.bolide_id"),
      ("$FETCH_SOURCE.author_id", "r.author_id"),
    ]
    private static let known: [(name: String, value: Value, sql: String)] = [
      ("one", .integer(1), "1"), ("less", .integer(-1), "-1"), ("real", .real(0.5), "0.5"),
      ("text", .text("a"), "'a'"), ("quote", .text("it's"), "'it''s'"), ("null", .null, "NULL"),
      ("ten", .text("10"), "'10'"), ("zero", .text("a\0b"), "CAST(x'610062' AS TEXT)"),
      ("bytes", .blob([0x61]), "x'61'"),
    ]

    init(_ dice: inout Dice, _ number: Int, store: String?) {
      let (ours, theirs) = Self.predicate(&dice, depth: 2)
      property = .comments(ours, name: "p\(number)", store: store)
      property.userInfo = Dictionary(uniqueKeysWithValues: Self.known.map { ($0.name, $0.value) })
      if dice.once(in: 2) { property.limit = dice.int(1...5) }
      var order: [String] = []
      for _ in 0..<dice.int(0...2) {
        let (name, falls) = (dice.pick(Self.found), dice.once(in: 2))
        property.sort.append((falls ? "-" : "") + name.0)
        order.append(name.1 + (falls ? " DESC" : ""))
      }
      (sql, sort) = (theirs, (order + ["c.bolide_id"]).joined(separator: ", "))
    }

    private static func predicate(_ dice: inout Dice, depth: Int) -> (String, String) {
      guard depth > 0, dice.int(0...3) > 0 else { return comparison(&dice) }
      let (left, right) = (predicate(&dice, depth: depth - 1), predicate(&dice, depth: depth - 1))
      switch dice.int(0...3) {
      case 0: return ("NOT (\(left.0))", "NOT (\(left.1))")
      case 1: return ("(\(left.0)) OR (\(right.0))", "(\(left.1)) OR (\(right.1))")
      default: return ("(\(left.0)) AND (\(right.0))", "(\(left.1)) AND (\(right.1))")
      }
    }

    private static func comparison(_ dice: inout Dice) -> (String, String) {
      let (left, right, value) = (dice.pick(found), dice.pick(source), dice.pick(known))
      let symbol = dice.pick(["=", "=", "=", "<", ">=", "<>", " IS ", " IS NOT "])
      let info = "$FETCHED_PROPERTY.\(value.name)"
      switch dice.int(0...6) {
      case 0: return ("\(left.0)\(symbol)\(info)", "\(left.1)\(symbol)\(value.sql)")
      case 1: return ("\(right.0)\(symbol)\(info)", "\(right.1)\(symbol)\(value.sql)")
      case 2:
        return ("\(left.0) IN (\(right.0), \(info), 3)", "\(left.1) IN (\(right.1), \(value.sql), 3)")
      case 3:
        return (
          "\(left.0) || 'a'\(symbol)\(right.0) || \(info)",
          "\(left.1) || 'a'\(symbol)\(right.1) || \(value.sql)"
        )
      default: return ("\(left.0)\(symbol)\(right.0)", "\(left.1)\(symbol)\(right.1)")
      }
    }
  }

  /// A fetch of recipes, and the same in plain SQL.
  private struct Owners {
    var request = ObjectQuery("Recipe")
    var sql = "1"
    var order = "r.bolide_id"
    var cut: [Int] { [request.offset, request.limit ?? -1] }

    init(_ dice: inout Dice) {
      switch dice.int(0...3) {
      case 0:
        (request.predicate, sql) = ("minutes > 0 OR author.born IS NULL", "r.minutes > 0 OR a.born IS NULL")
      case 1:
        (request.predicate, request.arguments) = ("\"order\" > ? OR minutes < ?", [.text("A"), .integer(3)])
        sql = "r.\"order\" > 'A' OR r.minutes < 3"
      default: break
      }
      var list: [String] = []
      for _ in 0..<dice.int(0...2) {
        let names = [
          ("slug", "r.slug"), ("order", "r.\"order\""), ("minutes", "r.minutes"), ("author.born", "a.born"),
        ]
        let (name, rises) = (dice.pick(names), dice.once(in: 2))
        request.sort.append(.init(name.0, ascending: rises))
        list.append(name.1 + (rises ? "" : " DESC"))
      }
      order = (list + [order]).joined(separator: ", ")
      if dice.once(in: 3) { request.limit = dice.int(0...30) }
      if dice.once(in: 3) { request.offset = dice.int(0...20) }
    }
  }
}
