import Bolide
import ImportModel
import SQLiteQueries
import TestServer
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// The random requests that SQLite's fetches are held to, at a PostgreSQL server with the same rows.
@Suite(.serialized) struct ServerFetchTests {
  private static let seeds = 2
  private static let requests = 60

  /// Both stores, with rows under the same ids.
  private struct Both {
    let temporary: TemporaryStore
    let own: SQLiteEngine
    let server: any StoreEngine

    init(seed: Int) throws {
      temporary = try TemporaryStore()
      var pipeline = Geography.pipeline
      // An index changes no answer.
      if seed % 2 == 1 {
        pipeline[entity: "Quake"].indexes = [["magnitude"], ["depth", "order"], ["end"], ["group", "felt"]]
        pipeline[entity: "Group"].indexes = [["size"], ["quakeCount", "code"]]
      }
      own = try temporary.open(pipeline)
      try RandomFetch.fill(temporary, rows: 120, seed: 400 + seed)
      // What a server cannot hold: U+0000, what is no UTF-8; and what no import writes.
      try temporary.shell(
        """
        UPDATE Quake SET "order" = 'ab' WHERE bolide_id % 17 = 0 OR bolide_id % 19 = 0
          OR instr(CAST("order" AS BLOB), x'00');
        UPDATE Quake SET magnitude = 7.25 WHERE abs(magnitude) > 1e308;
        UPDATE Country SET name = bolide_id WHERE instr(CAST(name AS BLOB), x'00');
        UPDATE Quake SET cost = depth % 1000 * 7 WHERE bolide_id % 3;
        UPDATE Quake SET raw = x'61' WHERE bolide_id % 4 = 1;
        """)
      try own.assignPendingChanges()
      let test = try TestServer.shared.get()
      let schema = "s\(UInt64.random(in: 0 ... .max))"
      server = try StoreAddress(test.address(schema: schema)).open(for: pipeline, lockWait: 10)
      var rows: [String] = []
      for entity in ["Country", "Group", "Quake"] {
        let derived = Set(pipeline.model.entity(named: entity)?.derivedAttributes.map(\.name) ?? [])
        try own.readRows(ObjectQuery(entity), at: nil) { row in
          let values = row.values.filter { !derived.contains($0.name) }
          let names = ["bolide_id"] + values.map { "\"\($0.name)\($0.type == nil ? "_id" : "")\"" }
          let texts = ["\(row.id)"] + values.map(\.serverText)
          rows.append(
            "INSERT INTO \"\(entity)\"(\(names.joined(separator: ", "))) VALUES (\(texts.joined(separator: ", ")));"
          )
        }
      }
      try test.psql(rows.joined(separator: "\n"), schema: schema)
    }

    /// What both answer; nil where the server refuses by name.
    func answers<Answer>(_ body: (any StoreEngine) throws -> Answer) throws -> (own: Answer, server: Answer)?
    {
      let answer: Answer
      do {
        answer = try body(server)
      } catch let error as StoreError where error.code == .unsupported {
        #expect(error.message.contains("PostgreSQL stores do not support"))
        return nil
      }
      return (try body(own), answer)
    }
  }

  @Test(arguments: 0..<seeds)
  func `a server gives what SQLite gives, or refuses by name`(seed: Int) throws {
    let both = try Both(seed: seed)
    var dice = Dice(seed)
    var (answered, found) = (0, 0)
    for _ in 0..<Self.requests {
      var request = RandomFetch.request(&dice).request
      if dice.once(in: 4) { request.batchSize = dice.pick([1, 3, 7, 50]) }
      if dice.once(in: 3) { request.related = ["group", "previous.group"] }
      guard
        let rows = try both.answers({ engine in
          var rows: [Snapshot.Row] = []
          try engine.readRows(request, at: nil) { rows.append($0) }
          return rows
        })
      else { continue }
      let isSame = rows.server == rows.own
      try #require(isSame, "\(request): \(rows.server.map(\.id)), expected \(rows.own.map(\.id))")
      request.batchSize = nil
      try #require(try both.server.readCount(request, at: nil) == rows.own.count, "\(request)")
      (answered, found) = (answered + 1, found + rows.own.count)
    }
    #expect(answered >= 20 && found > 100, "\(answered) \(found)")
  }

  @Test(arguments: 0..<seeds)
  func `a server's groups, sums and averages are SQLite's`(seed: Int) throws {
    let both = try Both(seed: 10 + seed)
    var dice = Dice(50 + seed)
    var answered = 0
    for _ in 0..<Self.requests {
      var one = GroupedCase(&dice)
      if dice.once(in: 2) { one.request.predicate = nil }
      guard let rows = try both.answers({ try $0.texts(one) }) else { continue }
      try #require(rows.server == rows.own, "\(one.request)")
      try #require(try both.server.readCount(one.request, at: nil) == rows.own.count, "\(one.request)")
      answered += 1
    }
    #expect(answered >= 30, "\(answered)")
  }
}

extension HistoryChange.Property {
  /// The value as another program writes it to the server.
  fileprivate var serverText: String {
    func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }
    switch (value, type) {
    case (.null, _): return "NULL"
    case (.integer(let number), .boolean?): return number == 0 ? "false" : "true"
    case (.integer(let units), .decimal(let scale)?): return "\(units) * '1e-\(scale)'::numeric"
    case (.integer(let number), _): return quoted("\(number)")
    case (.real(let number), _): return quoted("\(number)")
    case (.text(let text), _): return quoted(text)
    case (.blob(let bytes), _):
      return quoted("\\x" + bytes.map { String(UInt16($0) | 256, radix: 16).dropFirst() }.joined())
    }
  }
}
