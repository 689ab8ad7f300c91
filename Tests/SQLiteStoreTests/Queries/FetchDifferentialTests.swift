import Foundation
import ImportModel
import SQLiteQueries
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Random requests over random rows, beside the `sqlite3` shell and Python.
struct FetchDifferentialTests {
  private static let seeds = 2
  private static let requests = 48

  @Test(arguments: 0..<seeds)
  func `a fetch gives what the sqlite3 shell gives, and what Python sorts and cuts`(seed: Int) throws {
    let temporary = try TemporaryStore()
    var pipeline = Geography.pipeline
    // An index changes no answer.
    if seed % 2 == 1 {
      pipeline[entity: "Quake"].indexes = [["magnitude"], ["depth", "order"], ["end"], ["group", "felt"]]
      pipeline[entity: "Group"].indexes = [["size"], ["quakeCount", "code"]]
    }
    let store = try temporary.open(pipeline)
    try RandomFetch.fill(temporary, rows: 150, seed: seed)
    var dice = Dice(seed)
    let cases = (0..<Self.requests).map { _ in RandomFetch.request(&dice) }

    let shell = try temporary.shell(
      cases.map { one in
        let order = one.order.map { $0.sql + ($0.isAscending ? "" : " DESC") } + ["q.bolide_id"]
        return """
          SELECT ifnull(group_concat(id, ' '), '') FROM (SELECT q.bolide_id AS id FROM \(RandomFetch.tables)
          WHERE (\(one.predicate)) ORDER BY \(order.joined(separator: ", "))
          LIMIT \(one.request.limit ?? -1) OFFSET \(one.request.offset));
          """
      }.joined(separator: "\n")
    ).split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    let python = try temporary.python(
      Self.sorting,
      [String(decoding: try JSONSerialization.data(withJSONObject: cases.map(\.json)), as: UTF8.self)]
    ).split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    try #require(shell.count == cases.count && python.count == cases.count)

    var found = 0
    for (index, one) in cases.enumerated() {
      var ids: [Int64] = []
      try store.readRows(one.request, at: nil) { ids.append($0.id) }
      let line = ids.map(String.init).joined(separator: " ")
      try #require(line == shell[index], "the shell differs: \(one.request)")
      try #require(line == python[index], "Python differs: \(one.request)")
      try #require(try store.readCount(one.request, at: nil) == ids.count, "\(one.request)")
      found += ids.count
    }
    #expect(found > 600)
  }

  /// Takes the ids with what is sorted by, in any order, and does the rest itself.
  private static let sorting = """
    import functools, json, sqlite3, sys
    db = sqlite3.connect(sys.argv[1])
    db.text_factory = bytes
    def kind(value): return 0 if value is None else 1 if isinstance(value, (int, float)) else 2
    def compare(left, right):
      for a, b, rises in zip(left[1:], right[1:], rises_of):
        if kind(a) != kind(b): order = kind(a) - kind(b)
        elif a is None or a == b: order = 0
        else: order = -1 if a < b else 1
        if order: return order if rises else -order
      return left[0] - right[0]
    for one in json.loads(sys.argv[2]):
      columns = ", ".join(["q.bolide_id"] + one["order"])
      rises_of = one["rises"]
      rows = db.execute(f"SELECT {columns} FROM {one['tables']} WHERE ({one['where']})").fetchall()
      rows.sort(key=functools.cmp_to_key(compare))
      rows = rows[one["offset"]:]
      if one["limit"] >= 0: rows = rows[:one["limit"]]
      print(" ".join(str(row[0]) for row in rows))
    """

  @Test(arguments: 0..<seeds)
  func `batches give what one query gives`(seed: Int) throws {
    let temporary = try TemporaryStore()
    let store = try temporary.open(Geography.pipeline)
    try RandomFetch.fill(temporary, rows: 120, seed: 100 + seed)
    var dice = Dice(seed)
    for _ in 0..<Self.requests {
      var request = RandomFetch.request(&dice).request
      // A predicate with values, whose numbers the place's own must not touch.
      if dice.once(in: 2) {
        (request.predicate, request.arguments) = ("depth > ? OR magnitude IS ?", [0, .null])
      }
      func rows() throws -> [Snapshot.Row] {
        var rows: [Snapshot.Row] = []
        try store.readRows(request, at: nil) { rows.append($0) }
        return rows
      }
      let whole = try rows()
      request.batchSize = dice.pick([1, 2, 3, 7, 50, 1000])
      try #require(try rows() == whole, "\(request)")
    }
  }

