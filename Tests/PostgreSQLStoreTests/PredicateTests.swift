import Bolide
import ImportModel
import StoreInterface
import Testing

/// What a predicate means at a server: what it means to SQLite, or it is refused by name.
struct PredicateTests {
  /// The same records in both engines.
  private func engines(_ records: [String], _ model: String = RandomConditions.model) throws
    -> [any StoreEngine]
  {
    let pipeline = try Pipeline(yaml: model, file: "things.yaml", directory: ".")
    let engines = try pipeline.bothEngines()
    for engine in engines {
      let report = try engine.run(
        pipeline, on: [.bytes(records.joined(separator: "\n").utf8, name: "feed")], options: ImportOptions())
      try #require(report.progress.counts.rejected == 0, "\(report)")
    }
    return engines
  }

  private func rows(_ engine: any StoreEngine, _ request: ObjectQuery, at token: HistoryToken? = nil) throws
    -> [Snapshot.Row]
  {
    var rows: [Snapshot.Row] = []
    try engine.readRows(request, at: token) { rows.append($0) }
    return rows
  }

  @Test(arguments: 0..<2)
  func `conditions over all types are met by the same objects in both engines`(seed: Int) throws {
    var chance = RandomConditions(seed)
    let both = try engines((1...60).map { chance.record($0) })
    var (answered, refused) = (0, 0)
    for _ in 0..<150 {
      var request = ObjectQuery("Thing", where: .init(text: chance.condition()))
      for _ in 0..<chance.below(3) {
        let names = [
          "real", "name", "at", "until", "day", "uid", "price", "flag", "bytes", "doc", "in.code", "large",
        ]
        request.sort.append(.init(chance.pick(names), ascending: chance.below(2) == 0))
      }
      if chance.below(3) == 0 { (request.limit, request.offset) = (chance.below(20), chance.below(5)) }
      let answer: [Snapshot.Row]
      do {
        answer = try rows(both[1], request)
      } catch let error as StoreError where error.code == .unsupported {
        refused += 1
        continue
      } catch let error as StoreError where error.message.contains("the predicate fails (") {
        // SQLite goes on with a real number where a whole one is too large.
        #expect(error.message.contains("out of range"))
        continue
      }
      let expected: [Snapshot.Row]
      do {
        expected = try rows(both[0], request)
      } catch let error as StoreError where error.message.hasSuffix("the predicate fails (integer overflow)")
      {
        continue
      }
      let isSame = answer == expected
      try #require(
        isSame,
        "\(request.predicate?.text ?? "") \(request.sort): \(answer.map(\.id)), expected \(expected.map(\.id))"
      )
      answered += 1
    }
    #expect(answered > 90, "\(answered) answered, \(refused) refused")
  }

  @Test(arguments: 0..<1)
  func `past states, differences and logs have all types as they were`(seed: Int) throws {
    var chance = RandomConditions(500 + seed)
    let pipeline = try Pipeline(yaml: RandomConditions.model, file: "things.yaml", directory: ".")
    let both = try engines((1...30).map { chance.record($0) })
    let older = try both.map { try $0.newestToken() }
    let then = try both.map { try rows($0, ObjectQuery("Thing")) }
    let feed = (10...45).map { chance.record($0) }.joined(separator: "\n")
    for engine in both {
      _ = try engine.run(pipeline, on: [.bytes(feed.utf8, name: "more")], options: ImportOptions())
    }
    let newer = try both.map { try $0.newestToken() }
    #expect(then[0] == then[1])
    for engine in both.indices {
      for (now, was) in zip(try rows(both[engine], ObjectQuery("Thing"), at: older[engine]), then[engine]) {
        for (value, old) in zip(now.values, was.values) { #expect(value == old) }
      }
    }
    var answered = 0
    for _ in 0..<60 {
      var request = ObjectQuery(
        "Thing", where: .init(text: chance.condition(2)), sort: [.init(chance.pick(["at", "name", "uid"]))])
      request.section = chance.below(2) == 0 ? "flag" : nil
      let answers: [[Snapshot.Row]]
      do {
        answers = try both.indices.reversed().map { try rows(both[$0], request, at: older[$0]) }
      } catch let error as StoreError
        where error.code == .unsupported || error.message.contains("the predicate fails")
      {
        continue
      }
      let isSame = answers[0] == answers[1]
      try #require(
        isSame,
        "\(request.predicate?.text ?? "") \(request.sort): \(answers[0].map(\.id)), expected \(answers[1].map(\.id))"
      )
      let differences = try both.indices.map {
        try both[$0].difference(of: request, from: older[$0], to: newer[$0])
      }
      try #require(
        differences[0].objects == differences[1].objects && differences[0].sections == differences[1].sections
      )
      try #require(differences[0].updates == differences[1].updates, "\(request.predicate?.text ?? "")")
      answered += 1
    }
    #expect(answered > 30)
    for id in 1...45 {
      let logs = try both.map { try $0.log(of: "Thing", .key(["\(id)"])) }
      #expect(
        logs[0].map(\.differences) == logs[1].map(\.differences) && logs[0].map(\.kind) == logs[1].map(\.kind)
      )
    }
  }

  // MARK: What is refused

  private static let refused = [
    ("name GLOB 'a*'", "GLOB"), ("name MATCH 'a'", "MATCH"), ("small & 1", "&"), ("~small", "~"),
    ("doc -> 'a' = '1'", "->"),
    ("name COLLATE NOCASE = 'a'", "COLLATE"), ("round(real) = 1", "the function round"),
    ("date('now') > day", "this form of the function date"), ("day > current_date", "current_date"),
    ("substr(name, -1) = 'a'", "this form of the function substr"),
    ("trim(name, 'i') = 'a'", "this form of the function trim"),
    ("strftime('%W', day) = '01'", "this form of the function strftime"),
    ("CAST(name AS INTEGER) = 1", "this CAST AS INTEGER"),
    ("(small, medium) = (1, 2)", "a list in parentheses as a value"),
    ("name", "a text or bytes as a condition"),
    ("real || '' = '1'", "a real number as a text"), ("bytes || 'a' = 'aa'", "bytes as a text"),
    ("name + 1 > 2", "arithmetic with texts or bytes"),
    ("small = name", "comparing numbers with texts row by row"),
    (
      "CASE WHEN flag THEN small ELSE name END = 1",
      "a value that is of one kind for some rows and of another kind for others"
    ),
    ("coalesce(real, 1) / 2 = 1", "arithmetic with a value that is a whole number for some rows only"),
    (
      "name LIKE other ESCAPE 'x'",
      "LIKE with an escape character and a pattern that are not written out"
    ),
    (Array(repeating: "small = 1", count: 260).joined(separator: " OR "), "more than 500 operators"),
  ]

  @Test func `what has no translation is refused by its name`() throws {
    let server = try engines([#"{"id": 1}"#])[1]
    for (predicate, what) in Self.refused {
      let error = #expect(throws: StoreError.self) {
        _ = try rows(server, ObjectQuery("Thing", where: .init(text: predicate)))
      }
      #expect(error?.reason == "PostgreSQL stores do not support \(what) in a predicate", "\(predicate)")
      #expect(error?.code == .unsupported && error?.file == server.path)
    }
    let error = #expect(throws: StoreError.self) {
      _ = try rows(server, ObjectQuery("Thing", where: "name = ?", ["a\0"]))
    }
    #expect(error?.reason == "PostgreSQL stores do not support the character U+0000 in a predicate")
    let large = #expect(throws: StoreError.self) {
      _ = try rows(server, ObjectQuery("Thing", where: "id + 9223372036854775807 > 0"))
    }
    #expect(large?.reason == "the predicate fails (bigint out of range)" && large?.code == .badRequest)
  }

  @Test func `a pinned state is read on behind a predicate that fails for a value`() throws {
    let server = try engines([#"{"id": 1}"#])[1]
    let pin = try server.pinState(at: nil)
    for _ in 1...2 {
      let error = #expect(throws: StoreError.self) {
        _ = try pin.rows(ObjectQuery("Thing", where: "id + 9223372036854775807 > 0"))
      }
      #expect(error?.reason == "the predicate fails (bigint out of range)")
      #expect(throws: StoreError.self) {
        _ = try pin.count(ObjectQuery("Thing", where: "id + 9223372036854775807 > 0"))
      }
      #expect(try pin.rows(ObjectQuery("Thing")).count == 1)
      #expect(try pin.count(ObjectQuery("Thing")) == 1)
    }
  }

  @Test func `a mistake has SQLite's sentence`() throws {
    let both = try engines([#"{"id": 1}"#])
    for predicate in [
      "deep > 1", "smal > 1", "box = 'x'", "in.cod = 'x'", "things > 1", "in.things > 1", "small.x = 1", "",
      "name = 'x",
      "(small > 1", "small >", "1) OR (1", "small > 1; DELETE FROM Thing", "small # 1", "small = :d",
      "small IN Box",
      "small > ?", "small > ?3", "small 1", "foo(small)", "count(*) > 1", "small LIMIT 1", "1 UNION SELECT 1",
      "(SELECT count(*) FROM Box) > 0", "EXISTS (SELECT 1)", "small IN (SELECT 1)", "bolide_store.id = 1",
      "pg_sleep(10) IS NULL", "small::text = '1'", "$1 = 1", "U&'x' = 'x'", "E'\\'' OR 1", "$a$;$a$ = 1",
      "id = 'x' --\n; DROP TABLE x", "1 /* a */ /* b", "\"Thing\".small = 1", "bolide_0.small = 1",
      "any(small)", "all(in.things)",
    ] {
      let messages = try both.map { engine -> String in
        let error = try #require(throws: StoreError.self) {
          _ = try rows(engine, ObjectQuery("Thing", where: .init(text: predicate)))
        }
        #expect(error.code == .badRequest && error.file == engine.path, "\(predicate)")
        return [error.reason, error.hint].compactMap(\.self).joined(separator: " ")
      }
      #expect(messages[0] == messages[1], "\(predicate)")
    }
    for engine in both { #expect(try engine.readCount(ObjectQuery("Thing"), at: nil) == 1) }
  }

  @Test func `values are never read as SQL, and a text beside a number's column is a number`() throws {
    let both = try engines([
      #"{"id": 1, "name": "x' OR '1' = '1", "real": 2.5, "price": 12.5}"#, #"{"id": 2, "name": "\\"}"#,
    ])
    for (predicate, values, count) in [
      ("name = ?", ["x' OR '1' = '1"], 1), ("name = ?", ["\\"], 1),
      ("name = ? OR id = ?", ["\\' OR true --", 1], 1),
      ("real >= ? AND price = ?", ["2.5", "12.50"], 1), ("id = ?2 OR id = ?1", [2, 1], 2),
      ("bytes IS ?", [.null], 2),
      ("real < ?", ["many"], 1),
    ] as [(String, [Value], Int)] {
      for engine in both {
        #expect(
          try engine.readCount(ObjectQuery("Thing", where: .init(text: predicate), values), at: nil) == count,
          "\(predicate)")
      }
    }
  }
}