  @Test func `no transaction stays open between batches, and one does without`() throws {
    let temporary = try TemporaryStore()
    let store = try temporary.open(Geography.pipeline)
    try RandomFetch.fill(temporary, rows: 30, seed: 1)
    func emptied(_ size: Int?) throws -> Set<String> {
      var request = ObjectQuery("Quake")
      request.batchSize = size
      var answers: Set<String> = []
      try store.readRows(request, at: nil) { row in
        try temporary.shell("UPDATE Quake SET depth = 5 WHERE bolide_id = \(row.id)")
        // "0|…" when nobody reads from what is to be overwritten.
        answers.insert(String(try temporary.shell("PRAGMA wal_checkpoint(TRUNCATE)").prefix(1)))
      }
      return answers
    }
    #expect(try emptied(10) == ["0"])
    #expect(try emptied(nil).contains("1"))
  }

  @Test(arguments: 0..<3)
  func `an object that nobody writes comes once and in its place, while others come, go and move`(seed: Int)
    async throws
  {
    let temporary = try TemporaryStore()
    let store = try temporary.open(Geography.pipeline)
    try RandomFetch.fill(temporary, rows: 400, seed: 200 + seed)
    try temporary.shell("UPDATE Quake SET cost = 1 WHERE bolide_id % 2")
    let stop = temporary.folder.appending(path: "stop")
    let writing = Process()
    writing.executableURL = URL(filePath: "/usr/bin/env")
    writing.arguments = ["python3", "-c", Self.writer, temporary.path, stop.path, "\(seed)"]
    try writing.run()
    var dice = Dice(seed)
    let before = try written(store)
    let deadline = ContinuousClock.now + .seconds(120)
    var rounds = 0
    while try rounds < 12 || written(store) < before + 100, ContinuousClock.now < deadline {
      rounds += 1
      var request = ObjectQuery("Quake")
      request.sort = [
        .init(dice.pick(["depth", "magnitude", "end", "order"]), ascending: dice.once(in: 2)),
        .init(dice.pick(["group.country.name", "felt"]), ascending: dice.once(in: 2)),
      ]
      func still() throws -> [Int64] {
        var ids: [Int64] = []
        try store.readRows(request, at: nil) { row in
          if row.values.contains(where: { $0.name == "cost" && $0.value == 1 }) { ids.append(row.id) }
        }
        return ids
      }
      let whole = try still()
      try #require(whole.count == 200)
      request.batchSize = dice.int(5...60)
      #expect(try still() == whole, "\(request)")
    }
    try Data().write(to: stop)
    writing.waitUntilExit()
    #expect(writing.terminationStatus == 0)
    #expect(try written(store) >= before + 100)
  }

  /// How many changes other programs have made.
  private func written(_ store: SQLiteEngine) throws -> Int64 {
    try store.integer("SELECT max(change) FROM bolide_change") ?? 0
  }

  private static let writer = """
    import os, random, sqlite3, sys
    random.seed(int(sys.argv[3]))
    db = sqlite3.connect(sys.argv[1], timeout=60, isolation_level=None)
    while not os.path.exists(sys.argv[2]):
      i = random.randint(1, 450)
      db.execute(random.choice([
        f"DELETE FROM Quake WHERE bolide_id = {i} AND cost IS NULL",
        f"UPDATE Quake SET depth = {i % 7}, magnitude = NULL WHERE bolide_id = {i} AND cost IS NULL",
        f"INSERT OR IGNORE INTO Quake(id, depth, magnitude) VALUES ('{i}', {i % 5}, {i % 3})"]))
    """
}

extension RandomFetch.Case {
  /// What Python needs of it.
  fileprivate var json: [String: Any] {
    [
      "where": predicate, "order": order.map(\.sql), "rises": order.map(\.isAscending),
      "tables": RandomFetch.tables,
      "limit": request.limit ?? -1, "offset": request.offset,
    ]
  }
}
